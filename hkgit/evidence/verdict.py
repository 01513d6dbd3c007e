"""Verdicts of replay and the findings behind them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from hkgit.errors import HkgitError
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.values import dataclass

Entries = Sequence[tuple[str, Entry]]
"""Ledger entries with their ids."""


class Verdict(StrEnum):
    """What can be said of a commit: docs/verdicts.md says when exactly."""

    STRICT = "strict"
    REANCHORED = "reanchored"
    MIXED = "mixed"
    MERGE = "merge"
    REVERT = "revert"
    PRUNE = "prune"
    ATTESTED = "attested"
    RECOVERED = "recovered"
    MANUAL = "manual"
    VOUCHED = "vouched"
    UNGOVERNED = "ungoverned"
    EMPTY = "empty"
    UNVERIFIABLE = "unverifiable"
    FAIL = "fail"


BLIND = "blind"
"""The rule that an edit, or a commit, without accepted evidence breaks."""


@dataclass(frozen=True)
class Finding:
    """One thing wrong: the rule it breaks, where (path, path:lines, commit), what, what next.

    `path` and the lines, where they are given, say the same place for programs: in the file as
    the commit leaves it. `mend` is a command that fixes it, where it has one of its own.
    """

    rule: str
    where: str
    what: str
    fix: str
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    mend: str = ""

    @classmethod
    def of(cls, rule: str, error: HkgitError) -> Finding:
        """Convert an error to a finding."""
        return cls(rule, error.where, error.what, error.fix)

    @classmethod
    def at(cls, rule: str, path: str, what: str, fix: str) -> Finding:
        """Make one of a whole file."""
        return cls(rule=rule, where=path, what=what, fix=fix, path=path)


@dataclass(frozen=True)
class CandidateCommit:
    """A commit to judge: one that exists, or (without id) one about to be made.

    `header` are the bytes above the message, where there are any yet; `amends` says that it takes
    the place of HEAD, not on it.
    """

    id: str | None
    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: bytes | None
    header: bytes = b""
    amends: bool = False


@dataclass(frozen=True)
class Leftover:
    """What a commit changes beside its entries in one file: lines of the file as it leaves it.

    No lines where the file is wholly beside them, or where only its mode or its end is. Lines
    that were taken away leave the empty range in their place. `finding` says what is wrong with
    it where the policy lets nobody change it by hand.
    """

    path: str
    finding: Finding
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ReplayResult:
    """A candidate's verdict, the entries it adds, why it fails, and what is worth a note.

    `leftovers` is what no entry accounts for in a `mixed` commit, `underlying` the verdict that its
    entries would have without them; `basis` what else the verdict depends on: the commit that is
    reverted, the git that merged, the key that attested, the person who vouches. `removed` are the
    paths of the ledger records that the commit takes out of the tree. Where something of the
    entries could not be located again, `is_recomputed` is false: their tiers and confidences are
    then claimed and no more.
    """

    candidate: CandidateCommit
    verdict: Verdict
    entries: tuple[tuple[str, Entry], ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    underlying: Verdict | None = None
    basis: str | None = None
    removed: tuple[str, ...] = ()
    is_recomputed: bool = True

    @property
    def edits(self) -> tuple[RecordedEdit, ...]:
        """The edits of all its entries."""
        return tuple(edit for _, entry in self.entries for edit in entry.edits)

    @property
    def files(self) -> tuple[RecordedFile, ...]:
        """The files of all its entries; several may change one."""
        return tuple(file for _, entry in self.entries for file in entry.files)

    def is_recovered(self, entry: Entry) -> bool:
        """Say whether a transcript told an entry: those of a record it did, whatever they claim."""
        return self.verdict is Verdict.RECOVERED or entry.is_recovered

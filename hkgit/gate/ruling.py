"""A ruling on a commit, and what is needed to make a rejected one again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkgit.applying.evidence import LATE
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.entry import ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.verdict import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.characters import find_added
from hkgit.gate.rules.grants import find_changed_paths
from hkgit.gate.trusted_policy import CONFIG
from hkgit.git.attributes import Conversion, find_collisions
from hkgit.git.objects import TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.text.diff import carry_line_ends
from hkgit.text.document import BOM, Document, find_line_end, has_too_many_lines
from hkgit.text.paths import check_new_path
from hkgit.values import dataclass

REJECTED = "hkgit-rejected"
"""The file in the git directory by which a hook tells `hkgit apply` that the gate rejected."""

BY_HAND, NO_EVIDENCE = "by hand", "no evidence"
"""What replay says of a person's commit, and of an agent's, that has nothing to be replayed."""

_BY_GIT = (Verdict.MERGE, Verdict.REVERT, Verdict.PRUNE)


@dataclass(frozen=True)
class RuleResult:
    """One rule that was tried on a commit, and what it said."""

    rule: str
    says: str


@dataclass(frozen=True)
class Before:
    """The paths that a commit changes, and what making it again asks for.

    `for_person` says that no evidence lets an agent change one of them, and `is_granted` that the
    policy grants all of them to somebody. `by_hand` is the rule that has to be kept by hand before
    evidence helps, `late` where none from afterwards does.
    """

    paths: tuple[str, ...] = ()
    for_person: bool = False
    is_granted: bool = False
    by_hand: str = ""


@dataclass(frozen=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy accepts it.

    `tried` holds the rules in the order in which they were tried. A commit that a record of
    break-glass accepts keeps its findings. `before` is what it takes to make a rejected one
    again. `evidence` says in words how tight the evidence of each file is, where that was asked.
    `replayed` is what replay says before any rule of the policy is asked, None where there
    is no evidence to replay; the verdict of `judged` is what replay and policy come to. `agent` is
    the name by which the commit is an agent's.
    """

    judged: ReplayResult
    replayed: Verdict | None
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()
    tried: tuple[RuleResult, ...] = ()
    before: Before = Before()
    evidence: tuple[str, ...] = ()
    agent: str | None = None

    @property
    def replay(self) -> str:
        """What can be derived, whatever the policy thinks of it: a verdict, or why nothing can."""
        if self.replayed is not None:
            return str(self.replayed)
        return BY_HAND if self.agent is None else NO_EVIDENCE

    @property
    def is_agents(self) -> bool:
        """Whether an agent made it, as far as anybody can tell."""
        is_by_git = self.replay in _BY_GIT
        return bool(self.judged.entries) or (self.agent is not None and not is_by_git)

    @property
    def is_bare(self) -> bool:
        """Whether it is an agent's without evidence, even if a person vouches for it."""
        is_without = self.replay in (NO_EVIDENCE, Verdict.VOUCHED)
        return is_without and self.is_agents and not self.judged.entries


BEFORE_SINCE = "before since"
"""The rule by which a commit passes that came before the policy's `since`."""

_OF_RECORDS = ("break-glass", BEFORE_SINCE)
_MAY_CHANGE = frozenset(
    {
        Verdict.ATTESTED,
        Verdict.RECOVERED,
        Verdict.REVERT,
        Verdict.VOUCHED,
        Verdict.UNVERIFIABLE,
        Verdict.FAIL,
    }
)
"""Verdicts that may change with time: refs move, records and keys come, objects are fetched."""


def is_lasting(ruling: Ruling) -> bool:
    """Whether neither refs nor what is fetched later can change what is said of a commit."""
    judged = ruling.judged
    if judged.verdict in _MAY_CHANGE or ruling.rule in _OF_RECORDS:
        return False
    if not judged.candidate.parents:
        return not judged.entries
    return not is_of_one_ref(ruling)


def is_of_one_ref(ruling: Ruling) -> bool:
    """Whether it hangs on the ref that the commit is for, so that for another it may differ.

    A statement names a ref, entries go that its old side has, and a merge keeps what it had.
    """
    judged = ruling.judged
    if judged.verdict is Verdict.MERGE:
        return bool(judged.entries)
    return judged.verdict in (Verdict.ATTESTED, Verdict.PRUNE) or not judged.candidate.parents


@dataclass(frozen=True)
class Report:
    """The rulings of one run of the gate; provisional on a client, whose hooks can be skipped."""

    policy: Policy
    rulings: tuple[Ruling, ...]
    provisional: bool = False

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or all(ruling.passes for ruling in self.rulings)

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to tell: no finding, not even of what was accepted."""
        return not any(ruling.findings for ruling in self.rulings)


_OWN = f"{CONFIG.rpartition('/')[0]}/"
_BINARY_PROBE = 8000
"""git looks for a NUL byte in as many bytes to call a file binary."""


def find_before(repository: Repository, policy: Policy, candidate: CandidateCommit) -> Before:
    """Find the files that a commit changes, as they were before; none if its parents are not here.

    For a merge that git makes by itself they are taken from that merge, else from the first parent.
    """
    try:
        tree = repository.commit(candidate.parents[0]).tree
        merged = None
        if len(candidate.parents) == 2:
            merged = repository.automatic_merge(candidate.parents)
        files = repository.snapshot(tree if merged is None else merged)
        paths = find_changed_paths(repository, candidate)
        own = (each for each in paths if not each.startswith(f"{LEDGER}/"))
        found = [(path, files.get(path)) for path in own if path != ATTRIBUTES_PATH]
        after = repository.snapshot(candidate.tree)
        kept = [file for path, _ in found if (file := after.get(path)) is not None]
    except HkgitError:
        return Before()
    is_granted = any(grant.covers([path for path, _ in found]) for grant in policy.manual)
    if any(has_too_many_lines(file.data) for file in (*kept, *(each[1] for each in found)) if file):
        return Before(for_person=True, is_granted=is_granted)
    changed = {path: after.get(path) for path, _ in found}
    asks = any(policy.protects_path(path) or path.startswith(_OWN) for path, _ in found)
    asks = asks or any(map(_is_no_text, (*kept, *(file for _, file in found if file is not None))))
    asks = asks or any(_changes_line_ends(file, after.get(path)) for path, file in found)
    asks = asks or _are_filtered(repository, files, [path for path, _ in found])
    return Before(
        paths=tuple(changed),
        for_person=asks,
        is_granted=is_granted,
        by_hand=_find_rule_to_keep(policy, files, changed),
    )


def _find_rule_to_keep(
    policy: Policy, files: TreeSnapshot, changed: Mapping[str, File | None]
) -> str:
    """Find the rule that no evidence makes up for; empty where there is none."""
    if _is_name_refused(files, changed):
        return "path"
    for path, new in changed.items():
        old = files.get(path)
        if new is not None and any(find_added([old] if old else [], new, policy.reject_text)):
            return "text"
    return "" if all(is_late_accepted(policy, path) for path in changed) else LATE


def is_late_accepted(policy: Policy, path: str) -> bool:
    """Whether what is read after the fact is evidence for its edits, as what is made again has."""
    floors = policy.floors_of(path)
    return all(each.accept is None or LATE in each.accept for each in floors)


def _are_filtered(repository: Repository, files: TreeSnapshot, paths: Sequence[str]) -> bool:
    """Whether git stores another text of one of the files than is in a checkout."""
    try:
        return bool(Conversion(repository, files).why_foreign(paths))
    except HkgitError:
        return False


def _is_name_refused(files: TreeSnapshot, changed: Mapping[str, File | None]) -> bool:
    """Whether hkgit makes no file of one of the new names, so that only another name helps."""
    try:
        for path, file in changed.items():
            if file is not None and files.get(path) is None:
                check_new_path(path)
    except InvalidInput:
        return True
    return next(find_collisions(files, changed), None) is not None


def _changes_line_ends(old: File | None, new: File | None) -> bool:
    """Whether a file gets line ends or a byte order mark that it had not: no edit says them."""
    if old is None or new is None or _is_no_text(old) or _is_no_text(new):
        return False
    if old.data.startswith(BOM) != new.data.startswith(BOM):
        return True
    before, after = Document(old.data).raw_lines, Document(new.data).raw_lines
    if len(_find_ends(before)) == 1:
        return not _find_ends(after) <= _find_ends(before)
    ends = list(map(find_line_end, before))
    taken = carry_line_ends(Document(old.data).lines, Document(new.data).lines, ends)
    given = map(find_line_end, after)
    return any(a != b for a, b in zip(given, taken, strict=True) if a and b)


def _find_ends(lines: Sequence[bytes]) -> set[bytes]:
    return {end for line in lines if (end := find_line_end(line))}


def _is_no_text(file: File) -> bool:
    """Whether no edit of lines makes or changes a file: a link, a submodule, a picture."""
    return file.mode not in (REGULAR, EXECUTABLE) or b"\0" in file.data[:_BINARY_PROBE]

"""The lines of a commit that follow from an agent's entries, as ranges of each file.

What cannot be derived is not claimed: lines beside the entries, commits without evidence or whose
evidence fails, and merges have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hkgit.audit.commits import AuditedCommit, audit_commit
from hkgit.audit.origins import Blamed, LineOrigins
from hkgit.edits import DIRECTORY, SUBMODULE, SYMLINK
from hkgit.evidence.entry import LEDGER
from hkgit.gate.judge import Gate
from hkgit.git.objects import TreeChange, TreeEntry
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes
from hkgit.text.document import hash_lines, split_raw
from hkgit.values import dataclass, replace

DERIVED_FROM = ("strict", "spliced", "reanchored", "mixed", "recovered")
"""Verdicts under which a line follows from an entry."""


@dataclass(frozen=True, slots=True)
class AttributedLines:
    """Lines `start..end` of a file as the commit leaves it, and the agent and entry they are of.

    `digest` is the SHA-256 of their bytes.
    """

    path: str
    start: int
    end: int
    agent: str
    entry: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Attribution:
    """A commit and the lines of it that agents wrote, by path and line."""

    commit: AuditedCommit
    lines: tuple[AttributedLines, ...]

    @property
    def command(self) -> str:
        """What derives it again, in any clone that has the commit."""
        return f"hkgit show {self.commit.id} --json"


def attribute_commit(repository: Repository, gate: Gate, commit: str) -> Attribution:
    """Find the lines that agents wrote in a commit."""
    origins = LineOrigins(repository, gate)
    audited = audit_commit(origins.rule(commit))
    candidate = audited.ruling.judged.candidate
    is_derived = audited.replay in DERIVED_FROM and audited.ruling.judged.entries
    if not is_derived or len(candidate.parents) > 1:
        return Attribution(audited, ())
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    found = (
        lines
        for change in repository.changes(parent, candidate.tree)
        if not change.path.startswith(f"{LEDGER}/")
        for lines in _attribute_file(repository, origins, commit, change)
    )
    return Attribution(audited, tuple(found))


def _attribute_file(
    repository: Repository, origins: LineOrigins, commit: str, change: TreeChange
) -> Iterator[AttributedLines]:
    if not _is_file(change.new) or change.new is None:
        return
    new = split_raw(repository.blob(change.new.id))
    had = change.old if _is_file(change.old) else None
    old = [] if had is None else split_raw(repository.blob(had.id))
    single = (
        each
        for changed in find_changes(old, new)
        for number in range(changed.new_start + 1, changed.new_end + 1)
        if (each := _attribute_line(origins, commit, change.path, number, new[number - 1]))
    )
    for lines in _join(list(single)):
        yield replace(lines, digest=hash_lines(new[lines.start - 1 : lines.end]))


def _is_file(entry: TreeEntry | None) -> bool:
    """Whether there is text that edits can write: no link, no submodule."""
    return entry is not None and entry.mode not in (DIRECTORY, SUBMODULE, SYMLINK)


def _attribute_line(
    origins: LineOrigins, commit: str, path: str, number: int, text: bytes
) -> AttributedLines | None:
    line = Blamed(
        number=number,
        text=text.removesuffix(b"\n"),
        commit=commit,
        commit_path=path,
        commit_line=number,
    )
    origin = origins.of(line)
    if origin.entry is None or origin.entry_id is None:
        return None
    return AttributedLines(
        path=path, start=number, end=number, agent=origin.entry.agent, entry=origin.entry_id
    )


def _join(lines: list[AttributedLines]) -> Iterator[AttributedLines]:
    """Neighbours of one entry as one range."""
    if not lines:
        return
    start = lines[0].start
    for line, after in pairwise([*lines, None]):
        assert line is not None
        if after is None or (after.start, after.entry) != (line.end + 1, line.entry):
            yield replace(line, start=start)
            start = 0 if after is None else after.start

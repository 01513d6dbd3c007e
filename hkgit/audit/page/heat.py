"""On what each line of a file rests, as stretches of one kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from hkgit.applying.evidence import is_weak
from hkgit.audit.commits import AuditedCommit
from hkgit.audit.origins import LineOrigins, blame
from hkgit.errors import HkgitError
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass

MOST_FILES = 24
"""So many files get a map of their lines: each costs a `git blame`."""

EARLIER = "before the range"
_LONGEST = 20_000


@dataclass(frozen=True)
class Stretch:
    """Lines of a file that rest on the same."""

    start: int
    count: int
    kind: str
    is_weak: bool


@dataclass(frozen=True)
class FileHeat:
    """A file at the end of the range: its stretches, and how many lines are of which kind."""

    path: str
    line_count: int
    stretches: tuple[Stretch, ...]

    @property
    def weak(self) -> int:
        return sum(each.count for each in self.weak_stretches)

    @property
    def weak_stretches(self) -> tuple[Stretch, ...]:
        return tuple(each for each in self.stretches if each.is_weak)


def measure_heat(
    repository: Repository, commits: Sequence[AuditedCommit], policy: Policy, end: str
) -> tuple[FileHeat, ...]:
    """Measure the files that the range's agents changed, those with the most weak lines first."""
    rulings = {commit.id: commit.ruling for commit in commits}
    origins = LineOrigins(repository, Gate(repository, policy, tip=end), rulings)
    files = repository.snapshot(end)
    found = []
    for path in _choose(repository, commits):
        file = files.get(path)
        if file is None or b"\0" in file.data or file.data.count(b"\n") > _LONGEST:
            continue
        try:
            kinds = [*_kinds(repository, path, end, origins)]
        except HkgitError:
            continue
        if kinds:
            found.append(_file(path, kinds))
    return tuple(sorted(found, key=lambda each: (-each.weak, -each.line_count, each.path)))


def _kinds(
    repository: Repository, path: str, end: str, origins: LineOrigins
) -> Iterator[tuple[str, bool]]:
    """Yield of each line on what it rests, and whether that is weak."""
    for line in blame(repository, path, end):
        if line.commit is None or not origins.knows(line.commit):
            yield EARLIER, False
        else:
            origin = origins.of(line)
            yield origin.evidence, origin.is_weak


def _file(path: str, kinds: Sequence[tuple[str, bool]]) -> FileHeat:
    stretches, at = [], 1
    for (kind, is_weak_run), run in groupby(kinds):
        count = len([*run])
        stretches.append(Stretch(at, count, kind, is_weak_run))
        at += count
    return FileHeat(path, len(kinds), tuple(stretches))


def _choose(repository: Repository, commits: Sequence[AuditedCommit]) -> list[str]:
    """Choose the files to map: those with the most weak edits, then those with the most edits."""
    weak: Counter[str] = Counter()
    edited: Counter[str] = Counter()
    for commit in commits:
        for path in list_paths(repository, commit):
            edited[path] += 1
            weak[path] += commit.ruling.is_bare
        for edit in commit.edits:
            weak[edit.path] += is_weak(edit.evidence)
    by_weakness = sorted(edited, key=lambda path: (-weak[path], -edited[path], path))
    return by_weakness[:MOST_FILES]


def list_paths(repository: Repository, commit: AuditedCommit) -> tuple[str, ...]:
    """List the files that an agent's commit changes, by their new names; of others none."""
    judged = commit.ruling.judged
    if judged.entries:
        named = (file.new_path or file.name for _, entry in judged.entries for file in entry.files)
        return tuple(dict.fromkeys(named))
    if not commit.ruling.is_bare:
        return ()
    try:
        candidate = judged.candidate
        parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
        return tuple(change.path for change in repository.changes(parent, candidate.tree))
    except HkgitError:
        return ()

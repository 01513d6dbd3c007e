"""Which lines of a commit which calls explain.

Each line of the files that the entries make is known to be of the base or of one edit. A line of
the commit is explained where it is such a line of an edit; all others that the base does not have
are not.

A diff pairs lines by their text alone, and a brace or a blank line stands anywhere. So in a file
that others have changed too, what a call wrote in one place counts from the first to the last of
its lines that stand but once in the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, repeat

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import HASHED, is_empty
from hkgit.applying.outcome import EditOutcome, FileChange
from hkgit.edits import File, Snapshot
from hkgit.sessions.call_journal import PendingEdit
from hkgit.sessions.selection import Built
from hkgit.text.diff import find_changes, find_common
from hkgit.text.document import Document
from hkgit.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """The edit that made a line, what tied it to what was read, and how many lines it changed."""

    unit: PendingEdit
    path: str
    evidence: str
    evidence_lines: Lines | None
    changed: int

    @classmethod
    def of_outcome(cls, unit: PendingEdit, outcome: EditOutcome) -> Origin:
        """Make the origin of lines that an entry derives."""
        evidence, changed = outcome.evidence, sum(map(count_lines, outcome.base_lines))
        return cls(unit, outcome.path, evidence.kind, evidence.lines, changed)

    @property
    def changed_share(self) -> int | None:
        """How much of its evidence the edit changed, per mille; None without evidence."""
        if self.evidence not in HASHED:
            return None
        if self.evidence_lines is None:
            return 1000
        return min(1000, 1000 * self.changed // count_lines(self.evidence_lines))


Lineage = list[Origin | None]
"""For each line of a file the edit that made it; None for one of the base."""


def count_lines(lines: Lines) -> int:
    """Count how many lines a range has; a point counts as one."""
    return 1 if is_empty(lines) else lines[1] - lines[0] + 1


@dataclass(frozen=True, slots=True)
class ExplainedLines:
    """Lines `first..last` of a file that one edit made; an empty range where it took some out."""

    path: str
    first: int
    last: int
    origin: Origin

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass(frozen=True, slots=True)
class UnexplainedLines:
    """Lines of a file that no call made; an empty range where lines were taken out."""

    path: str
    first: int
    last: int
    what: str = ""

    @property
    def where(self) -> str:
        """Its path and lines, as findings name them."""
        if self.first > self.last:
            return f"{self.path}:{max(self.last, 1)}"
        lines = f"{self.first}-{self.last}" if self.first < self.last else f"{self.first}"
        return f"{self.path}:{lines}"

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass
class Explanation:
    """What of a commit's changes is explained, and what is not."""

    explained: list[ExplainedLines] = field(default_factory=list)
    unexplained: list[UnexplainedLines] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every changed line is explained."""
        return not self.unexplained

    @property
    def counts(self) -> tuple[int, int]:
        """How many changed places are explained, and how many there are."""
        explained = sum(each.count for each in self.explained)
        return explained, explained + sum(each.count for each in self.unexplained)


def explain(built: Built, before: Snapshot, after: Snapshot, paths: Iterable[str]) -> Explanation:
    """Explain what some paths have become, by the edits that were put on the base."""
    lineages, ends = _trace(built, before)
    found = Explanation()
    for path in sorted(paths):
        base, derived, actual = before.get(path), built.files.get(path), after.get(path)
        if actual is not None:
            _explain_file(found, path, (base, derived, actual), lineages.get(path, []))
        elif derived is None and path in ends:
            found.explained.append(ExplainedLines(path, 1, 0, ends[path]))
        elif base is not None:
            what = f"the file was removed ({Document(base.data).line_count} lines)"
            found.unexplained.append(UnexplainedLines(path, 1, 0, what))
    return found


def _trace(built: Built, before: Snapshot) -> tuple[dict[str, Lineage], dict[str, Origin]]:
    """The lineage of every path that edits touched; and who took a path away or made it."""
    lineages: dict[str, Lineage] = {}
    ends: dict[str, Origin] = {}
    for units, placed in built.steps:
        origins = [
            Origin.of_outcome(unit, outcome)
            # A unit that was restated on the parent's lines may have become several edits.
            for unit, outcome in zip(
                chain(units, repeat(units[-1])), placed.plan.outcomes, strict=False
            )
        ]
        for change in placed.plan.files:
            paths = change.path, change.new_path
            own = [each for each in origins if each.path in paths]
            if not own:
                continue
            _follow(lineages, before, change, origins)
            if change.path != change.new_path:
                ends |= {path: own[-1] for path in paths if path is not None}
    return lineages, ends


def _follow(
    lineages: dict[str, Lineage], before: Snapshot, change: FileChange, origins: Sequence[Origin]
) -> None:
    """Put the hunks of a change into the lineage of its file; lines that they keep stay whose."""
    lines = _document(change.before).lines
    lineage: Lineage = []
    if change.path is not None:
        known = lineages.get(change.path)
        lineage = [None] * _document(before.get(change.path)).line_count if known is None else known
    for hunk in reversed(change.hunks):
        replaced = slice(hunk.start_line - 1, hunk.end_line)
        old, new = lineage[replaced], hunk.new_lines
        made: Lineage = [origins[hunk.edits[0] - 1] if hunk.edits else origins[0]] * len(new)
        for i, j in find_common(lines[replaced], new):
            made[j] = old[i]
        lineage[replaced] = made
    if change.path is not None and change.path != change.new_path:
        lineages[change.path] = []
    if change.new_path is not None:
        lineages[change.new_path] = lineage


def _document(file: File | None) -> Document:
    return Document(b"" if file is None else file.data)


def _explain_file(
    found: Explanation, path: str, files: tuple[File | None, File | None, File], lineage: Lineage
) -> None:
    old, before, now = map(_document, files)
    derived, actual = files[1:]
    if len(lineage) != before.line_count:
        lineage = [None] * before.line_count
    pairs = find_common(before.lines, now.lines)
    by = {j: origin for i, j in pairs if (origin := lineage[i]) is not None}
    if before.data != now.data:
        by = _choose_sure(by, now)
    ended = {j for i, j in pairs if before.end_of(i + 1) != now.end_of(j + 1)}
    of_base = {j for _, j in find_common(old.lines, now.lines)}
    of_base.update(j for i, j in pairs if lineage[i] is None)
    changed = [j for j in range(now.line_count) if j not in of_base and j not in ended]
    for first, last in _join(changed, by):
        if first - 1 in by:
            found.explained.append(ExplainedLines(path, first, last, by[first - 1]))
        else:
            found.unexplained.append(UnexplainedLines(path, first, last))
    left = [UnexplainedLines(path, first, last, "line ends") for first, last in _join(ended, {})]
    left += (
        UnexplainedLines(path, each.new_start + 1, each.new_start, "lines taken out")
        for each in find_changes(before.lines, now.lines)
        if each.new_start == each.new_end
    )
    found.unexplained += left
    if derived is None and not now.data:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "the file was made"))
    elif derived is not None and derived.mode != actual.mode and not left:
        what = f"its mode is {actual.mode:o}"
        found.unexplained.append(UnexplainedLines(path, 1, 0, what))


def _choose_sure(by: Mapping[int, Origin], now: Document) -> dict[int, Origin]:
    """Choose the lines of each call and place between two that stand but once in the file."""
    count = Counter(now.lines)
    sure: dict[int, Origin] = {}
    for first, last in _join(by, {j: origin.unit.key for j, origin in by.items()}):
        own = [j for j in range(first - 1, last) if count[now.lines[j]] == 1]
        sure |= {j: by[j] for j in range(own[0], own[-1] + 1)} if own else {}
    return sure


def _join(lines: Iterable[int], by: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    """Join neighbours (from 0) of one origin into ranges (from 1)."""
    ordered = sorted(lines)
    starts = [
        at
        for at, (line, after) in enumerate(pairwise(ordered), 1)
        if after != line + 1 or by.get(after) != by.get(line)
    ]
    for start, stop in pairwise([0, *starts, len(ordered)]):
        if ordered:
            yield ordered[start] + 1, ordered[stop - 1] + 1

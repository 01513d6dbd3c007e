"""Which lines of a commit which calls explain.

A diff pairs lines by their text alone, and a brace or a blank line stands anywhere. In a file that
others have changed too, such a line counts only among lines that stand beside it in both texts,
and so does one that somebody has copied.

Each line of the files that the entries make is known to be of the base or of one edit. A line of
the commit is explained where it is such a line; all others that the base does not have are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby, repeat, takewhile

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import HASHED, covers, is_empty
from hkgit.applying.outcome import EditOutcome, FileChange
from hkgit.edits import File, Snapshot
from hkgit.sessions.call_journal import PendingEdit
from hkgit.sessions.selection import Built
from hkgit.text.diff import find_common
from hkgit.text.document import Document
from hkgit.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """The edit that made a line, what tied it to what was read, and how many lines it changed.

    `is_derived` says whether the line follows from the entries of its commit. One that does not
    stands on lines that no call has made.
    """

    unit: PendingEdit
    path: str
    evidence: str
    evidence_lines: Lines | None
    changed: int
    is_derived: bool = True

    @classmethod
    def of_outcome(cls, unit: PendingEdit, outcome: EditOutcome) -> Origin:
        """Make the origin of lines that an entry derives."""
        evidence, changed = outcome.evidence, sum(map(count_lines, outcome.base_lines))
        return cls(unit, outcome.path, evidence.kind, evidence.lines, changed)

    @classmethod
    def of_unit(cls, unit: PendingEdit) -> Origin:
        """Make the origin of lines as the edit's journal has it."""
        touched, path = unit.edit.base_lines, unit.edit.path
        reads = (
            (read.start_line, read.end_line)
            for read in unit.entry.reads
            if read.path == path and read.start_line is not None and read.end_line is not None
        )
        lines = next((each for each in reads if all(covers(each, t) for t in touched)), None)
        changed = sum(map(count_lines, touched))
        return cls(unit, path, unit.edit.evidence, lines, changed, is_derived=False)

    @property
    def changed_share(self) -> int | None:
        """How much of its evidence the edit changed, per mille; None without evidence."""
        if self.evidence not in HASHED:
            return None
        if self.evidence_lines is None:
            return 1000
        return min(1000, 1000 * self.changed // count_lines(self.evidence_lines))


Lineage = list[int | Origin]
"""For each line of a file the line of the base that it is, or the edit that made it."""

Matched = dict[int, tuple[int, int | Origin]]
"""For lines (from 0) of a file their place (from 0) in another version, and their origin there."""

NOBODY = 0
"""In a lineage: a line that neither the base has nor a call has made."""


def trace_versions(
    path: str, base: File | None, actual: File, units: Sequence[PendingEdit]
) -> tuple[Matched, int]:
    """Find the lines of a file that stand in what calls left, and how many lines that has."""
    lines: Sequence[bytes] = Document(b"" if base is None else base.data).lines
    lineage: Lineage = [*range(1, len(lines) + 1)]
    for _, group in groupby(units, key=lambda unit: unit.key):
        unit = next(group)
        for change in unit.entry.files:
            if path != change.new_path or change.after is None:
                continue
            before = b"" if change.before is None else unit.version(change.before)
            after = unit.version(change.after)
            if before is None or after is None:
                continue
            found, left = Document(before).lines, Document(after).lines
            lineage = _carry(lineage, lines, found, NOBODY)
            lineage = _carry(lineage, found, left, Origin.of_unit(unit))
            lines = left
    return match_lines(lineage, find_common(lines, Document(actual.data).lines)), len(lines)


def match_lines(lineage: Lineage, pairs: Iterable[tuple[int, int]]) -> Matched:
    """Map lines of a file to lines of another version, with the origins that they had."""
    return {j: (i, lineage[i]) for i, j in pairs}


def _carry(
    lineage: Lineage, old: Sequence[bytes], new: Sequence[bytes], by: int | Origin
) -> Lineage:
    """The lineage of a version that somebody made of another one."""
    if old == new:
        return lineage
    carried: Lineage = [by] * len(new)
    for i, j in find_common(old, new):
        carried[j] = lineage[i]
    return carried


def count_lines(lines: Lines) -> int:
    """Count how many lines a range has; a point counts as one."""
    return 1 if is_empty(lines) else lines[1] - lines[0] + 1


_WORD = re.compile(rb"\w\w")
"""What a line has that says something by itself."""


def find_origins(
    now: Document, matched: Matched, count: int, *, is_exact: bool
) -> dict[int, Origin]:
    """Find the lines that calls made; of a file that was changed otherwise too, only sure ones.

    `count` is how many lines the version has that the lines were matched with.
    """
    by = {j: origin for j, (_, origin) in matched.items() if isinstance(origin, Origin)}
    if is_exact:
        return by
    places = {j: i for j, (i, _) in matched.items()} | {-1: -1, now.line_count: count}
    copied = {line for j, line in enumerate(now.lines) if j not in matched}
    sure = {
        j
        for j in by
        if _WORD.search(now.lines[j]) and (now.lines[j] not in copied or _is_among(places, j))
    }
    for step in (1, -1):
        for j in sorted(by, reverse=step < 0):
            if j in sure or not _is_among(places, j):
                continue
            if j - step in sure and by[j - step].unit.key == by[j].unit.key:
                sure.add(j)
    return {j: by[j] for j in sure - _find_sliding(now, by)}


def _find_sliding(now: Document, by: Mapping[int, Origin]) -> set[int]:
    """Find the ends of what a call wrote that may as well be the equal lines beyond the other end.

    To a diff it is the same whether a call wrote a blank line and a function, or a function and
    the blank line after it.
    """
    lines = dict(enumerate(now.lines))
    found = set[int]()
    for first, last in _find_blocks(by):
        size = last - first + 1
        for block, away in ((range(last, first - 1, -1), -size), (range(first, last + 1), size)):
            found.update(takewhile(partial(_is_repeated, lines, away), block))
    return found


def _is_repeated(lines: Mapping[int, bytes], away: int, j: int) -> bool:
    return lines[j] == lines.get(j + away)


def _find_blocks(by: Mapping[int, Origin]) -> Iterator[tuple[int, int]]:
    """Find the runs of lines, first and last, that one call wrote."""
    ordered = sorted(by)
    first = None
    for j in ordered:
        first = j if first is None else first
        after = by.get(j + 1)
        if after is None or after.unit.key != by[j].unit.key:
            yield first, j
            first = None


def _is_among(places: Mapping[int, int], j: int) -> bool:
    """Whether the lines above and below a line are its neighbours in the other version, too."""
    return all(places.get(j + step) == places[j] + step for step in (1, -1))


def find_unchanged(matched: Matched, kept: Mapping[int, int]) -> Iterator[int]:
    """Find the lines that calls removed and wrote again in place: they count as unchanged."""
    above, below, after = 0, {}, 10**9
    for j in sorted(matched, reverse=True):
        below[j] = after
        origin = matched[j][1]
        after = origin if isinstance(origin, int) else after
    for j in sorted(matched):
        origin = matched[j][1]
        if isinstance(origin, int):
            above = origin
        elif above < kept.get(j, 0) < below[j]:
            yield j


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
        """Whether every changed line is explained, and follows from the entries."""
        return not self.unexplained and all(each.origin.is_derived for each in self.explained)

    @property
    def counts(self) -> tuple[int, int]:
        """How many changed places are explained, and how many there are."""
        explained = sum(each.count for each in self.explained)
        return explained, explained + sum(each.count for each in self.unexplained)


def explain(
    built: Built,
    sides: tuple[Snapshot, Snapshot],
    paths: Iterable[str],
    units: Sequence[PendingEdit],
) -> Explanation:
    """Explain what some paths have become, by the edits that were put on the base.

    Of lines that these do not derive, the versions that all `units` found and left tell who wrote
    them: they stand on lines that nobody's call has made.
    """
    before, after = sides
    lineages, ends = _trace(built, before)
    found = Explanation()
    for path in sorted(paths):
        files = before.get(path), built.files.get(path), after.get(path)
        lineage = lineages.get(path, [])
        here = [unit for unit in units if path in unit.paths]
        _explain_file(found, path, files, lineage, (ends.get(path), here))
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
    """Put the hunks of a change into the lineage of its file."""
    lineage: Lineage = []
    if change.path is not None:
        lineage = lineages.get(change.path, _base_lineage(before.get(change.path)))
    for hunk in reversed(change.hunks):
        origin = origins[hunk.edits[0] - 1] if hunk.edits else origins[0]
        lineage[hunk.start_line - 1 : hunk.end_line] = [origin] * len(hunk.new_lines)
    if change.path is not None and change.path != change.new_path:
        lineages[change.path] = []
    if change.new_path is not None:
        lineages[change.new_path] = lineage


def _base_lineage(file: File | None) -> Lineage:
    return [*range(1, Document(b"" if file is None else file.data).line_count + 1)]


def _explain_file(
    found: Explanation,
    path: str,
    files: tuple[File | None, File | None, File | None],
    lineage: Lineage,
    calls: tuple[Origin | None, Sequence[PendingEdit]],
) -> None:
    base, derived, actual = files
    if actual is None:
        _explain_removal(found, path, base, derived, calls[0])
        return
    if base is not None and derived is base:
        lineage = _base_lineage(base)
    before = Document(b"" if derived is None else derived.data)
    now = Document(actual.data)
    lineage = lineage if len(lineage) == before.line_count else [0] * before.line_count
    is_same = derived is not None and derived.data == actual.data
    pairs = (
        [(i, i) for i in range(now.line_count)] if is_same else find_common(before.lines, now.lines)
    )
    matched = match_lines(lineage, pairs)
    old = Document(b"" if base is None else base.data)
    kept = {j: i + 1 for i, j in find_common(old.lines, now.lines)}
    by = find_origins(now, matched, before.line_count, is_exact=is_same)
    ended = [j for i, j in pairs if before.end_of(i + 1) != now.end_of(j + 1)]
    for j in (*find_unchanged(matched, kept), *ended):
        by.pop(j, None)
    if not is_same:
        by = _find_underived(path, base, actual, calls[1], {*kept, *matched}) | by
    known = {j for j, (_, origin) in matched.items() if isinstance(origin, int)}.union(kept, ended)
    changed = [j for j in range(now.line_count) if j in by or j not in known]
    _add_lines(found, path, changed, by)
    gone = {*range(1, old.line_count + 1)} - {*kept.values()}
    _add_removed(found, path, [line in gone for line in lineage], dict(pairs))
    for first, last, _ in _ranges(ended, {}):
        found.unexplained.append(UnexplainedLines(path, first, last, "line ends"))
    _add_rest(found, path, derived, actual, changed)


def _find_underived(
    path: str,
    base: File | None,
    actual: File,
    units: Sequence[PendingEdit],
    known: set[int],
) -> dict[int, Origin]:
    """Find the lines that calls wrote on lines of others, so that no entry derives them."""
    traced, count = trace_versions(path, base, actual, units)
    by = find_origins(Document(actual.data), traced, count, is_exact=False)
    return {j: origin for j, origin in by.items() if j not in known}


def _add_lines(
    found: Explanation, path: str, changed: Sequence[int], by: dict[int, Origin]
) -> None:
    """Join neighbours of one origin into ranges."""
    for first, last, origin in _ranges(changed, by):
        if origin is None:
            found.unexplained.append(UnexplainedLines(path, first, last))
        else:
            found.explained.append(ExplainedLines(path, first, last, origin))


def _ranges(
    changed: Sequence[int], by: dict[int, Origin]
) -> Iterator[tuple[int, int, Origin | None]]:
    start = 0
    for at, line in enumerate(changed):
        after = changed[at + 1] if at + 1 < len(changed) else None
        if after != line + 1 or by.get(after) is not by.get(line):
            yield changed[start] + 1, line + 1, by.get(line)
            start = at + 1


def _add_removed(
    found: Explanation, path: str, gone: Sequence[bool], pairs: dict[int, int]
) -> None:
    """Lines of the base that are gone, though all edits leave them where they were."""
    reported = {each.first for each in found.unexplained if each.path == path}
    place = 0
    for number, is_gone in enumerate(gone):
        place = pairs.get(number, place - 1) + 1
        # What stands in its place is told already, where something does.
        if is_gone and number not in pairs and place + 1 not in reported:
            reported.add(place + 1)
            found.unexplained.append(UnexplainedLines(path, place + 1, place, "lines removed"))


def _add_rest(
    found: Explanation, path: str, derived: File | None, actual: File, changed: Sequence[int]
) -> None:
    """What differs and is no line: the file itself, its mode, the end of its last line."""
    if any(each.path == path for each in found.unexplained):
        return
    if derived is None:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "the file was created"))
    elif derived.mode != actual.mode:
        found.unexplained.append(UnexplainedLines(path, 1, 0, f"its mode is {actual.mode:o}"))
    elif derived.data != actual.data and not changed:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "line ends"))


def _explain_removal(
    found: Explanation, path: str, base: File | None, derived: File | None, end: Origin | None
) -> None:
    count = Document(b"" if base is None else base.data).line_count
    if derived is None and end is not None:
        found.explained.append(ExplainedLines(path, 1, 0, end))
    elif base is not None:
        what = f"the file was removed ({count} lines)"
        found.unexplained.append(UnexplainedLines(path, 1, 0, what))

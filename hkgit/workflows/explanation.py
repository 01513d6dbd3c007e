"""Which lines of a commit which calls explain, and what is left over.

A line is explained where the hunks of an entry write it. What no entry derives is left over.

Where something is left over in a file, a diff pairs lines by their text alone, and a brace or a
blank line is anywhere. There such a line counts only among lines that are beside it in both texts,
and so does one that somebody has copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, takewhile

from hkgit.applying.evidence import HASHED, covers, is_empty
from hkgit.edits import File, Snapshot
from hkgit.sessions.call_journal import PendingEdit
from hkgit.sessions.placement import Built
from hkgit.text.diff import find_common, list_changes
from hkgit.text.document import Document, Lines
from hkgit.values import dataclass, field


@dataclass(frozen=True)
class Origin:
    """The edit that made a line, what tied it to what was read, and how many lines it changed."""

    unit: PendingEdit
    evidence: str
    evidence_lines: Lines | None
    changed: int

    @classmethod
    def of(cls, unit: PendingEdit) -> Origin:
        """Make the origin of the lines of an edit."""
        touched, path = unit.edit.base_lines, unit.edit.path
        reads = (
            (read.start_line, read.end_line)
            for read in unit.entry.reads
            if read.path == path and read.start_line is not None and read.end_line is not None
        )
        lines = next((each for each in reads if all(covers(each, t) for t in touched)), None)
        return cls(unit, unit.edit.evidence, lines, sum(map(count_lines, touched)))

    @property
    def changed_share(self) -> int | None:
        """How much of its evidence the edit changed, per mille; None without evidence."""
        if self.evidence not in HASHED:
            return None
        if self.evidence_lines is None:
            return 1000
        return min(1000, 1000 * self.changed // count_lines(self.evidence_lines))


def count_lines(lines: Lines) -> int:
    """Count how many lines a range has; a point counts as one."""
    return 1 if is_empty(lines) else lines[1] - lines[0] + 1


@dataclass(frozen=True)
class ChangedLines:
    """Lines `first..last` of a file that were changed; an empty range where some were taken out."""

    path: str
    first: int
    last: int

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass(frozen=True)
class ExplainedLines(ChangedLines):
    """Lines that one edit made."""

    origin: Origin


@dataclass(frozen=True)
class UnexplainedLines(ChangedLines):
    """Lines that no entry derives."""

    what: str = ""

    @property
    def where(self) -> str:
        """Its path and lines, as findings name them."""
        if self.first > self.last:
            return f"{self.path}:{max(self.last, 1)}"
        lines = f"{self.first}-{self.last}" if self.first < self.last else f"{self.first}"
        return f"{self.path}:{lines}"


@dataclass
class Explanation:
    """What of a commit's changes is explained, and what is not."""

    explained: list[ExplainedLines] = field(default_factory=list)
    unexplained: list[UnexplainedLines] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left over."""
        return not self.unexplained

    @property
    def counts(self) -> tuple[int, int]:
        """How many changed places are explained, and how many there are."""
        explained = sum(each.count for each in self.explained)
        return explained, explained + sum(each.count for each in self.unexplained)


def explain(built: Built, sides: tuple[Snapshot, Snapshot], paths: Iterable[str]) -> Explanation:
    """Explain what some paths have become, by the edits that were put on the base."""
    before, after = sides
    traces, removals = _trace(built, before)
    found = Explanation()
    for path in sorted(paths):
        base, derived, actual = before.get(path), built.files.get(path), after.get(path)
        if actual is not None:
            origins = traces.setdefault(path, _number_lines(base))
            _explain_file(found, path, (base, derived, actual), origins)
        elif derived is None and path in removals:
            found.explained.append(ExplainedLines(path, 1, 0, removals[path]))
        elif base is not None:
            what = f"the file was removed ({Document(base.data).line_count} lines)"
            found.unexplained.append(UnexplainedLines(path, 1, 0, what))
    return found


Origins = Sequence[int | Origin]
"""What each line of a file is as entries make it: its number in the base, or its edit."""


def _number_lines(base: File | None) -> Origins:
    return range(1, 1 + (0 if base is None else Document(base.data).line_count))


def _trace(built: Built, before: Snapshot) -> tuple[dict[str, Origins], dict[str, Origin]]:
    """Follow files from spec to spec; tells also which edit took a file away."""
    traces: dict[str, Origins] = {}
    removals: dict[str, Origin] = {}
    for step in built.steps:
        own = {unit.number: Origin.of(unit) for unit in step.units}
        for change in step.changes:
            lines: list[int | Origin] = []
            if change.path is not None:
                lines += traces.setdefault(change.path, _number_lines(before.get(change.path)))
            for hunk in reversed(change.hunks):
                origin = own[next(each for each in hunk.edits if each in own)]
                lines[hunk.start_line - 1 : hunk.end_line] = [origin] * len(hunk.new_lines)
            if change.path is not None and change.path != change.new_path:
                by = [each for each in own.values() if each.unit.edit.path == change.path]
                traces[change.path], removals[change.path] = (), by[-1]
            if change.new_path is not None:
                traces[change.new_path] = lines
    return traces, removals


def _explain_file(
    found: Explanation,
    path: str,
    files: tuple[File | None, File | None, File],
    origins: Origins,
) -> None:
    _, derived, actual = files
    old, made, now = (Document(b"" if each is None else each.data) for each in files)
    is_same = derived is not None and derived.data == actual.data
    pairs = find_common(made.lines, now.lines)
    by = _find_origins(now, origins, pairs, is_exact=is_same)
    ended = [j for i, j in pairs if made.end_of(i + 1) != now.end_of(j + 1)]
    of_base = {i: each for i, each in enumerate(origins) if isinstance(each, int)}
    known = {j for i, j in pairs if i in of_base}.union(ended)
    there = {*of_base.values()}
    left = there - {of_base.get(i) for i, _ in pairs}
    # A line that a call wrote is not one of the base's that is elsewhere.
    common = find_common(old.lines, now.lines)
    kept = [(i, j) for i, j in common if j not in by or i + 1 not in there]
    first_new = len(found.unexplained)
    for change in list_changes(kept, old.line_count, now.line_count):
        added = [j for j in range(change.new_start, change.new_end) if j not in known]
        for run in _find_runs(added, by.get):
            origin = by.get(run[0])
            if origin is None:
                found.unexplained.append(UnexplainedLines(path, run[0] + 1, run[-1] + 1))
            else:
                found.explained.append(ExplainedLines(path, run[0] + 1, run[-1] + 1, origin))
        gone = range(change.old_start + 1, change.old_end + 1)
        if by.keys() >= {*added} and not left.isdisjoint(gone):
            place = change.new_end
            found.unexplained.append(UnexplainedLines(path, place + 1, place, "lines removed"))
    for run in _find_runs(ended, lambda j: None):
        found.unexplained.append(UnexplainedLines(path, run[0] + 1, run[-1] + 1, "line ends"))
    if len(found.unexplained) > first_new or is_same:
        return
    if derived is None:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "the file was created"))
    elif derived.mode != actual.mode:
        found.unexplained.append(UnexplainedLines(path, 1, 0, f"its mode is {actual.mode:o}"))
    elif made.lines == now.lines:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "line ends"))


def _find_runs(lines: Iterable[int], whose: Callable[[int], object]) -> Iterator[range]:
    """Join lines that follow one another and are of the same one."""
    numbered = enumerate(lines)
    for _, run in groupby(numbered, key=lambda each: (each[1] - each[0], whose(each[1]))):
        found = [line for _, line in run]
        yield range(found[0], found[-1] + 1)


_WORD = re.compile(rb"\w\w")
"""What a line has that says something by itself."""


def _find_origins(
    now: Document, origins: Origins, pairs: Sequence[tuple[int, int]], *, is_exact: bool
) -> dict[int, Origin]:
    """Find the lines that calls made; of a file that was changed otherwise too, only sure ones.

    `pairs` are the lines as entries make them that are in the file, with their places there.
    """
    known = ((j, origins[i]) for i, j in pairs)
    by = {j: origin for j, origin in known if isinstance(origin, Origin)}
    if is_exact:
        return by
    places = {j: i for i, j in pairs}
    copied = {line for j, line in enumerate(now.lines) if j not in places}
    places |= {-1: -1, now.line_count: len(origins)}

    def is_among(j: int) -> bool:
        """Whether the lines above and below a line are its neighbours in the trace, too."""
        return all(places.get(j + step) == places[j] + step for step in (1, -1))

    sure = {
        j for j in by if _WORD.search(now.lines[j]) and (now.lines[j] not in copied or is_among(j))
    }
    for step in (1, -1):
        for j in sorted(by, reverse=step < 0):
            if is_among(j) and j - step in sure and by[j - step].unit.key == by[j].unit.key:
                sure.add(j)
    return {j: by[j] for j in sure - _find_sliding(now, by)}


def _find_sliding(now: Document, by: Mapping[int, Origin]) -> set[int]:
    """Find the ends of what a call wrote that may as well be the equal lines beyond the other end.

    To a diff it is the same whether a call wrote a blank line and a function, or a function and
    the blank line after it.
    """
    lines = dict(enumerate(now.lines))
    found = set[int]()
    for run in _find_runs(sorted(by), lambda j: by[j].unit.key):
        for block, away in ((reversed(run), -len(run)), (run, len(run))):
            found.update(takewhile(partial(_is_repeated, lines, away), block))
    return found


def _is_repeated(lines: Mapping[int, bytes], away: int, j: int) -> bool:
    return lines[j] == lines.get(j + away)

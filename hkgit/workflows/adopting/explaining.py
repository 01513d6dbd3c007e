"""explaining.py: which call made each changed line of a commit, as its entries derive it.

Each line of the files that the entries make is known to be of the base or of one edit. A line of
the commit is explained where it is such a line; all others that the base does not have are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

from hkgit.applying.outcome import FileChange
from hkgit.edits import File, Snapshot
from hkgit.sessions.commit.building import Built
from hkgit.sessions.commit.pending import PendingEdit
from hkgit.text.diff import find_common
from hkgit.text.document import Document
from hkgit.workflows.adopting.explanation import ExplainedLines, Explanation, UnexplainedLines
from hkgit.workflows.adopting.origins import find_origins, find_unchanged
from hkgit.workflows.adopting.tracing import (
    Lineage,
    Origin,
    match_lines,
    trace_versions,
)


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
            found.unexplained.append(UnexplainedLines(path, place + 1, place, "lines taken out"))


def _add_rest(
    found: Explanation, path: str, derived: File | None, actual: File, changed: Sequence[int]
) -> None:
    """What differs and is no line: the file itself, its mode, the end of its last line."""
    if any(each.path == path for each in found.unexplained):
        return
    if derived is None:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "the file was made"))
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

"""indentation.py: edits indented in another way than the file; the intended result is clear."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Verdict
from benchmarks.engines.labels.words import indentation

FOUR_SPACED = 0.75
"""The share of lines with whole levels of four spaces that shows a file to be indented so."""


def _indentations(draft: Draft) -> set[str]:
    """The indentations of what the edit says."""
    return {indentation(row.said) for row in draft.rows if row.said and row.said.strip()}


def dedented(rng: Random, draft: Draft) -> Draft | None:
    """The indentation that all lines of the edit share is lost."""
    shared = min(_indentations(draft), key=len, default="")
    if not shared or not all(each.startswith(shared) for each in _indentations(draft)):
        return None
    return draft.saying(lambda line: line.removeprefix(shared) if line.strip() else line)


def line_dedented(rng: Random, draft: Draft) -> Draft | None:
    """One line is quoted without its indentation, and the new lines lack it too.

    The quotation stands in the middle of the file's line, where plain replacement would write the
    further lines at the margin.
    """
    changed = draft.rows_of(GONE + ADDED)
    first, last = changed[0], changed[-1] + 1
    if not draft.rows_of(GONE):
        first, last = (first, last + 1) if rng.random() < 0.5 else (first - 1, last)
    rows = draft.rows[max(first, 0) : last]
    above = [row.real or "" for row in draft.rows[: max(first, 0)]]
    below = [row.real or "" for row in draft.rows[last:]]
    alone = replace(
        draft,
        above=(*draft.above, *above),
        rows=rows,
        below=(*below, *draft.below),
        edit_is_terminated=rng.random() < 0.5,
        takes_literal=False,
    )
    said = [alone.rows[i].said or "" for i in alone.rows_of(KEPT + ADDED)]
    if len(alone.rows_of(KEPT + GONE)) != 1 or len(said) < 2 or not said[-1].strip():
        return None
    return dedented(rng, alone)


def indented(rng: Random, draft: Draft) -> Draft | None:
    """The edit is indented by one more unit than the file."""
    unit = "\t" if any("\t" in each for each in _indentations(draft)) else "    "
    return draft.saying(lambda line: unit + line if line.strip() else line)


def tabs_in_edit(rng: Random, draft: Draft) -> Draft | None:
    """The file is indented with spaces, the edit with tabs."""
    unit = _unit(draft)
    return None if unit is None else draft.saying(lambda line: _retabbed(line, unit, "\t"))


def tabs_in_file(rng: Random, draft: Draft) -> Draft | None:
    """The file is indented with tabs, the edit with spaces."""
    if _indentations(draft) <= {"\t" * n for n in range(20)}:
        spaces = rng.choice(["  ", "    ", "        "])
        is_indented = any(indentation(draft.rows[i].said or "") for i in draft.rows_of(KEPT + GONE))
        return draft.saying(lambda line: _retabbed(line, "\t", spaces)) if is_indented else None
    unit = _unit(draft)
    return None if unit is None else draft.being(lambda line: _retabbed(line, unit, "\t"))


def other_unit(rng: Random, draft: Draft) -> Draft | None:
    """The edit is indented by two spaces a level where the file has four, or the reverse.

    Where the old text shows one depth only, and the new text another, this could as well be a
    shift of the whole: then the edit may be refused.
    """
    unit = _unit(draft)
    if unit is None:
        return None
    other = "  " if unit == "    " else "    "
    changed = draft.saying(lambda line: _retabbed(line, unit, other))
    old = {indentation(draft.rows[i].said or "") for i in draft.rows_of(KEPT + GONE)}
    is_clear = len(old - {""}) > 1 or _indentations(draft) <= old
    return changed if is_clear else replace(changed, verdict=Verdict.EITHER)


def _unit(draft: Draft) -> str | None:
    """The spaces of one level, where the edit has whole levels of them, and an old line one."""
    near = (*draft.above[-60:], *(row.real or "" for row in draft.rows), *draft.below[:60])
    depths = [len(indentation(line)) for line in near if line.strip()]
    unit = 4 if sum(depth % 4 == 0 for depth in depths) > FOUR_SPACED * len(depths) else 2
    old = [indentation(draft.rows[i].said or "") for i in draft.rows_of(KEPT + GONE)]
    is_whole = all("\t" not in each and len(each) % unit == 0 for each in _indentations(draft))
    return " " * unit if is_whole and any(old) else None


def _retabbed(line: str, unit: str, other: str) -> str:
    """The line with other units of indentation; what is left over of a unit stays."""
    depth, rest = 0, line
    while rest.startswith(unit):
        depth, rest = depth + 1, rest[len(unit) :]
    return other * depth + rest

"""whitespace.py: edits whose blanks are not those of the file; the intended result is clear."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, Verdict
from benchmarks.engines.labels.words import indentation
from benchmarks.engines.rivals import folded

ALIKE = 0.6
"""Two lines as alike as this are one line and its edited form."""
FOUR_SPACED = 0.75
"""The share of lines with whole levels of four spaces that shows a file to be indented so."""

_TIGHTENED = (
    (re.compile(r" (=|==|\+|<|>|:=|\+=|=>|\?) "), r"\1"),
    (re.compile(r", "), ","),
    (re.compile(r"(?<=\S) (?=\S)"), "  "),
)


def trailing_lost(rng: Random, draft: Draft) -> Draft | None:
    """The file has blanks at the end of some lines, the edit does not.

    A line that is only edited keeps them, since the author did not mean to change them.
    """
    blanks = rng.choice([" ", "  ", "\t", "    "])
    for i in _some(rng, draft):
        for at in filter(None, (i, partner(draft, i))):
            row = draft.rows[at]
            draft = draft.with_row(at, replace(row, real=(row.real or "") + blanks))
    return replace(draft, fold="trailing", folds_context=True)


def trailing_added(rng: Random, draft: Draft) -> Draft | None:
    """The edit has blanks at the end of some lines, the file does not."""
    blanks = rng.choice([" ", "  ", "    "])
    for i in _some(rng, draft):
        draft = draft.misquoting(i, (draft.rows[i].said or "") + blanks)
    return replace(draft, fold="trailing", folds_context=True)


def _some(rng: Random, draft: Draft) -> list[int]:
    """One to three of the rows of the old text."""
    chosen = draft.rows_of(KEPT + GONE)
    return rng.sample(chosen, min(rng.randint(1, 3), len(chosen)))


def partner(draft: Draft, gone: int) -> int | None:
    """The added row that is an edited form of a removed one: as far down its run, and alike."""
    if draft.rows[gone].kind != GONE:
        return None
    first = last = gone
    while first and draft.rows[first - 1].kind == GONE:
        first -= 1
    while last + 1 < len(draft.rows) and draft.rows[last + 1].kind == GONE:
        last += 1
    at = last + 1 + gone - first
    if not all(row.kind == ADDED for row in draft.rows[last + 1 : at + 1]):
        return None
    if at >= len(draft.rows):
        return None
    sides = (draft.rows[gone].real or "", draft.rows[at].real or "")
    return at if SequenceMatcher(None, *sides).ratio() >= ALIKE else None


def _indentations(draft: Draft) -> set[str]:
    """The indentations of what the edit says."""
    return {indentation(row.said) for row in draft.rows if row.said and row.said.strip()}


def dedented(rng: Random, draft: Draft) -> Draft | None:
    """The indentation that all lines of the edit share is lost."""
    shared = min(_indentations(draft), key=len, default="")
    if not shared or not all(each.startswith(shared) for each in _indentations(draft)):
        return None
    return draft.saying(lambda line: line.removeprefix(shared) if line.strip() else line)


def indented(rng: Random, draft: Draft) -> Draft | None:
    """The edit is indented by one more unit than the file."""
    unit = "\t" if any("\t" in each for each in _indentations(draft)) else "    "
    return draft.saying(lambda line: unit + line if line.strip() else line)


def stripped(rng: Random, draft: Draft) -> Draft | None:
    """The blanks at both ends of the old and the new text are lost."""
    stripped_draft = replace(draft, wrap=str.strip)
    old, new = stripped_draft.old, stripped_draft.new
    if old == draft.old.rstrip("\n") or not new:
        return None
    replaced = draft.before.replace(old.encode(), new.encode())
    return stripped_draft if replaced == draft.ideal else None


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


def interior_blanks(rng: Random, draft: Draft) -> Draft | None:
    """Blanks between the words of a line are not those of the file."""
    rows = draft.rows_of(KEPT + GONE)
    for i in rng.sample(rows, len(rows)):
        line = draft.rows[i].said or ""
        pattern, tight = rng.choice(_TIGHTENED)
        body = line[len(indentation(line)) :]
        changed = indentation(line) + pattern.sub(tight, body, count=rng.randint(1, 2))
        if changed != line and folded(changed) == folded(line):
            return replace(draft.misquoting(i, changed), fold="blanks", folds_context=True)
    return None


def crlf_file(rng: Random, draft: Draft) -> Draft | None:
    """The file has CRLF ends, the edit LF."""
    return draft.being(lambda line: line + "\r")


def crlf_edit(rng: Random, draft: Draft) -> Draft | None:
    """The edit has CRLF ends, the file LF."""
    crlf = replace(draft, wrap=lambda text: text.replace("\n", "\r\n"))
    return crlf if "\n" in draft.old else None


def mixed_ends(rng: Random, draft: Draft) -> Draft | None:
    """Some lines of the file end with CRLF; a new line takes the end of the one it replaces."""
    draft = draft.being(lambda line: line + rng.choice(["", "\r"]))
    rows: list[Row] = []
    ends: list[str] = []
    for row in draft.rows:
        end = "\r" if (row.real or "").endswith("\r") else ""
        if row.kind == ADDED:
            end = ends.pop(0) if ends else _end_of(rows, draft)
            row = replace(row, real=(row.real or "").removesuffix("\r") + end)
        ends = [*ends, end] if row.kind == GONE else ends if row.kind == ADDED else []
        rows.append(row)
    return replace(draft, rows=tuple(rows), fold="ends", folds_context=True)


def _end_of(rows: list[Row], draft: Draft) -> str:
    """The end of the line that a new line follows."""
    line = rows[-1].real if rows else draft.above[-1] if draft.above else draft.below[0]
    return "\r" if (line or "").endswith("\r") else ""


def blank_line_lost(rng: Random, draft: Draft) -> Draft | None:
    """The edit leaves out a blank line of its context."""
    blank = [i for i in draft.rows_of(KEPT + GONE)[1:-1] if draft.rows[i].real == ""]
    kept = [i for i in blank if draft.rows[i].kind == KEPT and not is_at_change(draft, i)]
    return draft.misquoting(rng.choice(kept), None) if kept else None


def blank_line_added(rng: Random, draft: Draft) -> Draft | None:
    """The edit has a blank line in its context that the file has not."""
    says = [bool((row.real or "").strip()) and row.kind == KEPT for row in draft.rows]
    pairs = [i for i in range(1, len(says)) if says[i] and says[i - 1]]
    spots = [i for i in pairs if not is_at_change(draft, i) and not is_at_change(draft, i - 1)]
    if not spots:
        return None
    at = rng.choice(spots)
    return draft.with_row(at, Row(KEPT, None, ""), draft.rows[at])


def blank_lines_around(rng: Random, draft: Draft) -> Draft | None:
    """The old and the new text begin, or end, with a blank line too many."""
    top, bottom = rng.choice([("\n", "\n"), ("\n", ""), ("", "\n"), ("\n\n", "\n")])
    return replace(draft, wrap=lambda text: top + text + bottom)


def is_at_change(draft: Draft, at: int) -> bool:
    """Whether a row borders on lines that are added or removed, or that they could slide to.

    Where such a row is missing, nobody could say on which side of it the change belongs. Lines
    are added after an equal line as well as before it, so a change slides along equal lines.
    """
    touched = {i for run in _runs(draft) for i in _reach(draft, *run)}
    return at in touched or (draft.rows[at].real == "" and _has_blank_between(draft, at, touched))


def _runs(draft: Draft) -> list[tuple[int, int]]:
    """The runs of rows that are not kept, half open."""
    kinds = "".join(row.kind for row in draft.rows)
    return [match.span() for match in re.finditer("[^ ]+", kinds)]


def _reach(draft: Draft, first: int, last: int) -> range:
    """The rows that a run touches wherever it slides, with a neighbour on each side."""
    lines = [row.real for row in draft.rows]
    top, bottom = first, last
    if len({row.kind for row in draft.rows[first:last]}) == 1:
        while top and lines[top - 1] == lines[top - 1 + last - first]:
            top -= 1
        while bottom < len(lines) and lines[bottom] == lines[bottom - (last - first)]:
            bottom += 1
    return range(top - 1, bottom + 1)


def _has_blank_between(draft: Draft, at: int, touched: set[int]) -> bool:
    """Whether only blank lines lie between a blank row and one that a change touches."""
    for step in (-1, 1):
        near = at + step
        while 0 <= near < len(draft.rows) and draft.rows[near].real == "":
            if near in touched:
                return True
            near += step
    return False

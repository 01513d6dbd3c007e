"""whitespace.py: edits whose blanks are not those of the file; the intended result is clear."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row
from benchmarks.engines.labels.changes import is_at_change, partner
from benchmarks.engines.labels.words import indentation
from benchmarks.engines.rivals import folded

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
        edited = partner(draft, i)
        for at in (i,) if edited is None else (i, edited):
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


def stripped(rng: Random, draft: Draft) -> Draft | None:
    """The blanks at both ends of the old and the new text are lost."""
    stripped_draft = replace(draft, wrap=str.strip)
    old, new = stripped_draft.old, stripped_draft.new
    if old == draft.old.rstrip("\n") or not new:
        return None
    replaced = draft.before.replace(old.encode(), new.encode())
    return stripped_draft if replaced == draft.ideal else None


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

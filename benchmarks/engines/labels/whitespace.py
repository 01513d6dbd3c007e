"""whitespace.py: edits whose blanks are not those of the file; the intended result is clear."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import Draft
from benchmarks.engines.labels.words import indentation


def trailing_lost(rng: Random, draft: Draft) -> Draft | None:
    """The file has blanks at the end of some lines, the edit does not."""
    return _some_rows(rng, draft, "real", rng.choice([" ", "  ", "\t"]))


def trailing_added(rng: Random, draft: Draft) -> Draft | None:
    """The edit has blanks at the end of some lines, the file does not."""
    return _some_rows(rng, draft, "said", rng.choice([" ", "  "]))


def _some_rows(rng: Random, draft: Draft, side: str, blanks: str) -> Draft | None:
    """Blanks at the end of one or more of the rows of the old text."""
    chosen = [i for i in draft.rows_of(" -") if (draft.rows[i].real or "").strip()]
    if not chosen:
        return None
    for i in rng.sample(chosen, rng.randint(1, min(3, len(chosen)))):
        row = draft.rows[i]
        text = (row.real or "") + blanks
        draft = draft.with_row(i, replace(row, real=text) if side == "real" else
                               replace(row, said=text))  # fmt: skip
    return replace(draft, fold="trailing", folds_context=True)


def dedented(rng: Random, draft: Draft) -> Draft | None:
    """The indentation that all lines of the edit share is lost."""
    said = [row.said for row in draft.rows if row.said and row.said.strip()]
    shared = min((indentation(line) for line in said), key=len, default="")
    if not shared or not all(line.startswith(shared) for line in said):
        return None
    return draft.saying(lambda line: line.removeprefix(shared) if line.strip() else line)


def indented(rng: Random, draft: Draft) -> Draft | None:
    """The edit is indented by one more unit than the file."""
    unit = "\t" if any(row.said and row.said.startswith("\t") for row in draft.rows) else "    "
    return draft.saying(lambda line: unit + line if line.strip() else line)


def crlf_file(rng: Random, draft: Draft) -> Draft | None:
    """The file has CRLF ends, the edit LF."""
    return draft.being(lambda line: line + "\r")

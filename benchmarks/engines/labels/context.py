"""context.py: edits whose context is not quite the file's; the file's own must survive."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row
from benchmarks.engines.labels.words import indentation, with_word_changed


def _inner_context(draft: Draft) -> list[int]:
    """Kept rows that say something, between others of the old text, and not beside an insertion.

    Beside an insertion nobody could say on which side of a missing line the new ones belong.
    """
    inner = [i for i in draft.rows_of(KEPT + GONE)[1:-1] if draft.rows[i].kind == KEPT]
    says = [i for i in inner if (draft.rows[i].real or "").strip()]
    return [i for i in says if not _is_at_insertion(draft, i)]


def _is_at_insertion(draft: Draft, at: int) -> bool:
    """Whether a neighbour is added without anything removed there."""
    kinds = "".join(row.kind for row in draft.rows)
    before, after = kinds[:at].rpartition(KEPT)[2], kinds[at + 1 :].partition(KEPT)[0]
    return any(ADDED in run and GONE not in run for run in (before, after))


def line_missing(rng: Random, draft: Draft) -> Draft | None:
    """The edit leaves out a line in the middle of its context."""
    inner = _inner_context(draft)
    if not inner:
        return None
    at = rng.choice(inner)
    return draft.with_row(at, replace(draft.rows[at], said=None))


def line_extra(rng: Random, draft: Draft) -> Draft | None:
    """The edit has a line in its context that the file has not."""
    spots = [i for i in draft.rows_of(KEPT) if i > 0 and draft.rows[i - 1].kind == KEPT]
    words = [line.strip() for line in (*draft.above, *draft.below) if len(line.strip()) > 8]
    if not spots or not words:
        return None
    at = rng.choice(spots)
    invented = with_word_changed(rng, rng.choice(words))
    if invented is None:
        return None
    extra = Row(KEPT, None, indentation(draft.rows[at].real or "") + invented)
    return replace(draft, rows=(*draft.rows[:at], extra, *draft.rows[at:]))


def wrong_identifier(rng: Random, draft: Draft) -> Draft | None:
    """One name in a context line is not what the file says."""
    kept = [i for i in draft.rows_of(KEPT) if (draft.rows[i].real or "").strip()]
    if not kept:
        return None
    at = rng.choice(kept)
    wrong = with_word_changed(rng, draft.rows[at].real or "")
    return None if wrong is None else draft.with_row(at, replace(draft.rows[at], said=wrong))

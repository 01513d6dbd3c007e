"""refusals.py: edits that nobody may land: what they remove is not there, or there twice."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, Draft, Row, Verdict
from benchmarks.engines.labels.words import with_number_changed, with_word_changed


def removed_token(rng: Random, draft: Draft) -> Draft | None:
    """One name in a line to be removed is not what the file says."""
    gone = [i for i in draft.rows_of(GONE) if (draft.rows[i].said or "").strip()]
    if not gone:
        return None
    at = rng.choice(gone)
    wrong = with_word_changed(rng, draft.rows[at].said or "")
    if wrong is None:
        return None
    refused = replace(draft, verdict=Verdict.REFUSE)
    return refused.with_row(at, replace(draft.rows[at], said=wrong))


def changed_meanwhile(rng: Random, draft: Draft) -> Draft | None:
    """Somebody changed a number, a version or a string in a line to be removed."""
    gone = [i for i in draft.rows_of(GONE) if _altered(rng, draft.rows[i].real or "") is not None]
    if not gone:
        return None
    at = rng.choice(gone)
    real = _altered(rng, draft.rows[at].real or "")
    refused = replace(draft, verdict=Verdict.REFUSE)
    return refused.with_row(at, replace(draft.rows[at], real=real))


def _altered(rng: Random, line: str) -> str | None:
    """The line with another number in it, or else another string."""
    if (numbered := with_number_changed(rng, line)) is not None:
        return numbered
    changed = re.sub(r"([\"'])([^\"']+)\1", r"\1\2-v2\1", line, count=1)
    return changed if changed != line else None


def duplicate(rng: Random, draft: Draft) -> Draft | None:
    """The place stands in the file a second time."""
    copy = tuple(row.real for row in draft.rows if row.kind != ADDED and row.real is not None)
    if rng.random() < 0.5:
        at = rng.randint(0, len(draft.above))
        above = (*draft.above[:at], *copy, *draft.above[at:])
        return replace(draft, above=above, verdict=Verdict.REFUSE)
    at = rng.randint(0, len(draft.below))
    below = (*draft.below[:at], *copy, *draft.below[at:])
    return replace(draft, below=below, verdict=Verdict.REFUSE)


def already_applied(rng: Random, draft: Draft) -> Draft | None:
    """The file says already what the edit wants."""
    return replace(draft, applied=True, verdict=Verdict.REFUSE)


__all__ = ["Row", "already_applied", "changed_meanwhile", "duplicate", "removed_token"]

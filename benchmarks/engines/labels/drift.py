"""drift.py: files that moved on since the edit was written."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.engines.corpus import Splice
from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, Verdict
from benchmarks.engines.labels.words import identifiers, misremembered, with_word_changed


def far(rng: Random, draft: Draft) -> Draft | None:
    """Other changes of the same release are in the file, away from the place."""
    top, bottom = len(draft.above), len(draft.hunk.lines) - len(draft.below)
    over = [splice for splice in draft.hunk.others if splice[1] <= top]
    under = [splice for splice in draft.hunk.others if splice[0] >= bottom]
    if not over and not under:
        return None
    above = _spliced(draft.above, over, 0)
    return replace(draft, above=above, below=_spliced(draft.below, under, bottom))


def _spliced(lines: tuple[str, ...], splices: list[Splice], shift: int) -> tuple[str, ...]:
    """Lines with other changes carried out, the last one first."""
    for start, end, new in reversed(splices):
        lines = (*lines[: start - shift], *new, *lines[end - shift :])
    return lines


def near(rng: Random, draft: Draft) -> Draft | None:
    """Another change of the same release is in the file, within the context of the edit."""
    top, bottom = len(draft.above), len(draft.hunk.lines) - len(draft.below)
    inside = [splice for splice in draft.hunk.others if top < splice[0] and splice[1] < bottom]
    apart = [s for s in inside if s[1] < draft.hunk.start - 1 or s[0] > draft.hunk.end + 1]
    if not apart:
        return None
    start, end, new = rng.choice(apart)
    first = start - top if end < draft.hunk.start else start - bottom + len(draft.rows)
    unknown = [Row(KEPT, line, None) for line in new]
    missing = [replace(row, real=None) for row in draft.rows[first : first + end - start]]
    rows = (*draft.rows[:first], *missing, *unknown, *draft.rows[first + end - start :])
    return replace(draft, rows=rows)


def renamed(rng: Random, draft: Draft) -> Draft | None:
    """The file carries a rename that the author of the edit did not know.

    Where the old name stands only in context, the edit must land. Else it may, with the rename
    carried into the new lines; then two places in the old text tell of it.
    """
    text = "\n".join((*draft.above, *draft.below, *(row.real or "" for row in draft.rows)))
    words = [word for word in _names(draft) if re.search(rf"\.{word}\b|\b{word} ?[(=:]", text)]
    if not words:
        return None
    old = rng.choice(words)
    new = misremembered(rng, old)
    if re.search(rf"\b{new}\b", text):
        return None
    name = re.compile(rf"\b{old}\b")
    is_known = any(name.search(draft.rows[i].said or "") for i in draft.rows_of(GONE + ADDED))
    if is_known and len(name.findall(draft.old)) < 2:
        return None
    drifted = draft.being(lambda line: name.sub(new, line))
    return replace(drifted, verdict=Verdict.EITHER) if is_known else drifted


def _names(draft: Draft) -> list[str]:
    """The longer identifiers of the old text, as often as they stand there."""
    lines = (draft.rows[i].said or "" for i in draft.rows_of(KEPT + GONE))
    names = (match.group() for line in lines for match in identifiers(line))
    return [name for name in names if len(name) > 3]


def near_copy(rng: Random, draft: Draft) -> Draft | None:
    """Elsewhere in the file stands the place once more, but for one word."""
    rows = [i for i in draft.rows_of(KEPT + GONE) if identifiers(draft.rows[i].real or "")]
    if not rows:
        return None
    at = rng.choice(rows)
    changed = with_word_changed(rng, draft.rows[at].real or "")
    copy = tuple(changed if i == at else draft.rows[i].real for i in draft.rows_of(KEPT + GONE))
    return with_copy(rng, draft, tuple(line for line in copy if line is not None))


def with_copy(rng: Random, draft: Draft, copy: tuple[str, ...]) -> Draft:
    """The draft with more lines somewhere above or below the place."""
    if rng.random() < 0.5:
        at = rng.randint(0, len(draft.above))
        return replace(draft, above=(*draft.above[:at], *copy, *draft.above[at:]))
    at = rng.randint(0, len(draft.below))
    return replace(draft, below=(*draft.below[:at], *copy, *draft.below[at:]))

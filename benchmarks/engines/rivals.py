"""rivals.py: whether an edit, as it was written, could as well mean another place of its file."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from functools import lru_cache

from benchmarks.engines.drafts import ADDED, GONE, Draft

TYPOGRAPHY = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2026": "...", "\u00a0": " ", "\u200b": "", "\ufeff": "",
})  # fmt: skip


@lru_cache(maxsize=200_000)
def folded(line: str) -> str:
    """A line without blanks and typography."""
    plain = unicodedata.normalize("NFKC", line.translate(TYPOGRAPHY))
    return "".join(plain.split())


def matching_rows(draft: Draft) -> int:
    """How many rows that say something the edit has right, up to blanks and typography."""
    return sum(
        1 for row in draft.rows
        if row.kind != ADDED and row.said is not None and row.real is not None
        and folded(row.said) and folded(row.said) == folded(row.real)
    )  # fmt: skip


def has_rival(draft: Draft) -> bool:
    """Whether some other place has every removed line, and as much of the rest as the right one.

    Lines vote for the place that they would belong to, so time grows with the file.
    """
    said = [(folded(row.said), row.kind) for row in draft.rows
            if row.kind != ADDED and row.said is not None]  # fmt: skip
    asked = defaultdict(list)
    for index, (text, kind) in enumerate(said):
        if text:
            asked[text].append((index, kind))
    votes: Counter[int] = Counter()
    removed: Counter[int] = Counter()
    for number, line in _elsewhere(draft):
        for index, kind in asked.get(folded(line), ()):
            votes[number - index] += 1
            removed[number - index] += kind == GONE
    needed = sum(1 for text, kind in said if text and kind == GONE)
    best = matching_rows(draft)
    return any(votes[at] >= best and removed[at] >= needed for at in votes)


def _elsewhere(draft: Draft) -> list[tuple[int, str]]:
    """The numbered lines of the file that do not belong to the place."""
    resume = len(draft.above) + sum(1 for row in draft.rows if row.real is not None)
    return [*enumerate(draft.above), *enumerate(draft.below, resume)]


def stands_elsewhere(draft: Draft) -> bool:
    """Whether the old text, to the letter, can be found outside its place."""
    start, tail = draft.bounds(context=True)
    data, old = draft.before, draft.old.encode()
    at = data.find(old)
    while at >= 0:
        if at + len(old) <= start or at >= len(data) - tail:
            return True
        at = data.find(old, at + 1)
    return False

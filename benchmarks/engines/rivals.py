"""rivals.py: whether an edit, as it was written, could as well mean another place of its file."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import lru_cache

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft

TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2026": "...",
        "\u00a0": " ",
        "\u200b": "",
        "\ufeff": "",
    }
)

SHIFTS = 3


@lru_cache(maxsize=200_000)
def folded(line: str) -> str:
    """A line without blanks and typography."""
    plain = unicodedata.normalize("NFKC", line.translate(TYPOGRAPHY))
    return "".join(plain.split())


def matching_rows(draft: Draft) -> int:
    """How many rows that say something the edit has right, up to blanks and typography."""
    kinds = KEPT if draft.applied else KEPT + GONE
    return sum(
        1
        for row in draft.rows
        if row.kind in kinds
        and row.said is not None
        and row.real is not None
        and folded(row.said)
        and folded(row.said) == folded(row.real)
    )


def has_rival(draft: Draft) -> bool:
    """Whether some other place has every removed line, and as much of the rest as the right one."""
    needed = sum(1 for text, kind in _asked(draft) if kind == GONE)
    best = matching_rows(draft)
    return any(votes >= best and removed >= needed for votes, removed in _votes(draft))


def means_elsewhere(draft: Draft) -> bool:
    """Whether another place has all that the edit says, up to blanks, and its own has not."""
    asked = len(_asked(draft))
    is_right_here = matching_rows(draft) >= asked
    return not is_right_here and any(votes >= asked for votes, _ in _votes(draft))


def _asked(draft: Draft) -> list[tuple[str, str]]:
    """What the old text says, line by line, without the blank ones."""
    return [(text, kind) for text, kind in _said(draft) if text]


def _said(draft: Draft) -> list[tuple[str, str]]:
    rows = [row for row in draft.rows if row.kind != ADDED and row.said is not None]
    return [(folded(row.said or ""), row.kind) for row in rows]


def _votes(draft: Draft) -> list[tuple[int, int]]:
    """For every other place how many lines it has of the old text, and of the removed ones.

    Lines vote for the place that they would belong to, so time grows with the file. A place
    may have a few lines more or less than the old text.
    """
    said = _said(draft)
    asked = defaultdict(list)
    for index, (text, _) in enumerate(said):
        if text:
            asked[text].append(index)
    voters: dict[int, set[int]] = defaultdict(set)
    for number, line in _elsewhere(draft):
        for index in asked.get(folded(line), ()):
            voters[number - index].add(index)
    near = [set().union(*(voters.get(at + k, ()) for k in range(SHIFTS))) for at in [*voters]]
    return [(len(found), sum(said[i][1] == GONE for i in found)) for found in near]


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

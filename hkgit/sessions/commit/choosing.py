"""choosing.py: choose the journalled edits that are in what is staged.

Most often that is all of them. Where the staged files differ (only a part was staged, a person
went on editing, the edits belong to another branch), an edit is left out if the files without it
are nearer to what is staged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hkgit.edits import File
from hkgit.text.diff import find_common
from hkgit.text.document import split_raw

Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""With more edits of one file, all are taken to be staged, instead of trying each."""

_COMPARED = 2**18
"""Up to so many bytes are compared byte by byte; longer files line by line."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    effective: Sequence[Item] | None = None,
) -> list[Item]:
    """Choose the edits whose result is nearest to what is staged; `make` gives the files they make.

    `effective` are the edits that nobody is known to have taken back; where they alone give what is
    staged, they are chosen.
    """
    if effective is not None and len(effective) < len(items):
        kept, apart = _nearest(effective, make, staged)
        others, nearer = _nearest(items, make, staged) if apart else (kept, apart)
        return others if nearer < apart else kept
    return _nearest(items, make, staged)[0]


def _nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last first, as long as the result comes nearer; return its distance."""
    kept = list(items)
    nearest = _apart(make(kept), staged)
    for item in reversed(items):
        if nearest == 0 or len(items) > TRIED:
            break
        fewer = [each for each in kept if each is not item]
        apart = _apart(make(fewer), staged, nearest)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _apart(left: Contents, right: Contents, limit: int | None = None) -> int:
    return sum(measure_distance(*pair, limit) for pair in zip(left, right, strict=True))


def measure_distance(left: File | None, right: File | None, limit: int | None = None) -> int:
    """Measure how far two files are apart: bytes to remove or add, and one for another mode.

    A file that is not there is equally far from every file: no edit of lines removes one. What is
    more than `limit` is not told exactly.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    return _bytes_apart(left.data, right.data, limit) + (left.mode != right.mode)


def _bytes_apart(left: bytes, right: bytes, limit: int | None) -> int:
    if left == right:
        return 0
    a, b = split_raw(left), split_raw(right)
    while a and b and a[-1] == b[-1]:
        a.pop()
        b.pop()
    heads = enumerate(zip(a, b, strict=False))
    head = next((at for at, (x, y) in heads if x != y), min(len(a), len(b)))
    a, b = a[head:], b[head:]
    size = sum(map(len, a)) + sum(map(len, b))
    if size <= _COMPARED:
        from rapidfuzz.distance import Indel

        return int(Indel.distance(b"".join(a), b"".join(b), score_cutoff=limit))
    return size - 2 * sum(len(a[at]) for at, _ in find_common(a, b))

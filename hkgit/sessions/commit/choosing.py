"""choosing.py: which journalled edits are in what is staged.

All of them, most often. Where the staged files are others (a part was staged, a person went on
editing, the edits belong to another branch), an edit is left out if the files without it are
nearer to what is staged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hkgit.edits import File
from hkgit.text.diff import common
from hkgit.text.document import split_raw

Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""So many edits of one file are tried one by one; of more, all are taken to be staged."""

_COMPARED = 2**18
"""So many bytes are compared letter by letter; more of them line by line."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    standing: Sequence[Item] | None = None,
) -> list[Item]:
    """The edits whose result is nearest to what is staged; `make` gives the files they make.

    Of `standing` nobody is known to have taken one back; where these come to what is staged, the
    others are left out.
    """
    if standing is not None and len(standing) < len(items):
        kept, apart = _nearest(standing, make, staged)
        others, nearer = _nearest(items, make, staged) if apart else (kept, apart)
        return others if nearer < apart else kept
    return _nearest(items, make, staged)[0]


def _nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last one first, as long as that comes nearer; and how near it came."""
    kept = list(items)
    nearest = _apart(make(kept), staged)
    for item in reversed(items):
        if nearest == 0 or len(items) > TRIED:
            break
        fewer = [each for each in kept if each is not item]
        apart = _apart(make(fewer), staged)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _apart(left: Contents, right: Contents) -> int:
    return sum(map(distance, left, right))


def distance(left: File | None, right: File | None) -> int:
    """How far two files are apart: bytes to take out or put in, and one for another mode.

    All files are as far from one that is not there: no edit of its lines makes it go.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    return _bytes_apart(left.data, right.data) + (left.mode != right.mode)


def _bytes_apart(left: bytes, right: bytes) -> int:
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

        return int(Indel.distance(b"".join(a), b"".join(b)))
    return size - 2 * sum(len(a[at]) for at, _ in common(a, b))

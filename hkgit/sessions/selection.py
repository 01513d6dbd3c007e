"""Which recorded edits a commit takes.

Most often that is all of them. Where the staged files differ (only a part was staged, a person
went on editing, the edits belong to another branch), an edit is left out if the files without it
are nearer to what is staged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hkgit.edits import File
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw

Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""With more edits, all are taken to be staged, instead of trying each."""

_COMPARED = 2**18
"""Up to so many bytes are compared byte by byte; of more all are counted."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    effective: Sequence[Item],
) -> list[Item]:
    """Choose the edits whose result is nearest to what is staged; `make` gives the files they make.

    `effective` are the edits that nobody is known to have taken back; where they alone give what is
    staged, they are chosen.
    """
    kept, apart = _find_nearest(effective, make, staged)
    if apart and len(effective) < len(items):
        others, nearer = _find_nearest(items, make, staged)
        return others if nearer < apart else kept
    return kept


def _find_nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last first, as long as the result comes nearer; return its distance."""
    kept = list(items)
    nearest = _measure(make(kept), staged)
    for item in reversed(items if len(items) <= TRIED else ()):
        if nearest == 0:
            break
        fewer = [each for each in kept if each is not item]
        apart = _measure(make(fewer), staged)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _measure(left: Contents, right: Contents) -> int:
    return sum(map(measure_distance, left, right))


def measure_distance(left: File | None, right: File | None) -> int:
    """Measure how far two files are apart: bytes to remove or add, and one for another mode.

    A file that is not there is equally far from every file: no edit of lines removes one.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    if left.data == right.data:
        return int(left.mode != right.mode)
    from rapidfuzz.distance import Indel

    old, new = split_raw(left.data), split_raw(right.data)
    apart = int(left.mode != right.mode)
    for change in find_changes(old, new):
        gone = b"".join(old[change.old_start : change.old_end])
        came = b"".join(new[change.new_start : change.new_end])
        size = len(gone) + len(came)
        apart += int(Indel.distance(gone, came)) if size <= _COMPARED else size
    return apart

"""whitespace.py: the tier that wants the same text, however its blanks are set."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from hkgit.matching.exact import LIMIT
from hkgit.matching.lines import View, Wanted, occurrences
from hkgit.matching.places import Place


def whitespace(view: View, wanted: Wanted) -> tuple[Place, ...]:
    """Whole lines that are the old lines but for blanks, blank lines and line ends."""
    return squeezed_places(view, view.squeezed, wanted.squeezed)


def squeezed_places(
    view: View, lines: list[bytes] | tuple[bytes, ...], old: tuple[bytes, ...]
) -> tuple[Place, ...]:
    """Where the lines of `old` follow each other in `lines`, blank ones left out of both."""
    needle = [line for line in old if line]
    if not needle:
        return ()
    numbers = [number for number, line in enumerate(lines) if line]
    text = b"".join(b"\n" + lines[number] for number in numbers) + b"\n"
    hits = occurrences(text, b"\n" + b"\n".join(needle) + b"\n", LIMIT)
    if not hits:
        return ()
    starts = list(accumulate((len(lines[number]) + 1 for number in numbers), initial=0))
    firsts = [bisect_left(starts, hit) for hit in hits]
    return tuple(
        line_place(view, numbers[first], numbers[first + len(needle) - 1]) for first in firsts
    )


def line_place(view: View, first: int, last: int, similarity: int = 1000) -> Place:
    """The place of lines `first..last`, counted from 0."""
    offsets = view.document.offsets
    return Place(offsets[first], offsets[last + 1], similarity)

"""tokens.py: make an author's change inside a line in the file's spelling of that line.

A line is words, each with the blanks before it. Words are compared without them, so that a change
of blanks and a change of words right beside it stay two changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.edits import decode_text, encode_text
from hkgit.text.diff import LineChange, find_changes
from hkgit.values import late_pattern, replace

Word = tuple[str, str]
"""Blanks, and what stands after them."""

WORD = late_pattern("(\\s*)([\\w\u0300-\u036f]+|\\S)")


def merge_line(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Write `theirs`, with what it has in common with `base` spelt as in `ours`.

    `base` and `ours` differ in blanks and typography at most, so where both sides changed the
    same word, or the blanks before it, the author's are taken.
    """
    old, mine, author = map(_split_words, (base, ours, theirs))
    wanted = _changes(old, author)
    spelt = _spelt(old, mine, wanted)
    kept = _find_kept_words(len(old), wanted)
    # New words come in place of the blanks before the word that they replace or precede.
    near = kept | {c.new_start: c.old_start for c in wanted if c.new_start < c.new_end}
    merged: list[str] = []
    for number, (blanks, word) in enumerate(author):
        row = near.get(number)
        is_same = row is not None and blanks == old[row][0]
        merged.append(spelt[row][0] if row is not None and is_same else blanks)
        merged.append(spelt[kept[number]][1] if number in kept else word)
    return encode_text("".join(merged))


def _split_words(line: bytes) -> list[Word]:
    """The words of a line; the last one is the empty one at its end."""
    text = decode_text(line)
    return [*WORD.findall(text), (text[len(text.rstrip()) :], "")]


def _changes(old: Sequence[Word], new: Sequence[Word]) -> tuple[LineChange, ...]:
    return find_changes([word for _, word in old], [word for _, word in new])


def _find_kept_words(count: int, wanted: Sequence[LineChange]) -> dict[int, int]:
    """Find which of `count` old words each of the author's words is, if it is one."""
    kept: dict[int, int] = {}
    row = shift = 0
    for change in (*wanted, LineChange(count, count, 0, 0)):
        kept |= {i + shift: i for i in range(row, change.old_start)}
        row, shift = change.old_end, change.new_end - change.old_end
    return kept


def _spelt(old: Sequence[Word], mine: Sequence[Word], wanted: Sequence[LineChange]) -> list[Word]:
    """The old words as the file spells them, but for those that the author changed.

    Of several words that the file has as another number of words, the first stands for all.
    """
    spelt = list(old)
    differ = [_hold_word(change) for change in _changes(old, mine)]
    for number, row in _find_kept_words(len(old), differ).items():
        spelt[row] = mine[number]
    for change in differ:
        if any(_overlap(change, each) for each in wanted):
            continue
        here = mine[change.new_start : change.new_end]
        text = "".join(blanks + word for blanks, word in here)
        rows = range(change.old_start, change.old_end)
        first = here[0][0] if here else ""
        spelt[rows.start : rows.stop] = [(first, text[len(first) :])] + [("", "")] * (len(rows) - 1)
    return spelt


def _hold_word(change: LineChange) -> LineChange:
    """A change that has an old word: what only the file has belongs to the word after it."""
    if change.old_start < change.old_end:
        return change
    return replace(change, old_end=change.old_end + 1, new_end=change.new_end + 1)


def _overlap(change: LineChange, other: LineChange) -> bool:
    return change.old_start < other.old_end and other.old_start < change.old_end

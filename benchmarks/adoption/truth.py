"""truth.py: who wrote each line of a file, followed edit by edit from texts that are all known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

BASE, HAND = -1, -2
"""Authors that are no edit: the commit before, and somebody whom no transcript knows."""


@dataclass
class LineTruth:
    """Who wrote a line, and who has written it again as it was since."""

    text: str
    author: int = BASE
    again: set[int] = field(default_factory=set)


FileTruth = list[LineTruth]


def start_truth(text: str) -> FileTruth:
    """The lines of a file before any edit."""
    return [LineTruth(line) for line in split_text(text)]


def split_text(text: str) -> list[str]:
    """The lines of a text without their ends."""
    return text.removesuffix("\n").split("\n") if text else []


def take_edit(
    truth: FileTruth, before: str, after: str, edit: tuple[str, bool], who: int
) -> FileTruth:
    """The truth after a text was replaced, in one place or all; other lines stay as they are."""
    old, is_all = edit
    places = [*_places(before, old, is_all=is_all)]
    if before == "" or not places:
        return take_change(truth, after, who)
    # Of all places, the stretch from the first to the last is compared line by line.
    first = before.count("\n", 0, places[0])
    last = before.count("\n", 0, places[-1] + len(old) - old.endswith("\n"))
    tail = len(split_text(before)) - last - 1
    lines = split_text(after)
    end = len(lines) - max(tail, 0)
    middle = _take_middle(truth[first : last + 1], lines[first:end], who, replaced=True)
    return [*truth[:first], *middle, *(truth[-tail:] if tail > 0 else [])]


def take_change(truth: FileTruth, after: str, who: int) -> FileTruth:
    """The truth after a change of which only the result is known: lines that stay are whose."""
    return _take_middle(truth, split_text(after), who, replaced=False)


def bring_back(truth: FileTruth, earlier: Sequence[FileTruth], by: int) -> FileTruth:
    """The truth of a change by hand where lines of earlier versions have come back.

    People check out other branches, and drop a change and take it up again: the lines are theirs
    who wrote them.
    """
    result = [*truth]
    for past in earlier:
        matcher = SequenceMatcher(
            None, [line.text for line in past], [line.text for line in truth], autojunk=False
        )
        for i, j, size in matcher.get_matching_blocks():
            for step in range(size):
                if result[j + step].author == by and past[i + step].author >= 0:
                    result[j + step] = past[i + step]
    return result


def _take_middle(old: FileTruth, new: Sequence[str], who: int, *, replaced: bool) -> FileTruth:
    matcher = SequenceMatcher(None, [line.text for line in old], new, autojunk=False)
    made = [LineTruth(text, who) for text in new]
    for i, j, size in matcher.get_matching_blocks():
        for step in range(size):
            kept = old[i + step]
            again = kept.again | {who} if replaced else kept.again
            made[j + step] = LineTruth(kept.text, kept.author, again)
    return made


def _places(text: str, old: str, *, is_all: bool) -> Iterator[int]:
    place = text.find(old) if old else -1
    while place >= 0:
        yield place
        place = text.find(old, place + len(old)) if is_all else -1

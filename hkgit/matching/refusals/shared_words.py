"""shared_words.py: find lines like those of an edit by the rarest words that both have.

For refusals of an edit of which no line stands in the file as it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from hkgit.matching.lines import EditLines, FileLines, find_occurrences, list_keys, make_key
from hkgit.matching.places import Place
from hkgit.matching.search.align import align
from hkgit.matching.search.candidates import judge_alignment
from hkgit.matching.search.similar import measure_similarity
from hkgit.values import late_pattern

WORD = late_pattern(rb"[\w\x80-\xff]+")
LONG = 3
"""A word of fewer letters says nothing as a part of another one."""

MOST_WORDS = 8
MOST_LINES = 50


def find_by_words(view: FileLines, wanted: EditLines, most: int) -> tuple[Place, ...]:
    """Find the places around the lines that are most like one of the old lines, `most` at most."""
    best, found = 0, dict[int, int]()
    for row, near in _pair_by_words(view, wanted, most):
        alike = measure_similarity(make_key(wanted.old_lines[row]), make_key(view.lines[near]))
        if alike > best:
            best, found = alike, {}
        if best and alike == best:
            found.setdefault(near, row)
    nearest = sorted(found.items())[:most]
    return tuple(_around(view, wanted, row, near) for near, row in nearest)


def _pair_by_words(view: FileLines, wanted: EditLines, most: int) -> Iterator[tuple[int, int]]:
    """Each old line and line of the file with one of the longest words in both, from 0."""
    words = sorted(set(WORD.findall(wanted.old)), key=lambda word: (-len(word), word))
    for word in words[:MOST_WORDS] if view.lines else ():
        rows = [row for row, line in enumerate(wanted.old_lines) if word in line]
        for start in _find_word(view.document.data, word):
            near = view.document.line_at(start) - 1
            yield from ((row, near) for row in rows[:most])


def _find_word(data: bytes, word: bytes) -> list[int]:
    """Find where a word begins; a long one also as a part of another."""
    if len(word) >= LONG:
        return find_occurrences(data, word, MOST_LINES)
    found = re.finditer(rb"(?<![\w\x80-\xff])%s(?![\w\x80-\xff])" % word, data)
    return [match.start() for match in islice(found, MOST_LINES)]


def _around(view: FileLines, wanted: EditLines, row: int, near: int) -> Place:
    """The candidate in which old line `row` is line `near` of the file, both counted from 0."""
    lines, old = list_keys(view, wanted)
    first = max(near - row, 0)
    above = align(old[:row], lines[first:near], first)
    below = align(old[row + 1 :], lines[near + 1 : near + len(old) - row], near + 1)
    return judge_alignment(view, wanted, (*above, near, *below))

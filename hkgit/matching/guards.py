"""guards.py: what no edit may write, because nobody means it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from hkgit.document import Document
from hkgit.errors import InvalidInput
from hkgit.matching.diff import changes
from hkgit.matching.exact import is_whole
from hkgit.matching.lines import DOTS, View, Wanted, indent_of, is_telling, key_of
from hkgit.matching.places import Place

_MARKER = (
    rb"<{5,9} ?(?:SEARCH|HEAD|ORIGINAL)\b.*|>{5,9} ?(?:REPLACE|UPDATED)\b.*"
    rb"|-{5,9} SEARCH>?|\+{5,9} REPLACE"
    rb"|\*\*\* (?:Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File: .*)"
    rb"|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*"
)
"""Lines of the notations that edits are written in."""

_MARKS = (b"<<<<<", b">>>>>", b"-----", b"+++++", b"***", b"@@")
"""What every one of them begins with."""

_LEAD = rb"(?:#+|//+|/\*+|<!--|\{/\*|--+|;+|%+|\"\"\"|'''|\*)?\s*"
_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_KEPT = (
    rb"(?:existing|rest|remaining|remainder|unchanged|same|previous|other|original|omitted|keep"
    rb"|code|everything else)"
)
_THING = (
    rb"(?:code|file|functions?|methods?|class|body|implementation|contents?|lines|logic|imports"
    rb"|tests|cases|fields|module|it)"
)
_STAYS = (
    rb"(?:(?:is|are|remains?|stays?|goes|continues|kept|the|same|unchanged|as|before|is|here|above"
    rb"|below|omitted|for brevity|identical)[ ,]*)"
)
_WHICH = rb"(?: of)?(?: (?:the|this|your|all))?(?: existing)?(?: " + _THING + rb")?"
_TAIL = rb"\s*(?:\*/\}?|-->|\"\"\"|''')?"
_PLACEHOLDER = (
    _LEAD
    + rb"(?:"
    + _DOTS + rb"\s*[(\[]?(?:the |keep )?" + _KEPT + _WHICH + rb"[ ,:]*" + _STAYS + rb"*[)\]]?\s*"
    + _DOTS + rb"?"
    + rb"|[(\[]?(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:existing )?" + _THING
    + rb"[ ,:]*" + _STAYS + rb"*[)\]]?[.]*"
    + rb"|[(\[]?(?:the )?(?:existing|unchanged|previous|remaining|other) " + _THING
    + rb"[ ,:]*" + _STAYS + rb"+[)\]]?[.]*"
    + rb")"
    + _TAIL
)
"""Remarks that stand for code which the author did not write out."""

_TELLTALES = (
    b"existing", b"rest", b"remain", b"unchanged", b"same", b"previous", b"other", b"original",
    b"omitted", b"keep", b"code", b"everything else",
)  # fmt: skip
"""Words of which every one of them has one."""

PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
"""Names of files in which a fence may stand around all there is."""

BODY_BEGINS = (b":", b'"""', b"'''")
"""How a line ends below which three dots may be the body of a function."""

_NUMBERED = re.compile(rb"\s*(\d{1,7})(?:\s*\||\xe2\x86\x92|\t)")


def is_marker(line: bytes) -> bool:
    """Whether a line, without blanks at its ends, is of a notation that edits are written in."""
    return line.startswith(_MARKS) and _pattern(_MARKER).fullmatch(line) is not None


def is_placeholder(line: bytes) -> bool:
    """Whether a line, without blanks at its ends, stands for code that was not written out."""
    said = line.lower()
    return any(word in said for word in _TELLTALES) and (
        _pattern(_PLACEHOLDER).fullmatch(line) is not None
    )


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Compiled when it is needed: that takes as long as many an edit."""
    return re.compile(pattern, re.IGNORECASE if pattern is _PLACEHOLDER else 0)


def check(view: View, wanted: Wanted, path: str) -> None:
    """Raise InvalidInput where new text would leave marks of its notation in the file."""
    check_lines(view.document.data, wanted.old_lines, wanted.new_lines, path)
    if _elides(wanted):
        raise InvalidInput(
            path,
            "the new text has '...' where the old one has lines",
            "Write the lines out, or put ... in the same places of the old text.",
        )


def check_lines(data: bytes, old: Sequence[bytes], new: Sequence[bytes], path: str) -> None:
    """The same for lines of a file, `data`, that give way to others."""
    known = {line.strip() for line in old}
    for line in (line.strip() for line in new):
        if line not in known:
            _check_marker(data, line, path)
            _check_placeholder(data, line, path)
    _check_numbers(old, new, path)


def check_whole(before: Document | None, after: Document, path: str) -> None:
    """The same for the text of a whole file, over what was there, if anything was.

    A text about such notations has their marks inside; those that leak stand at its ends.
    """
    data = b"" if before is None else before.data
    says = [line.strip() for line in after.lines if line.strip()]
    for line in (*says[:1], *says[-1:]):
        _check_marker(data, line, path)
    if _is_fenced(says) and not path.lower().endswith(PROSE) and b"```" not in data:
        raise InvalidInput(
            path, "the whole text stands in a fence", "Write the text without the fence."
        )
    if before is not None and before.lines:
        _check_rewritten(before, after, path)


def _check_rewritten(before: Document, after: Document, path: str) -> None:
    """Raise InvalidInput where a remark takes the place of lines, or all lines are numbered."""
    if any(is_placeholder(line.strip()) for line in after.lines):
        replaced = (c for c in changes(before.lines, after.lines) if c.old_start < c.old_end)
        for line in (line for c in replaced for line in after.lines[c.new_start : c.new_end]):
            _check_placeholder(before.data, line.strip(), path)
    _check_numbers(before.lines, after.lines, path)


def _elides(wanted: Wanted) -> bool:
    """Whether lines are removed, and three dots written that stand for nothing in the old text.

    As the whole body of a function they are code.
    """
    lines = [line for line in wanted.new_lines if line.strip()]
    dots = [i for i, line in enumerate(lines) if line.strip() in DOTS]
    if not dots or any(line.strip() in DOTS for line in wanted.old_lines):
        return False
    removes = any(is_telling(key_of(wanted.old_lines[i])) for i in wanted.removed)
    return removes and not all(_is_body(lines, i) for i in dots)


def _is_body(lines: Sequence[bytes], row: int) -> bool:
    """Whether a line is all of a block: below what opens one, and nothing as deep below it."""
    opens = row > 0 and lines[row - 1].rstrip().endswith(BODY_BEGINS)
    below = lines[row + 1 : row + 2]
    return opens and all(len(indent_of(line)) < len(indent_of(lines[row])) for line in below)


def doubled(view: View, wanted: Wanted, place: Place) -> tuple[str, ...]:
    """Notes on new lines at an end of the place that repeat the line beyond it.

    That may be meant; more often the author took the line for one of the replaced ones.
    """
    if not is_whole(view.document, place):
        return ()
    first, last = view.document.lines_of(place.start, place.end)
    told = view.document.told
    notes = []
    for change in wanted.changes:
        added = wanted.new_lines[change.new_start : change.new_end]
        is_top, is_bottom = change.old_start == 0, change.old_end == len(wanted.old_lines)
        if added and is_top and _repeats(view, added[0], first - 1):
            notes.append(f"the first new line repeats line {told(first - 1)}")
        if added and is_bottom and _repeats(view, added[-1], last + 1):
            notes.append(f"the last new line repeats line {told(last + 1)}")
    return tuple(notes)


def _repeats(view: View, line: bytes, number: int) -> bool:
    """Whether a line says something, and the same as line `number` of the file."""
    is_there = 1 <= number <= len(view.lines)
    return is_there and is_telling(key_of(line)) and key_of(line) == key_of(view.lines[number - 1])


def _check_marker(data: bytes, line: bytes, path: str) -> None:
    if is_marker(line) and line not in data:
        raise InvalidInput(
            path,
            f"the new text has the marker {_shown(line)} of an edit notation in it",
            "Close the edit before the marker, so that it is not taken for text.",
        )


def _check_placeholder(data: bytes, line: bytes, path: str) -> None:
    if is_placeholder(line) and line not in data:
        raise InvalidInput(
            path,
            f"the new text has {_shown(line)} in the place of code",
            "Write the code out, or edit only the lines that change.",
        )


def _shown(line: bytes) -> str:
    return repr(line[:80].decode("utf-8", "replace"))


def _check_numbers(old: Sequence[bytes], new: Sequence[bytes], path: str) -> None:
    if _are_numbered(new) and not _are_numbered(old):
        raise InvalidInput(
            path,
            "every line of the new text begins with a line number",
            "Write the lines as they should stand in the file, without numbers.",
        )


def _is_fenced(lines: Sequence[bytes]) -> bool:
    """Whether one fence stands around all lines that say anything."""
    fences = [i for i, line in enumerate(lines) if line.startswith(b"```")]
    return fences == [0, len(lines) - 1] and lines[-1] == b"```"


def _are_numbered(lines: Sequence[bytes]) -> bool:
    """Whether there are several lines, each with the number after that of the line above."""
    marks = [_NUMBERED.match(line) for line in lines]
    numbers = [int(mark[1]) for mark in marks if mark is not None]
    is_all = len(numbers) == len(lines) >= 2
    return is_all and numbers == list(range(numbers[0], numbers[0] + len(lines)))

"""Slips of notation, undone in both texts of an edit.

Only the numbers of counted lines are taken from a text. A new line without one is the author's
own and stays as it is written.

A repair is tried only where the text as written is nowhere in the file. It answers None where
there is nothing to undo.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from hkgit.matching.words import fold_typed

Texts = tuple[bytes, bytes]
Mark = re.Match[bytes]

_NUMBERED = re.compile(
    rb"[ \t]*L?(\d{1,7})"
    rb"(?:(?P<bare>[ \t]*(?=\r?\Z))|(?P<mark> *\t| *\|| *\xe2\x86\x92|[:)-]| ))"
)
"""What `cat -n`, `nl`, `grep -n` and the reading tools of agents put before a line."""


def _strip_numbers(old: bytes, new: bytes, *, is_spaced: bool = False) -> Texts | None:
    """A reading tool put a number before each line, and a space behind it where `is_spaced`.

    At times only the old lines have them. None too where those of the new lines can be read in two
    ways. Behind whitespace alone it has to be shown how many are the tool's where the new lines
    have no numbers: by an old line that is a new one too.
    """
    found = _find_numbers(old, new)
    if found is None:
        return None
    texts = []
    for text, marks in zip((old, new), found[:2], strict=True):
        lines = []
        for line, mark in zip(_lines(text), marks, strict=True):
            rest = line if mark is None else line[mark.end() :]
            if is_spaced and mark is not None:
                if rest and not rest.startswith(b" "):
                    return None
                rest = rest[1:]
            lines.append(rest)
        texts.append(b"\n".join(lines) + b"\n" * text.endswith(b"\n"))
    plain, rest = texts
    is_shown = any(map(bytes.strip, {*_lines(plain)} & {*_lines(rest)}))
    is_sure = is_shown or any(found[1]) or found[2] != b" " or not new
    return (plain, rest) if is_sure else None


def _find_numbers(
    old: bytes, new: bytes
) -> tuple[list[Mark | None], list[Mark | None], bytes] | None:
    """Find the number of each line of both texts, and what is between numbers and lines.

    All old lines have one, up to the blank ones. None where there are none, or where it cannot be
    told which of the new lines have one.
    """
    lines, new_lines = _lines(old), _lines(new)
    marks = [_NUMBERED.match(line) for line in lines]
    numbers = [(row, int(mark[1])) for row, mark in enumerate(marks) if mark is not None]
    kinds = {_kind(mark) for mark in marks if mark is not None} - {b""}
    if len(kinds) != 1 or not _are_all(lines, marks) or not _go_up(numbers):
        return None
    [kind] = kinds
    near = range(numbers[0][1], numbers[-1][1] + len(new_lines))
    # Only behind whitespace alone does a tool that cuts them off leave a bare number.
    known = (kind, b"") if kind in (b" ", b"\t") else (kind,)
    own = [_NUMBERED.match(line) for line in new_lines]
    own = [mark if mark and _kind(mark) in known and int(mark[1]) in near else None for mark in own]
    is_all = _are_all(new_lines, own)
    if not is_all:
        # Between lines without a number a bare one is text, unless it is quoted too.
        pairs = zip(new_lines, own, strict=True)
        own = [mark if mark and (_kind(mark) or line in lines) else None for line, mark in pairs]
    counted = [int(mark[1]) for mark in own if mark is not None]
    if counted and not any(mark and _kind(mark) for mark in own) and counted[0] != near.start:
        own, counted = [None] * len(own), []
    is_read = counted == sorted(counted) and (is_all or not counted or kind != b" ")
    return (marks, own, kind) if is_read else None


def _kind(mark: Mark) -> bytes:
    """What is between a number and its line; nothing where the line is blank."""
    return b"" if mark["mark"] is None else mark["mark"].strip(b" ") or b" "


def _are_all(lines: Sequence[bytes], marks: Sequence[Mark | None]) -> bool:
    """Whether every line that is not blank has a number."""
    return all(mark or not line.strip() for mark, line in zip(marks, lines, strict=True))


def _go_up(numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether the numbers of some rows count all lines, or all that are not blank."""
    first_row, first = numbers[0]
    by_row = all(number - first == row - first_row for row, number in numbers)
    return by_row or all(number - first == at for at, (_, number) in enumerate(numbers))


def _lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n")


Repair = Callable[[bytes, bytes], Texts | None]

_FENCE = re.compile(rb"\A\s*(`{3,}|~{3,})[\w+-]*[ \t]*\r?\n((?:.*?\n)?)\1[ \t]*\r?\n?\Z", re.DOTALL)
_ENTITIES = {
    b"lt": b"<",
    b"gt": b">",
    b"amp": b"&",
    b"quot": b'"',
    b"apos": b"'",
    b"#39": b"'",
    b"#x27": b"'",
    b"#34": b'"',
    b"#x22": b'"',
}
_ENTITY = re.compile(rb"&(lt|gt|amp|quot|apos|#39|#x27|#34|#x22);")
_LEADING_TABS = re.compile(rb"^(?:[ \t]|\\t)*?\\t(?:[ \t]|\\t)*", re.MULTILINE)
_LINE_FEEDS_AND_TABS = re.compile(rb"\\r\\n|\\n|\\t")
_TRIPLE = re.compile(rb"\"{3}|'{3}")

_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"'": b"'", b"\\": b"\\", b"/": b"/"}


def _replace_in(
    pattern: re.Pattern[bytes], text_of: Callable[[Mark], bytes], old: bytes, new: bytes
) -> Texts:
    """Replace what a pattern finds in both texts."""
    return pattern.sub(text_of, old), pattern.sub(text_of, new)


def _fence(old: bytes, new: bytes) -> Texts | None:
    """Both texts were pasted with the fence around them; the new one may be without."""
    found = _FENCE.match(old)
    if found is None:
        return None
    inner = _FENCE.match(new)
    is_fenced = inner is not None and inner[1] == found[1]
    return found[2], inner[2] if inner is not None and is_fenced else new


def _escapes(old: bytes, new: bytes) -> Texts | None:
    """Line feeds, tabs, quotes and backslashes arrived as they are in a JSON string."""
    if b"\\" not in old or b"\n" in old.strip() or not _is_uniform(b'"', old + new):
        return None
    return _replace_in(_ESCAPE, lambda m: _ESCAPES.get(m[1], m[0]), old, new)


def _is_uniform(quote: bytes, text: bytes) -> bool:
    """Whether every such quote has a backslash before it."""
    return text.count(quote) == text.count(b"\\" + quote)


def _quotes(old: bytes, new: bytes) -> Texts | None:
    """Only the quotes arrived with a backslash before them, and all of them did."""
    for quote in (b'"', b"'", b"`", b"${"):
        if b"\\" + quote in old and _is_uniform(quote, old + new):
            old, new = (text.replace(b"\\" + quote, quote) for text in (old, new))
    return old, new


def _newlines(old: bytes, new: bytes) -> Texts | None:
    """Only line feeds and tabs arrived as escapes, and quotes did not."""
    if b"\\n" not in old or b"\n" in old.strip() or _may_be_inside(old + new):
        return None
    if b'\\"' in old + new and _is_uniform(b'"', old + new):
        return None
    return _replace_in(_LINE_FEEDS_AND_TABS, lambda m: _ESCAPES[m[0][-1:]], old, new)


def _may_be_inside(text: bytes) -> bool:
    """Whether an escaped line feed may as well be at the end of a string of the source."""
    lines = _TRIPLE.sub(b"", text).split(b"\\n")
    return any(
        line.count(quote) % 2 and below.startswith(quote)
        for line, below in pairwise(lines)
        for quote in (b'"', b"'")
    )


def _tabs(old: bytes, new: bytes) -> Texts | None:
    """Only the tabs that indent lines arrived as escapes."""
    if not _LEADING_TABS.search(old):
        return None
    return _replace_in(_LEADING_TABS, lambda m: m[0].replace(b"\\t", b"\t"), old, new)


def _backslashes(old: bytes, new: bytes) -> Texts | None:
    """Every backslash arrived as two of them."""
    runs = re.findall(rb"\\+", old + b"\n" + new)
    if b"\\" not in old or any(len(run) % 2 for run in runs):
        return None
    return old.replace(b"\\\\", b"\\"), new.replace(b"\\\\", b"\\")


def _entities(old: bytes, new: bytes) -> Texts | None:
    """Angle brackets, ampersands and quotes arrived as entities."""
    if b"&" not in old:
        return None
    return _replace_in(_ENTITY, lambda m: _ENTITIES[m[1]], old, new)


def _typography(old: bytes, new: bytes) -> Texts | None:
    """Curly quotes, dashes and characters that nobody sees came in with a copy."""
    return None if old.isascii() else (fold_typed(old, old), fold_typed(new, old))


REPAIRS: dict[str, Repair] = {
    "backslashes": _backslashes,
    "fence": _fence,
    "line-numbers": _strip_numbers,
    "spaced-line-numbers": partial(_strip_numbers, is_spaced=True),
    "escapes": _escapes,
    "quotes": _quotes,
    "newlines": _newlines,
    "tabs": _tabs,
    "entities": _entities,
    "typography": _typography,
}
"""Every repair by the name that a record of it carries."""

_ALONE = (
    "backslashes fence line-numbers spaced-line-numbers newlines tabs quotes escapes entities"
    " typography"
)
_TOGETHER = (
    "backslashes+line-numbers fence+line-numbers fence+spaced-line-numbers fence+quotes"
    " escapes+line-numbers newlines+line-numbers escapes+spaced-line-numbers"
    " newlines+spaced-line-numbers"
)
READINGS = tuple(tuple(names.split("+")) for names in f"{_ALONE} {_TOGETHER}".split())
"""The repairs that are tried, alone and together."""


def repair_texts(name: str, old: bytes, new: bytes) -> Texts:
    """Apply one repair of the table to both texts."""
    return REPAIRS[name](old, new) or (old, new)

"""A file as lines without losing a byte, and the hash of a range of them."""

import hashlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.text.document import BOM, Document, range_hash, terminate, unterminate
from tests.support.cases import cases
from tests.support.properties import examples

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

FILES = st.lists(
    st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\f", BOM, "é".encode(), b"\xff", b"\0"])
).map(b"".join)


def hash_by_contract(data: bytes, start: int, end: int) -> str:
    """Section 2 of the contract, word by word, on its own."""
    data = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    *ended, rest = data.split(b"\n")
    lines = [line[:-1] if line[-1:] == b"\r" else line for line in ended] + ([rest] * bool(rest))
    text = b"\n".join(lines[start - 1 : end])
    return hashlib.sha256(text + b"\n" if start <= end else b"").hexdigest()


@cases(
    {
        "an empty file has no line": (b"", ()),
        "one empty line": (b"\n", (b"",)),
        "two lines": (b"a\nb\n", (b"a", b"b")),
        "no final newline": (b"a\nb", (b"a", b"b")),
        "CRLF": (b"a\r\nb\r\n", (b"a", b"b")),
        "mixed ends": (b"a\r\nb\nc\r\n", (b"a", b"b", b"c")),
        "one carriage return belongs to the end": (b"a\r\r\n", (b"a\r",)),
        "a lone carriage return is text": (b"a\rb\n", (b"a\rb",)),
        "also at the end of the file": (b"a\r", (b"a\r",)),
        "form feed and the like": (b"a\fb\x0b\x1c\x85c\n", (b"a\fb\x0b\x1c\x85c",)),
        "a line separator": ("a\u2028b\n".encode(), ("a\u2028b".encode(),)),
        "bytes that are not UTF-8": (b"\xff\xfe\n\x80", (b"\xff\xfe", b"\x80")),
        "a byte order mark is not text": (BOM + b"a\n", (b"a",)),
        "nothing but a byte order mark": (BOM, ()),
        "elsewhere it is": (b"a" + BOM + b"\n", (b"a" + BOM,)),
        "empty lines": (b"\n\n", (b"", b"")),
    },
)
def test_a_line_is_what_stands_before_a_line_feed(data: bytes, lines: tuple[bytes, ...]) -> None:
    assert Document(data).lines == lines


@cases(
    {
        "each line has its own": (b"a\nb\r\nc", [b"\n", b"\r\n", b""]),
        "with one carriage return": (b"a\r\r\n", [b"\r\n"]),
        "a carriage return alone is none": (b"a\r", [b""]),
    },
)
def test_the_end_of_each_line(data: bytes, ends: list[bytes]) -> None:
    document = Document(data)
    assert [document.end_of(n) for n in range(1, document.line_count + 1)] == ends


@examples(200)
@given(FILES)
def test_the_raw_lines_and_the_byte_order_mark_are_the_file(data: bytes) -> None:
    document = Document(data)
    assert document.bom + b"".join(document.raw_lines) == data


@examples(200)
@given(FILES, st.data())
def test_the_hash_is_that_of_the_contract(data: bytes, drawn: st.DataObject) -> None:
    count = Document(data).line_count
    start = drawn.draw(st.integers(1, count + 1))
    end = drawn.draw(st.integers(start - 1, count))
    assert range_hash(data, start, end) == hash_by_contract(data, start, end)


PLAIN_LINES = st.lists(st.sampled_from([b"", b"a", b"b\rc", b" \xff"]), max_size=5)


@examples(100)
@given(PLAIN_LINES, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
def test_the_hash_knows_no_line_ends_and_no_byte_order_mark(
    lines: list[bytes], end: bytes, has_bom: bool, is_open: bool
) -> None:
    data = (BOM if has_bom else b"") + b"".join(line + end for line in lines)
    if is_open and lines and lines[-1]:
        data = data.removesuffix(end)
    assert range_hash(data) == range_hash(b"".join(line + b"\n" for line in lines))


@cases(
    {
        "an empty file": (b"", 1, 0, EMPTY),
        "before the first line": (b"a\n", 1, 0, EMPTY),
        "behind the last line": (b"a\n", 2, 1, EMPTY),
        "not an empty line": (b"\n", 1, 1, hashlib.sha256(b"\n").hexdigest()),
        "no final newline": (b"x", 1, 1, hashlib.sha256(b"x\n").hexdigest()),
        "whole file": (b"x\r\ny", None, None, hashlib.sha256(b"x\ny\n").hexdigest()),
    },
)
def test_the_hash_of(data: bytes, start: int | None, end: int | None, expected: str) -> None:
    assert range_hash(data, start, end) == expected


@cases(
    {
        "line 0": (0, 1),
        "past the end": (1, 3),
        "an empty range past the end": (4, 3),
        "backwards": (2, 0),
    },
)
def test_a_range_outside_the_file_has_no_hash(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        range_hash(b"a\nb\n", start, end)


@cases(
    {
        "a part of a line": (b"ab\ncd\n", 0, 1, (1, 1)),
        "a line with its end": (b"ab\ncd\n", 0, 3, (1, 1)),
        "parts of two lines": (b"ab\ncd\n", 1, 4, (1, 2)),
        "a line end alone": (b"ab\ncd\n", 2, 3, (1, 1)),
        "a point between two lines": (b"ab\ncd\n", 3, 3, (2, 1)),
        "a point inside a line": (b"ab\ncd\n", 1, 1, (1, 1)),
        "the end of the file": (b"ab\ncd\n", 6, 6, (3, 2)),
        "the end of an unterminated line": (b"ab\ncd", 5, 5, (2, 2)),
        "an empty file": (b"", 0, 0, (1, 0)),
        "a byte order mark and a letter": (BOM + b"ab\n", 0, 4, (1, 1)),
        "behind the byte order mark": (BOM + b"ab\n", 3, 3, (1, 0)),
    },
)
def test_the_full_lines_of_some_bytes(
    data: bytes, start: int, end: int, lines: tuple[int, int]
) -> None:
    assert Document(data).lines_of(start, end) == lines


@examples(100)
@given(FILES, st.data())
def test_the_lines_of_a_span_are_the_lines(data: bytes, drawn: st.DataObject) -> None:
    document = Document(data)
    start = drawn.draw(st.integers(1, document.line_count + 1))
    end = drawn.draw(st.integers(start - 1, document.line_count))
    # The point behind an unterminated last line lies in that line.
    assume(document.is_terminated or start <= document.line_count)
    assert document.lines_of(*document.span(start, end)) == (start, end)


@cases(
    {
        "the end of the line above": (b"a\nb", b"a\nb\n"),
        "CRLF": (b"a\r\nb", b"a\r\nb\r\n"),
        "a line alone": (b"a", b"a\n"),
        "ended already": (b"a\n", b"a\n"),
        "no line": (b"", b""),
        "no line but a byte order mark": (BOM, BOM),
        "a lone carriage return stays text": (b"a\nb\r", b"a\nb\r\r\n"),
    },
)
def test_the_last_line_gets_an_end(data: bytes, ended: bytes) -> None:
    assert terminate(Document(data)).data == ended


@examples(200)
@given(FILES)
def test_the_end_that_was_given_is_taken_away_again(data: bytes) -> None:
    document = Document(data)
    ended = terminate(document)
    assert ended.lines == document.lines
    assert (ended.data if document.is_terminated else unterminate(ended.data)) == data


@cases(
    {
        "an empty line": b"a\n\n",
        "the only line": b"\r\n",
        "behind a byte order mark": BOM + b"\n",
        "no line": b"",
    },
)
def test_an_empty_last_line_keeps_its_end_or_it_would_vanish(data: bytes) -> None:
    assert unterminate(data) == data

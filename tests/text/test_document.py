"""A file as lines without losing a byte, and the hash of a range of them."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.text.document import BOM, Document, range_hash, terminate, unterminate
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


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", (), id="an empty file has no line"),
        pytest.param(b"\n", (b"",), id="one empty line"),
        pytest.param(b"a\nb\n", (b"a", b"b"), id="two lines"),
        pytest.param(b"a\nb", (b"a", b"b"), id="no final newline"),
        pytest.param(b"a\r\nb\r\n", (b"a", b"b"), id="CRLF"),
        pytest.param(b"a\r\nb\nc\r\n", (b"a", b"b", b"c"), id="mixed ends"),
        pytest.param(b"a\r\r\n", (b"a\r",), id="one carriage return belongs to the end"),
        pytest.param(b"a\rb\n", (b"a\rb",), id="a lone carriage return is text"),
        pytest.param(b"a\r", (b"a\r",), id="also at the end of the file"),
        pytest.param(b"a\fb\x0b\x1c\x85c\n", (b"a\fb\x0b\x1c\x85c",), id="form feed and the like"),
        pytest.param("a\u2028b\n".encode(), ("a\u2028b".encode(),), id="a line separator"),
        pytest.param(b"\xff\xfe\n\x80", (b"\xff\xfe", b"\x80"), id="bytes that are not UTF-8"),
        pytest.param(BOM + b"a\n", (b"a",), id="a byte order mark is not text"),
        pytest.param(BOM, (), id="nothing but a byte order mark"),
        pytest.param(b"a" + BOM + b"\n", (b"a" + BOM,), id="elsewhere it is"),
        pytest.param(b"\n\n", (b"", b""), id="empty lines"),
    ],
)
def test_a_line_is_what_stands_before_a_line_feed(data: bytes, lines: tuple[bytes, ...]) -> None:
    assert Document(data).lines == lines


@pytest.mark.parametrize(
    ("data", "ends"),
    [
        pytest.param(b"a\nb\r\nc", [b"\n", b"\r\n", b""], id="each line has its own"),
        pytest.param(b"a\r\r\n", [b"\r\n"], id="with one carriage return"),
        pytest.param(b"a\r", [b""], id="a carriage return alone is none"),
    ],
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


@given(PLAIN_LINES, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
def test_the_hash_knows_no_line_ends_and_no_byte_order_mark(
    lines: list[bytes], end: bytes, has_bom: bool, is_open: bool
) -> None:
    data = (BOM if has_bom else b"") + b"".join(line + end for line in lines)
    if is_open and lines and lines[-1]:
        data = data.removesuffix(end)
    assert range_hash(data) == range_hash(b"".join(line + b"\n" for line in lines))


@pytest.mark.parametrize(
    ("data", "start", "end", "expected"),
    [
        pytest.param(b"", 1, 0, EMPTY, id="an empty file"),
        pytest.param(b"a\n", 1, 0, EMPTY, id="before the first line"),
        pytest.param(b"a\n", 2, 1, EMPTY, id="behind the last line"),
        pytest.param(b"\n", 1, 1, hashlib.sha256(b"\n").hexdigest(), id="not an empty line"),
        pytest.param(b"x", 1, 1, hashlib.sha256(b"x\n").hexdigest(), id="no final newline"),
        pytest.param(b"x\r\ny", None, None, hashlib.sha256(b"x\ny\n").hexdigest(), id="whole file"),
    ],
)
def test_the_hash_of(data: bytes, start: int | None, end: int | None, expected: str) -> None:
    assert range_hash(data, start, end) == expected


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param(0, 1, id="line 0"),
        pytest.param(1, 3, id="past the end"),
        pytest.param(4, 3, id="an empty range past the end"),
        pytest.param(2, 0, id="backwards"),
    ],
)
def test_a_range_outside_the_file_has_no_hash(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        range_hash(b"a\nb\n", start, end)


@pytest.mark.parametrize(
    ("data", "start", "end", "lines"),
    [
        pytest.param(b"ab\ncd\n", 0, 1, (1, 1), id="a part of a line"),
        pytest.param(b"ab\ncd\n", 0, 3, (1, 1), id="a line with its end"),
        pytest.param(b"ab\ncd\n", 1, 4, (1, 2), id="parts of two lines"),
        pytest.param(b"ab\ncd\n", 2, 3, (1, 1), id="a line end alone"),
        pytest.param(b"ab\ncd\n", 3, 3, (2, 1), id="a point between two lines"),
        pytest.param(b"ab\ncd\n", 1, 1, (1, 1), id="a point inside a line"),
        pytest.param(b"ab\ncd\n", 6, 6, (3, 2), id="the end of the file"),
        pytest.param(b"ab\ncd", 5, 5, (2, 2), id="the end of an unterminated line"),
        pytest.param(b"", 0, 0, (1, 0), id="an empty file"),
        pytest.param(BOM + b"ab\n", 0, 4, (1, 1), id="a byte order mark and a letter"),
        pytest.param(BOM + b"ab\n", 3, 3, (1, 0), id="behind the byte order mark"),
    ],
)
def test_the_full_lines_of_some_bytes(
    data: bytes, start: int, end: int, lines: tuple[int, int]
) -> None:
    assert Document(data).lines_of(start, end) == lines


@given(FILES, st.data())
def test_the_lines_of_a_span_are_the_lines(data: bytes, drawn: st.DataObject) -> None:
    document = Document(data)
    start = drawn.draw(st.integers(1, document.line_count + 1))
    end = drawn.draw(st.integers(start - 1, document.line_count))
    # The point behind an unterminated last line lies in that line.
    assume(document.is_terminated or start <= document.line_count)
    assert document.lines_of(*document.span(start, end)) == (start, end)


@pytest.mark.parametrize(
    ("data", "ended"),
    [
        pytest.param(b"a\nb", b"a\nb\n", id="the end of the line above"),
        pytest.param(b"a\r\nb", b"a\r\nb\r\n", id="CRLF"),
        pytest.param(b"a", b"a\n", id="a line alone"),
        pytest.param(b"a\n", b"a\n", id="ended already"),
        pytest.param(b"", b"", id="no line"),
        pytest.param(BOM, BOM, id="no line but a byte order mark"),
        pytest.param(b"a\nb\r", b"a\nb\r\r\n", id="a lone carriage return stays text"),
    ],
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


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a\n\n", id="an empty line"),
        pytest.param(b"\r\n", id="the only line"),
        pytest.param(BOM + b"\n", id="behind a byte order mark"),
        pytest.param(b"", id="no line"),
    ],
)
def test_an_empty_last_line_keeps_its_end_or_it_would_vanish(data: bytes) -> None:
    assert unterminate(data) == data

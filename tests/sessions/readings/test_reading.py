"""Reading for an agent: bounded, with tags, and nothing shown that is no text."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.sessions import file_lines
from hkgit.text.document import range_hash
from tests.sessions.committing import replacing
from tests.support.cases import cases
from tests.support.sessions import TextSession

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@cases(
    {
        "all": (None, None, 2000, (1, 30), None),
        "as many as the limit lets pass": (None, None, 10, (1, 10), 11),
        "on to the end": (25, None, 10, (25, 30), None),
        "as many as were asked for": (5, 20, 10, (5, 20), None),
        "an end past the last line": (28, 99, 10, (28, 30), None),
    },
)
def test_a_reading_says_where_to_go_on(
    start: int,
    end: int,
    limit: int,
    shown: tuple[int, int],
    next_line: int | None,
    desk: TextSession,
) -> None:
    found = desk.read("a.py", start, end, limit=limit)
    assert (found.start_line, found.end_line) == shown
    assert found.next_line == next_line


def test_only_what_was_shown_has_a_receipt(desk: TextSession) -> None:
    desk.read("a.py", limit=10)
    answer = desk.edit(replacing("line 11\n", "eleven\n"))
    assert [each.lines for each in answer.blind] == [(11, 11)]


@cases(
    {
        "many long lines": (f"{'x' * 60}\n" * 3, 1, 2, "lines 1-1 of 3; go on at long:2-"),
        "one that is too long": (
            f"{'x' * 200}\nshort\n",
            0,
            2,
            "line 1 is too long to show unless it is named: long:1-1; go on at long:2-",
        ),
        "the last": (
            "x" * 200,
            0,
            None,
            "line 1 is too long to show unless it is named: long:1-1",
        ),
    },
)
def test_long_lines_are_cut_off_by_their_bytes_and_can_be_named(
    text: str,
    lines: int,
    next_line: int | None,
    hint: str,
    desk: TextSession,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_lines, "MAX_BYTES", 100)
    (root / "long").write_text(text)
    found = desk.read("long")
    assert (len(found.lines), found.next_line, found.hint) == (lines, next_line, hint)
    assert found.has_receipt is bool(lines)
    assert desk.read("long", 1, 1).has_receipt


@cases(
    {
        "PNG": (PNG, "image", "image/png"),
        "JPEG": (b"\xff\xd8\xff\xe0\0", "image", "image/jpeg"),
        "GIF": (b"GIF89a\0", "image", "image/gif"),
        "WebP": (b"RIFF\0\0\0\0WEBPVP8 ", "image", "image/webp"),
        "a program": (b"\x7fELF\0\0", "binary", "a binary file"),
        "text that begins like an image": (b"BMW is no bitmap\n", "text", None),
        "text that is not UTF-8": ("é\n".encode("latin-1"), "text", None),
        "an empty file": (b"", "text", None),
    },
)
def test_images_and_binary_files_are_passed_by(
    data: bytes, kind: str, mime: str | None, desk: TextSession, root: Path
) -> None:
    (root / "file").write_bytes(data)
    found = desk.read("file", hashline=True)
    assert found.kind == kind
    assert found.mime == mime
    assert bool(found.hint) == (kind != "text")
    assert found.has_receipt == (kind == "text")
    assert bool(desk.status().receipts) == (kind == "text")


@cases(
    {"all": (None, None, (1, 3)), "a line": (2, 2, (2, 2)), "past the end": (2, 9, (2, 3))},
)
def test_what_is_passed_by_is_counted_and_hashed_all_the_same(
    start: int | None, end: int | None, lines: tuple[int, int], desk: TextSession, root: Path
) -> None:
    data = b"\0one\n\xfftwo\nthree"
    (root / "file").write_bytes(data)
    found = desk.read("file", start, end)
    assert (found.start_line, found.end_line) == lines
    assert found.file.line_count == 3
    assert found.range_hash == range_hash(data, *lines)


def test_tags_are_told_apart_from_the_top_of_the_file(desk: TextSession, root: Path) -> None:
    (root / "tagged").write_text("same\nother\nsame\n")
    first = desk.read("tagged", 1, 1, hashline=True).shown[0]
    assert first.endswith("|same")
    assert not first.startswith(" ")
    assert desk.read("tagged", 3, 3, hashline=True).shown == ["  |same"]


def test_an_edit_by_tag_has_the_receipt_of_the_reading(desk: TextSession) -> None:
    tag = desk.read("a.py", 5, 5, hashline=True).shown[0][:2]
    spec = f'{{"path": "a.py", "hash_start": "{tag}", "hash_stop": "{tag}", "content": "five"}}'
    answer = desk.edit(spec)
    assert [outcome.evidence.kind for outcome in answer.outcomes] == ["receipt"]


def test_a_file_too_large_to_edit_is_refused(desk: TextSession, root: Path) -> None:
    with (root / "huge").open("wb") as stream:
        stream.truncate(100 * 2**20)
    answer = desk.edit(replacing("x", "y", "huge"))
    assert answer.error is not None
    assert "104,857,600 bytes" in answer.error.what


def test_a_reading_of_nothing_is_refused(desk: TextSession, root: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no such file"):
        desk.read("absent")
    (root / "file").write_bytes(b"\0one\n")
    with pytest.raises(InvalidInput, match="starts past the last line"):
        desk.read("file", 2)

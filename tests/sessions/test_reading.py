"""Reading for an agent: bounded, with tags, and nothing shown that is no text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import File
from hkgit.sessions import file_lines
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.knowledge import NOTHING, FileKnowledge, Knowledge
from hkgit.text.document import range_hash
from hkgit.text.hashes import sha256
from hkgit.values import replace
from tests.sessions.committing import replacing
from tests.support.cases import cases
from tests.support.properties import examples
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


# What calls of one answer of the model read is known from its next answer on


def _edit(desk: TextSession, turn: str, old: str, new: str) -> str:
    """Make an edit as an agent's own tool does, in an answer; return its evidence."""
    session = replace(desk, turn=turn)
    place = desk.root / "a.py"
    before = place.read_bytes()
    place.write_bytes(before.replace(old.encode(), new.encode()))
    answer = session.adopt(session.parse(replacing(old, new)), {"a.py": File(before)})
    assert answer.ok
    return answer.outcomes[0].evidence.kind


@cases(
    {
        "the same answer": ("1", "quote"),
        "a later one": ("2", "receipt"),
        "nobody says which": ("", "receipt"),
    },
)
def test_a_reading_is_evidence_for_the_edits_of_later_answers(
    turn: str, kind: str, desk: TextSession
) -> None:
    replace(desk, turn="1").read("a.py")
    assert _edit(desk, turn, "line 5\n", "five\n") == kind


def test_what_was_known_before_stays_known_beside_a_reading(desk: TextSession) -> None:
    desk.read("a.py", 1, 10)
    replace(desk, turn="1").read("a.py", 11, 20)
    assert _edit(desk, "1", "line 5\n", "five\n") == "receipt"
    assert _edit(desk, "1", "line 15\n", "fifteen\n") == "quote"


def test_what_an_answer_read_moves_with_its_own_edits(desk: TextSession) -> None:
    desk.read("a.py", 5, 5)
    replace(desk, turn="1").read("a.py")
    assert _edit(desk, "1", "line 5\n", "five\nand\nmore\n") == "receipt"
    assert _edit(desk, "2", "line 25\n", "twenty-five\n") == "receipt"
    assert _edit(desk, "2", "and\n", "or\n") == "receipt"


def test_a_call_of_the_server_knows_what_the_agents_tools_have_read(desk: TextSession) -> None:
    replace(desk, turn="1").read("a.py")
    answer = desk.edit(replacing("line 5\n", "five\n"))
    assert answer.outcomes[0].evidence.kind == "receipt"


def test_the_status_lists_what_was_read_last(desk: TextSession) -> None:
    replace(desk, turn="1").read("a.py", 3, 4)
    [receipt] = desk.status().receipts
    assert (receipt.start_line, receipt.end_line) == (3, 4)


def test_a_session_that_is_shortened_keeps_it(desk: TextSession) -> None:
    """As a commit does, and the oldest calls of a long session."""
    replace(desk, turn="1").read("a.py")
    journal = SessionJournal(desk.journal.folder)
    journal.load()
    journal.forget(())
    assert _edit(desk, "1", "line 5\n", "five\n") == "quote"
    assert _edit(desk, "2", "line 6\n", "six\n") == "receipt"


_DATA = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=8).map(
    lambda lines: b"".join(each + b"\n" for each in lines)
)


@given(_DATA, _DATA, st.data())
@examples(50)
def test_lines_of_a_later_version_join_those_that_it_still_has(
    old: bytes, new: bytes, data: st.DataObject
) -> None:
    """Nothing is known that neither had, and nothing that was fresh is lost."""
    counts = [len(each.splitlines()) for each in (old, new)]
    known, fresh = (
        FileKnowledge.of(text, [(n, n) for n in data.draw(st.sets(st.integers(1, count)))])
        if count
        else NOTHING
        for text, count in zip((old, new), counts, strict=True)
    )
    kept = {sha256(each).hexdigest(): each for each in (old, new)}
    merged = Knowledge({"a.py": known}, {"a.py": fresh}).merge(kept.get)["a.py"]
    assert _lines(fresh) <= _lines(merged)
    if not fresh.lines:
        assert merged == known


def _lines(known: FileKnowledge) -> set[int]:
    return {n for first, last in known.lines for n in range(first, last + 1)}

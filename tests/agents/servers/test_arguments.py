"""Arguments by the names that other tools use, and what the next call keeps of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.agents.servers.connection import Connection
from hkgit.text.hashes import compute_tag
from hkgit.workflows.arguments import LONGEST_TEXT

LINES = "".join(f"line {number}\n" for number in range(1, 31))
PIXEL = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


@pytest.fixture
def session(tmp_path: Path) -> Connection:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(LINES)
    (tmp_path / "dot.png").write_bytes(PIXEL)
    return Connection(tmp_path, "task")


def test_a_reading_with_offset_and_limit_says_where_to_go_on(session: Connection) -> None:
    asked = {"path": "a.py", "offset": 5, "limit": 3, "hashline": True}
    read = session.answer("read", asked).document
    assert read["start_line"] == 5
    assert read["end_line"] == 7
    assert read["next"]["arguments"] == {
        "path": "a.py",
        "start_line": 8,
        "hashline": True,
        "limit": 3,
    }


def test_a_refused_edit_of_tags_is_mended_by_a_reading_with_tags(session: Connection) -> None:
    name = compute_tag(b"nowhere")
    text = {"path": "a.py", "hash_start": name, "hash_stop": name, "content": "x"}
    refused = session.answer("edit", {"text": text, "format": "hashline"})
    assert refused.document["next"]["arguments"]["hashline"] is True


def test_after_an_edit_of_tags_is_undone_its_lines_are_read_with_tags(session: Connection) -> None:
    name = compute_tag(b"line 2")
    text = {"path": "a.py", "hash_start": name, "hash_stop": name, "content": "x"}
    blind = session.answer("edit", {"text": text, "format": "hashline"})
    assert blind.document["next"]["tool"] == "undo"
    undone = session.answer("undo", blind.document["next"]["arguments"])
    assert undone.document["next"]["arguments"] == {"path": "a.py", "hashline": True}


def test_an_empty_search_may_stand_for_the_end(session: Connection, tmp_path: Path) -> None:
    text = "a.py\n<<<<<<< SEARCH\n=======\nlast\n>>>>>>> REPLACE\n"
    reply = session.answer("edit", {"text": text, "empty_search": "append"})
    assert not reply.is_error, reply.text
    assert (tmp_path / "a.py").read_text() == f"{LINES}last\n"


def test_an_image_is_there_to_be_looked_at(session: Connection) -> None:
    reply = session.answer("read", {"path": "dot.png"})
    assert reply.image == PIXEL
    assert reply.document["mime"] == "image/png"


@pytest.mark.parametrize("is_object", [False, True], ids=["a string", "an object"])
def test_a_text_that_is_too_long_is_refused_in_either_form(
    session: Connection, is_object: bool
) -> None:
    spec = {"path": "a.py", "old_text": "line 1\n", "new_text": "x" * LONGEST_TEXT}
    reply = session.answer("edit", {"text": spec if is_object else json.dumps(spec)})
    assert reply.is_error
    assert "argument text: is longer than 16777216 characters" in reply.text

"""Hashline edits and the tags that they name lines by."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import AnyEdit, TagEdit, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text.hashes import compute_tag, compute_tags, find_tag

HASH = "0123456789ab"
START = {"path": "x", "hash_start": "a3"}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("", "zd", id="empty"),
        pytest.param("}", "SO", id="a brace"),
        pytest.param("def f():", "mf", id="code"),
        pytest.param("    return 1", "bg", id="indented"),
        pytest.param("\t", "lU", id="a tab"),
        pytest.param("é", "wG", id="one unit of two bytes"),
        pytest.param("😀 x", "eG", id="two units for one letter"),
        pytest.param("\u2028", "EV", id="a separator"),
    ],
)
def test_a_tag_is_that_of_other_readers(line: str, name: str) -> None:
    assert compute_tag(line.encode()) == name


def test_bytes_that_are_not_utf8_count_as_the_replacement_character() -> None:
    assert compute_tag(b"\xff") == compute_tag("\ufffd".encode())


def test_only_the_first_line_of_a_tag_shows_it() -> None:
    assert compute_tags([b"a", b"", b"a", b"", b"b"]) == [
        compute_tag(b"a"),
        compute_tag(b""),
        None,
        None,
        compute_tag(b"b"),
    ]


def test_two_lines_that_share_a_tag_show_it_once() -> None:
    twin = next(text for i in range(10**6) if compute_tag(text := b"%d" % i) == compute_tag(b"a"))
    assert compute_tags([b"a", twin]) == [compute_tag(b"a"), None]


@pytest.mark.parametrize(
    ("start_line", "number"),
    [
        pytest.param(1, 1, id="from the top"),
        pytest.param(2, 3, id="at or below an offset"),
        pytest.param(4, None, id="nowhere below"),
    ],
)
def test_a_tag_finds_its_first_line(start_line: int, number: int | None) -> None:
    assert find_tag([b"a", b"b", b"a"], compute_tag(b"a"), start_line) == number


@pytest.mark.parametrize(
    ("call", "edit"),
    [
        pytest.param({"path": "x", "content": "a"}, WriteFile("x", "a"), id="create or overwrite"),
        pytest.param({"path": "x", "content": ""}, WriteFile("x", ""), id="empty a file"),
        pytest.param(
            {**START, "content": "a\nb"}, TagEdit("x", "a3", None, ("a", "b")), id="insert before"
        ),
        pytest.param(
            {**START, "content": "\n"}, TagEdit("x", "a3", None, ("",)), id="insert a blank line"
        ),
        pytest.param(
            {**START, "hash_stop": "Zz", "content": "a\n"},
            TagEdit("x", "a3", "Zz", ("a",)),
            id="replace",
        ),
        pytest.param({**START, "hash_stop": "Zz"}, TagEdit("x", "a3", "Zz"), id="delete a range"),
        pytest.param(
            {**START, "hash_stop": "Zz", "content": ""},
            TagEdit("x", "a3", "Zz"),
            id="replace by nothing",
        ),
        pytest.param(START, TagEdit("x", "a3"), id="delete a line"),
        pytest.param({**START, "content": None}, TagEdit("x", "a3"), id="null content"),
        pytest.param({**START, "offset": 7}, TagEdit("x", "a3", offset=7), id="offset"),
        pytest.param(
            {**START, "expected_hash": HASH}, TagEdit("x", "a3", expected_hash=HASH), id="a hash"
        ),
        pytest.param({"name": "change_file", "input": START}, TagEdit("x", "a3"), id="a call"),
    ],
)
def test_tags_and_content_say_what_is_meant(call: object, edit: AnyEdit) -> None:
    spec = dialects.parse(json.dumps(call))
    assert spec.dialect == "hashline"
    assert spec.edits == (edit,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            {"path": "x", "hash_stop": "a3", "content": "a"},
            'unknown key "hash_stop"',
            id="a stop without a start",
        ),
        pytest.param(
            {"path": "x", "offset": 3, "content": "a"},
            'unknown key "offset"',
            id="an offset without a tag",
        ),
        pytest.param({"path": "x"}, 'missing key "old_text"', id="nothing to do"),
        pytest.param({**START, "content": ""}, "content: expected lines to insert", id="no lines"),
        pytest.param(
            {**START, "hash_start": "a3|"}, "hash_start: expected a tag of two", id="a bar"
        ),
        pytest.param(
            {**START, "hash_stop": "é1"}, "hash_stop: expected a tag of two", id="letters"
        ),
        pytest.param({**START, "offset": 0}, "offset: expected an integer from 1", id="line 0"),
        pytest.param({**START, "lines": []}, 'unknown key "lines"', id="unknown key"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused(call: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(json.dumps(call), "hashline")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '{"path": "x", "edits": [{"op": "replace", "pos": "12#VK", "lines": []}]}',
            id="number, hash sign",
        ),
        pytest.param('{"path": "x", "hash_start": "12:a3", "content": "y"}', id="number, colon"),
        pytest.param('{"path": "x", "anchor": "12:a3|  return"}', id="with the line's text"),
        pytest.param("[src/x.py#1F3A]\nSWAP 3-4\n+a\n", id="verbs"),
    ],
)
def test_a_relative_is_recognised_and_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"another notation.*\n.*`protocol`"):
        dialects.parse(text)

"""Hashline edits, the tags that they name lines by, and which lines those are."""

from __future__ import annotations

import json

import pytest

from hkgit import (
    apply_edits,
    build_seen_hashes,
    dialects,
    line_hash,
    parse_edits,
    resolve_hash,
    tag_lines,
)
from hkgit.errors import InvalidInput
from hkgit.text.hashes import compute_tag, compute_tags, find_tag
from tests.support.cases import cases
from tests.support.notations import write


@cases(
    "line, name",
    {
        "empty": ("", "zd"),
        "a brace": ("}", "SO"),
        "code": ("def f():", "mf"),
        "indented": ("    return 1", "bg"),
        "a tab": ("\t", "lU"),
        "one unit of two bytes": ("é", "wG"),
        "two units for one letter": ("😀 x", "eG"),
        "a separator": ("\u2028", "EV"),
    },
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


@cases(
    "start_line, number",
    {"from the top": (1, 1), "at or below an offset": (2, 3), "nowhere below": (4, None)},
)
def test_a_tag_finds_its_first_line(start_line: int, number: int | None) -> None:
    assert find_tag([b"a", b"b", b"a"], compute_tag(b"a"), start_line) == number


@cases(
    "text",
    {
        "number, hash sign": (
            '{"path": "x", "edits": [{"op": "replace", "pos": "12#VK", "lines": []}]}'
        ),
        "number, colon": '{"path": "x", "hash_start": "12:a3", "content": "y"}',
        "with the line's text": '{"path": "x", "anchor": "12:a3|  return"}',
        "verbs": "[src/x.py#1F3A]\nSWAP 3-4\n+a\n",
    },
)
def test_line_tags_of_another_notation_are_refused_under_every_name(text: str) -> None:
    for name in ("auto", *dialects.DIALECTS):
        with pytest.raises(InvalidInput):
            dialects.parse(text, name)


LINES = ["one = 1", "two = 2", "}", "four = 4"]
TEXT = "".join(f"{line}\n" for line in LINES)


def call(**said: object) -> str:
    return json.dumps({"path": "f", **said})


def test_lines_to_insert_that_repeat_their_target_are_refused() -> None:
    edit = call(hash_start=line_hash("two = 2"), content="new = 0\ntwo = 2\n")
    [outcome] = apply_edits(edit, {"f": TEXT}).outcomes
    assert outcome.status == "invalid"
    assert "repeats line 2, before which they are inserted" in str(outcome.error)


def test_a_bracket_may_stand_there_twice() -> None:
    edit = call(hash_start=line_hash("}"), content="{\n}\n")
    assert apply_edits(edit, {"f": TEXT}).files == {"f": TEXT.replace("}\n", "{\n}\n}\n")}


@cases(
    "inclusive, left",
    {
        "the line of hash_stop goes, by default": ({}, ["new", *LINES[3:]]),
        "and where that is said": ({"inclusive": True}, ["new", *LINES[3:]]),
        "or it stays": ({"inclusive": False}, ["new", *LINES[2:]]),
    },
)
def test_a_key_says_whether_the_range_has_the_line_of_its_stop(
    inclusive: dict[str, bool], left: list[str]
) -> None:
    start, stop = line_hash(LINES[0]), line_hash(LINES[2])
    edit = call(hash_start=start, hash_stop=stop, content="new\n", **inclusive)
    result = apply_edits(edit, {"f": TEXT})
    assert result.files == {"f": "".join(f"{line}\n" for line in left)}
    edits = parse_edits(edit)
    assert parse_edits(write("hashline", edits)) == edits


def test_an_empty_exclusive_range_is_refused() -> None:
    tag = line_hash(LINES[1])
    edit = call(hash_start=tag, hash_stop=tag, content="new\n", inclusive=False)
    assert apply_edits(edit, {"f": TEXT}).outcomes[0].status == "stale"


def test_lines_are_tagged_and_found_again() -> None:
    lines = ["a", "b", "a"]
    shown = tag_lines(lines)
    assert shown == [f"{line_hash('a')}|a", f"{line_hash('b')}|b", "  |a"]
    assert tag_lines(lines[1:], build_seen_hashes(lines, 1)) == shown[1:]
    assert [resolve_hash(lines, line_hash(line)) for line in lines] == [1, 2, 1]
    assert resolve_hash(lines, "zz") is None

"""What an insertion before a tag may end with, and which lines a range of tags has."""

from __future__ import annotations

import json

from hkgit import apply_edits, build_seen_hashes, line_hash, parse_edits, resolve_hash, tag_lines
from tests.support.cases import cases
from tests.support.notations import write

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

"""Settings in JSON: what is added can be taken out again, and all else keeps its bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.agents.setup.jsonc import add_members, parse_jsonc, remove_members
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.properties import examples

OURS: dict[str, Any] = {
    "servers": {"hkgit": {"command": "hkgit", "args": ["mcp"]}},
    "hooks": {"before": [{"matcher": "Edit", "command": "hkgit hook"}]},
}

DOCUMENTS = {
    "two blanks": '{\n  "a": 1\n}\n',
    "four blanks": '{\n    "a": [1, 2]\n}\n',
    "tabs and no last line end": '{\n\t"a": 1\n}',
    "one line": '{"a": 1}',
    "one line with blanks inside": '{ "a": 1 }\n',
    "one line with a comma behind the last member": '{"a": 1,}\n',
    "a comma behind the last member": '{\n  "a": 1,\n}\n',
    "a comment behind the last member": '{\n  "a": 1 // mine\n}\n',
    "comments with brackets behind commas": '{\n  "a": 1, // {b}\n  "b": [2, // ]\n 3]\n}\n',
    "two comments in a line": '{ /* one */ "a": 1 /* two */, /* a */ "b": 2 /* b */ }\n',
    "comments all around": '{\n  // mine\n  "a": 1\n  /* end */\n}\n',
    "CRLF": '{\r\n  "a": 1\r\n}\r\n',
    "a byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "the object is there": '{\n  "servers": {\n    "mine": {}\n  }\n}\n',
    "the array is there": '{"hooks": {"before": [{"matcher": "x"}]}}',
    "long array": '{\n  "hooks": {\n    "before": [\n      1\n    ]\n  }\n}',
    "strings like comments and brackets": '{"a": "// no comment", "b": "\\"}"}',
    "an empty object": "{}\n",
}


@cases("text", DOCUMENTS)
def test_what_is_added_and_removed_again_leaves_every_byte(text: str) -> None:
    added = add_members(text, OURS)
    assert parse_jsonc(added).value["servers"]["hkgit"] == OURS["servers"]["hkgit"]
    assert add_members(added, OURS) == added
    assert remove_members(added, OURS) == text
    assert remove_members(text, OURS) == text


def test_the_lines_of_others_stay_as_they_are() -> None:
    text = '{\n  // keep\n  "a":   [ 1,2 ], // odd\n  "b": 2\n}\n'
    assert add_members(text, {"c": [3]}) == (
        '{\n  // keep\n  "a":   [ 1,2 ], // odd\n  "b": 2,\n  "c": [\n    3\n  ]\n}\n'
    )


def test_elements_that_somebody_put_around_ours_stay() -> None:
    text = add_members('{"hooks": {"before": [1]}}', OURS)
    text = add_members(text, {"hooks": {"before": [2]}})
    assert parse_jsonc(remove_members(text, OURS)).value == {"hooks": {"before": [1, 2]}}


NAMES = st.text('ab"\\/é{}[],:', max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | NAMES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(NAMES, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@examples(60)
@given(
    document=st.dictionaries(NAMES, VALUES, max_size=4),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    end=st.sampled_from(["", "\n", "\n\n"]),
)
def test_any_document_survives(
    document: dict[str, Any], indent: int | str | None, end: str
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False) + end
    assert remove_members(add_members(text, OURS), OURS) == text


@cases(
    "text",
    {
        "nothing": "",
        "no end": "{",
        "no colon": '{"a" 1}',
        "text behind": '{"a": 1} x',
        "an unknown word": '{"a": nil}',
        "brackets without end": "[" * 5000,
        "an unknown escape": '{"a": "\\x"}',
        "an array where an object belongs": '{"servers": []}',
        "another value of that name": '{"servers": {"hkgit": 1}}',
        "an array alone": "[]",
        "an object of a comma alone": "{,}",
        "a comma before the first element": '{"a": [ /* none */ ,]}',
    },
)
def test_what_cannot_be_settled_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        add_members(text, OURS)

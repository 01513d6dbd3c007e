"""Settings in JSON: what is added can be taken out again, and all else keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.agents.setup.jsonc import add_members, parse_jsonc, remove_members
from hkgit.errors import InvalidInput
from tests.support.properties import examples

OURS: dict[str, Any] = {
    "servers": {"hkgit": {"command": "hkgit", "args": ["mcp"]}},
    "hooks": {"before": [{"matcher": "Edit", "command": "hkgit hook"}]},
}

DOCUMENTS = [
    pytest.param('{\n  "a": 1\n}\n', id="two blanks"),
    pytest.param('{\n    "a": [1, 2]\n}\n', id="four blanks"),
    pytest.param('{\n\t"a": 1\n}', id="tabs and no last line end"),
    pytest.param('{"a": 1}', id="one line"),
    pytest.param('{ "a": 1 }\n', id="one line with blanks inside"),
    pytest.param('{"a": 1,}\n', id="one line with a comma behind the last member"),
    pytest.param('{\n  "a": 1,\n}\n', id="a comma behind the last member"),
    pytest.param('{\n  "a": 1 // mine\n}\n', id="a comment behind the last member"),
    pytest.param('{\n  // mine\n  "a": 1\n  /* end */\n}\n', id="comments all around"),
    pytest.param('{\r\n  "a": 1\r\n}\r\n', id="CRLF"),
    pytest.param('\ufeff{\n  "a": 1\n}\n', id="a byte order mark"),
    pytest.param('{\n  "servers": {\n    "mine": {}\n  }\n}\n', id="the object is there"),
    pytest.param('{"hooks": {"before": [{"matcher": "x"}]}}', id="the array is there"),
    pytest.param('{\n  "hooks": {\n    "before": [\n      1\n    ]\n  }\n}', id="long array"),
    pytest.param('{"a": "// no comment", "b": "\\"}"}', id="strings like comments and brackets"),
    pytest.param("{}\n", id="an empty object"),
]


@pytest.mark.parametrize("text", DOCUMENTS)
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


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="no end"),
        pytest.param('{"a" 1}', id="no colon"),
        pytest.param('{"a": 1} x', id="text behind"),
        pytest.param('{"a": nil}', id="an unknown word"),
        pytest.param("[" * 5000, id="brackets without end"),
        pytest.param('{"a": "\\x"}', id="an unknown escape"),
        pytest.param('{"servers": []}', id="an array where an object belongs"),
        pytest.param('{"servers": {"hkgit": 1}}', id="another value of that name"),
        pytest.param("[]", id="an array alone"),
    ],
)
def test_what_cannot_be_settled_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        add_members(text, OURS)

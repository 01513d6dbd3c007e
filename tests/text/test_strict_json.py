"""JSON is read with the place of every mistake, and in one meaning only."""

from __future__ import annotations

import json

import pytest

from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node

DEEP = 100_000


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        pytest.param('{"a": [{"b": 1, "b": 2}]}', "a[0]", 'key "b" is given twice', id="key"),
        pytest.param('{"a": 1, "a": 1}', "the document", "twice", id="key of the document"),
        pytest.param('{"a": [1, NaN]}', "a[1]", "NaN is not JSON", id="NaN"),
        pytest.param('{"a": -Infinity}', "a", "-Infinity is not JSON", id="infinity"),
        pytest.param('{"a": 1e999}', "a", "the number 1e999 is too large", id="float"),
        pytest.param('{"a": ' + "9" * 5000 + "}", "a", "18 digits, found 5000", id="integer"),
        pytest.param('{"a": "\\ud800"}', "a", 'found "\\ud800"', id="lone surrogate"),
        pytest.param('{"\\udfff": 1}', '["\\udfff"]', 'found "\\udfff"', id="surrogate in a key"),
        pytest.param("[" * DEEP, "line 1", "at most 64 levels", id="deep list"),
        pytest.param('{"a":' * DEEP, "line 1", "at most 64 levels", id="deep object"),
        pytest.param('{\n"a": 1,\n}', "line", "not JSON", id="trailing comma"),
        pytest.param("{\n'a': 1}", "line 2", "not JSON", id="single quotes"),
        pytest.param('{"a": "x\ny"}', "line 1", "control character", id="raw newline"),
        pytest.param('{"a": "x', "line 1", 'the JSON ends too early: "} is missing', id="cut off"),
        pytest.param('{"a": 1}\n{"a": 2} }', "line 2", "end of the line", id="a bracket too many"),
        pytest.param('{"a": 1},\n{"a": 2}', "line 1", "found ','", id="a list without brackets"),
        pytest.param("no brackets", "line 1", "expected JSON, found nothing", id="prose"),
        pytest.param("", "line 1", "expected JSON, found nothing", id="nothing"),
    ],
)
def test_what_is_not_json_of_one_meaning_is_refused(text: str, where: str, what: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        strict_json.parse_documents(text)
    assert refusal.value.where.startswith(where)
    assert what in refusal.value.what


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param(' {"a": 1} ', [{"a": 1}], id="alone"),
        pytest.param('Here:\n```json\n{"a": 1}\n```\nDone.', [{"a": 1}], id="fence and prose"),
        pytest.param('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}], id="one a line"),
        pytest.param('See [1] and\n[link](x)\n[{"a": 1}]', [[{"a": 1}]], id="brackets in prose"),
        pytest.param("[\n 1,\n 2\n]", [], id="a list of numbers is no spec"),
        pytest.param('{"a": "\\ud83d\\ude00"}', [{"a": "😀"}], id="a surrogate pair"),
    ],
)
def test_documents_are_found_in_what_is_wrapped_around(text: str, values: list[object]) -> None:
    if not values:
        with pytest.raises(InvalidInput):
            strict_json.parse_documents(text)
        return
    assert [node.value for node in strict_json.parse_documents(text)] == values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a": {"b": 1}}', {"a", "b"}, id="nested"),
        pytest.param('{"a": "{\\"b\\": 1}"}', {"a"}, id="not in strings"),
        pytest.param('{"a": ["x,", "b"], }', {"a"}, id="broken, and a comma in a string"),
        pytest.param('say "a": 1', set(), id="no JSON"),
    ],
)
def test_keys_are_seen_without_parsing(text: str, expected: set[str]) -> None:
    assert strict_json.collect_keys(text) == expected


NODE = Node("a[2]", {"n": "12", "t": True, "s": 3, "o": [], "l": {}, "f": 1.0, "e": ""})


@pytest.mark.parametrize(
    ("key", "ask", "message"),
    [
        pytest.param(
            "n",
            lambda n: n.integer(1),
            'a[2].n: expected an integer from 1, found "12"',
            id="a string is no integer",
        ),
        pytest.param(
            "t",
            lambda n: n.integer(0),
            "a[2].t: expected an integer from 0, found true",
            id="a boolean is no integer",
        ),
        pytest.param(
            "f",
            lambda n: n.integer(0),
            "a[2].f: expected an integer from 0, found 1.0",
            id="a float is no integer",
        ),
        pytest.param(
            "s",
            lambda n: n.integer(4),
            "a[2].s: expected an integer from 4, found 3",
            id="too small",
        ),
        pytest.param("s", lambda n: n.text(), "a[2].s: expected a string, found 3", id="string"),
        pytest.param(
            "s", lambda n: n.boolean(), "a[2].s: expected true or false, found 3", id="boolean"
        ),
        pytest.param(
            "e", lambda n: n.name("a path"), 'a[2].e: expected a path, found ""', id="name"
        ),
        pytest.param(
            "o", lambda n: n.members(), "a[2].o: expected an object, found a list", id="object"
        ),
        pytest.param(
            "l", lambda n: n.items(), "a[2].l: expected a list, found an object", id="list"
        ),
    ],
)
def test_a_wrong_shape_says_path_expectation_and_find(key: str, ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(InvalidInput) as refusal:
        ask(NODE.members()[key])
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("required", "optional", "message"),
    [
        pytest.param(["a"], [], 'x: unknown key "b"\nKnown keys here: a.', id="unknown"),
        pytest.param(["a", "c"], ["b"], 'x: missing key "c"\nAdd "c".', id="missing"),
    ],
)
def test_keys_are_checked_by_name(required: list[str], optional: list[str], message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Node("x", {"a": 1, "b": 2}).fields(required, optional)
    assert str(refusal.value) == message


def test_rendered_json_keeps_characters_as_they_are() -> None:
    assert strict_json.dumps({"é": "😀"}) == '{"é": "😀"}'


def test_bytes_that_are_not_utf8_cannot_be_rendered() -> None:
    with pytest.raises(InvalidInput, match="not UTF-8"):
        strict_json.dumps(["\udcff"])


def test_every_level_up_to_the_bound_is_read() -> None:
    text = '{"a":' * 64 + "1" + "}" * 64
    assert strict_json.parse_document(text).value == json.loads(text)

"""JSON is read with the place of every mistake, and in one meaning only."""

import json

import pytest

from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node
from tests.support.cases import cases

DEEP = 100_000


@cases(
    {
        "key": ('{"a": [{"b": 1, "b": 2}]}', "a[0]", 'key "b" is given twice'),
        "key of the document": ('{"a": 1, "a": 1}', "the document", "twice"),
        "NaN": ('{"a": [1, NaN]}', "a[1]", "NaN is not JSON"),
        "infinity": ('{"a": -Infinity}', "a", "-Infinity is not JSON"),
        "float": ('{"a": 1e999}', "a", "the number 1e999 is too large"),
        "integer": ('{"a": ' + "9" * 5000 + "}", "a", "18 digits, found 5000"),
        "lone surrogate": ('{"a": "\\ud800"}', "a", 'found "\\ud800"'),
        "surrogate in a key": ('{"\\udfff": 1}', '["\\udfff"]', 'found "\\udfff"'),
        "deep list": ("[" * DEEP, "line 1", "at most 64 levels"),
        "deep object": ('{"a":' * DEEP, "line 1", "at most 64 levels"),
        "trailing comma": ('{\n"a": 1,\n}', "line", "not JSON"),
        "single quotes": ("{\n'a': 1}", "line 2", "not JSON"),
        "raw newline": ('{"a": "x\ny"}', "line 1", "control character"),
        "cut off": ('{"a": "x', "line 1", 'the JSON ends too early: "} is missing'),
        "a bracket too many": ('{"a": 1}\n{"a": 2} }', "line 2", "end of the line"),
        "a list without brackets": ('{"a": 1},\n{"a": 2}', "line 1", "found ','"),
        "prose": ("no brackets", "line 1", "expected JSON, found nothing"),
        "nothing": ("", "line 1", "expected JSON, found nothing"),
    },
)
def test_what_is_not_json_of_one_meaning_is_refused(text: str, where: str, what: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        strict_json.parse_documents(text)
    assert refusal.value.where.startswith(where)
    assert what in refusal.value.what


@cases(
    {
        "alone": (' {"a": 1} ', [{"a": 1}]),
        "fence and prose": ('Here:\n```json\n{"a": 1}\n```\nDone.', [{"a": 1}]),
        "one a line": ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        "brackets in prose": ('See [1] and\n[link](x)\n[{"a": 1}]', [[{"a": 1}]]),
        "a list of numbers is no spec": ("[\n 1,\n 2\n]", []),
        "a surrogate pair": ('{"a": "\\ud83d\\ude00"}', [{"a": "😀"}]),
    },
)
def test_documents_are_found_in_what_is_wrapped_around(text: str, values: list[object]) -> None:
    if not values:
        with pytest.raises(InvalidInput):
            strict_json.parse_documents(text)
        return
    assert [node.value for node in strict_json.parse_documents(text)] == values


@cases(
    {
        "nested": ('{"a": {"b": 1}}', {"a", "b"}),
        "not in strings": ('{"a": "{\\"b\\": 1}"}', {"a"}),
        "broken, and a comma in a string": ('{"a": ["x,", "b"], }', {"a"}),
        "no JSON": ('say "a": 1', set()),
    },
)
def test_keys_are_seen_without_parsing(text: str, expected: set[str]) -> None:
    assert strict_json.collect_keys(text) == expected


NODE = Node("a[2]", {"n": "12", "t": True, "s": 3, "o": [], "l": {}, "f": 1.0, "e": ""})


@cases(
    {
        "a string is no integer": (
            "n",
            lambda n: n.integer(1),
            'a[2].n: expected an integer from 1, found "12"',
        ),
        "a boolean is no integer": (
            "t",
            lambda n: n.integer(0),
            "a[2].t: expected an integer from 0, found true",
        ),
        "a float is no integer": (
            "f",
            lambda n: n.integer(0),
            "a[2].f: expected an integer from 0, found 1.0",
        ),
        "too small": ("s", lambda n: n.integer(4), "a[2].s: expected an integer from 4, found 3"),
        "string": ("s", lambda n: n.text(), "a[2].s: expected a string, found 3"),
        "boolean": ("s", lambda n: n.boolean(), "a[2].s: expected true or false, found 3"),
        "name": ("e", lambda n: n.name("a path"), 'a[2].e: expected a path, found ""'),
        "object": ("o", lambda n: n.members(), "a[2].o: expected an object, found a list"),
        "list": ("l", lambda n: n.items(), "a[2].l: expected a list, found an object"),
    },
)
def test_a_wrong_shape_says_path_expectation_and_find(key: str, ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(InvalidInput) as refusal:
        ask(NODE.members()[key])
    assert str(refusal.value) == message


@cases(
    {
        "unknown": (["a"], [], 'x: unknown key "b"\nKnown keys here: a.'),
        "missing": (["a", "c"], ["b"], 'x: missing key "c"\nAdd "c".'),
    },
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

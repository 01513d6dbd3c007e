"""The quick reader says yes to what is plain, and never to what the strict one refuses."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from hkgit.edits import Read
from hkgit.errors import InvalidInput
from hkgit.evidence import entry as reading
from hkgit.evidence.entry import Entry, read_quickly
from tests.evidence.ledger.test_entry import ENTRIES
from tests.support.entries import as_json, entry_of, entry_of_protocol, written
from tests.support.planning import delete_range, hash_of, protocol, replace_range

TWO = b"1\n2\n"
READ = Read("f", 1, 1, hash_of(TWO, 1, 1), "receipt")
LEANING = entry_of(
    protocol({"op": "delete_range", "path": "f", "start_line": 1, "end_line": 1}),
    {"f": TWO},
    [READ],
)
PLAIN = [
    entry_of_protocol({"f": TWO}, replace_range("f", TWO, 2, 2, "ü"), delete_range("f", TWO, 1, 1)),
    LEANING,
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1001,
    1.5,
    "",
    "x",
    "A" * 64,
    "a" * 64,
    "a" * 64 + " " + "b" * 64,
    "a" * 40,
    "100644",
    [],
    {},
    [0],
    [1, 0],
    [5, 3],
    {"base64": "/w=="},
    {"é": 1},
    [[[[]]]],
]


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a document."""
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        yield (*way, step)
        if isinstance(inner, dict | list):
            yield from places(inner, (*way, step))


def strictly(data: bytes) -> Entry | None:
    try:
        return reading.read_strictly(data)
    except InvalidInput:
        return None


@pytest.mark.parametrize("entry", PLAIN)
def test_a_plain_entry_is_read_quickly(entry: Entry) -> None:
    assert read_quickly(entry.to_bytes()) == entry


@pytest.mark.parametrize("entry", ENTRIES)
def test_both_readers_give_the_same(entry: Entry) -> None:
    data = entry.to_bytes()
    assert read_quickly(data) in (None, reading.read_strictly(data))


@pytest.mark.sampled
@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("entry", PLAIN, ids=["edits", "reads"])
def test_no_value_anywhere_is_taken_that_the_strict_reader_refuses(
    entry: Entry, value: Any
) -> None:
    document = as_json(entry)
    for *way, last in places(document):
        changed = copy.deepcopy(document)
        place = changed
        for step in way:
            place = place[step]
        place[last] = value
        data = written(changed)
        assert read_quickly(data) in (None, strictly(data)), (way, last)


@pytest.mark.parametrize(
    "alter",
    [
        pytest.param(lambda data: data.replace(b'"schema":1', b'"schema": 1'), id="a blank"),
        pytest.param(lambda data: data.replace(b'"schema":1', b'"schema":1.0'), id="a fraction"),
        pytest.param(lambda data: data[:-1], id="no line feed"),
        pytest.param(lambda data: data.replace(b'"claims":{', b'"claims":{"a":1e3,'), id="1e3"),
        pytest.param(lambda data: data.replace(b'"claims":{', b'"claims":{"a":NaN,'), id="NaN"),
        pytest.param(
            lambda data: data.replace(b'"claims":{', b'"claims":{"a":%d,' % 10**20),
            id="a large number",
        ),
        pytest.param(
            lambda data: data.replace(b'"claims":{', b'"claims":{"\\ud800":1,'),
            id="a lone surrogate",
        ),
        pytest.param(
            lambda data: data.replace(b'"claims":{', b'"claims":{"time":1,'), id="a key twice"
        ),
        pytest.param(
            lambda data: data.replace(
                b'"claims":{', b'"claims":{"A":' + b"[" * 5000 + b"]" * 5000 + b","
            ),
            id="nested deep",
        ),
        pytest.param(lambda data: b"\xff" + data, id="no UTF-8"),
    ],
)
def test_bytes_that_are_not_the_canonical_ones_are_left_to_the_strict_reader(alter: Any) -> None:
    data = alter(PLAIN[0].to_bytes())
    assert read_quickly(data) is None
    assert strictly(data) is None

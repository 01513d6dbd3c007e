"""Whatever stands anywhere in an entry, it is taken by the schema or refused by its place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from hkgit.edits import Read
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import Entry, read_entry
from hkgit.text.strict_json import ROOT
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
SCHEMA = Draft202012Validator(find_schema("ledger"))
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


def names(way: tuple[Any, ...]) -> Iterator[str]:
    """What errors call a place, all around it, and what is directly inside."""
    name = ""
    yield ROOT
    for step in way:
        name += f"[{step}]" if isinstance(step, int) else f".{step}".lstrip("." if not name else "")
        yield name
    yield name.replace("new_path", "after")  # a path and a mark stand together
    yield name.replace("path", "before")
    yield name.replace("start_line", "end_line")  # the one is at most the other
    yield from (f"{name}{inner}" for inner in ("[0]", "[1]", ".base64", ".agent"))


def find_fault(data: bytes) -> str | None:
    """Where the reader refuses an entry; what it takes is written again as it was."""
    try:
        entry = read_entry(data)
    except InvalidInput as refusal:
        return refusal.where
    assert entry.to_bytes() == data
    return None


@pytest.mark.sampled
@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("entry", PLAIN, ids=["edits", "reads"])
def test_any_value_anywhere_is_taken_or_refused_by_its_place(entry: Entry, value: Any) -> None:
    document = as_json(entry)
    for *way, last in places(document):
        changed = copy.deepcopy(document)
        place = changed
        for step in way:
            place = place[step]
        place[last] = value
        data = written(changed) if value != 1.5 else json.dumps(changed).encode()
        place_of_fault = find_fault(data)
        if place_of_fault is None:
            assert "claims" in (*way, last) or SCHEMA.is_valid(changed), (way, last)
        else:
            assert place_of_fault in (*names((*way, last)), "ledger entry"), (way, last)

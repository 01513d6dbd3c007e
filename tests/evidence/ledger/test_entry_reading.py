"""Entries are read strictly: what says another thing is refused, by its path."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from hkgit.edits import EXECUTABLE, File, Read
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import MAX_BYTES, Entry, read_entry
from hkgit.text.strict_json import ROOT
from tests.support.cases import cases
from tests.support.entries import as_json, entry_of, entry_of_protocol, written
from tests.support.planning import delete_range, hash_of, protocol, replace_range

TWO = b"1\n2\n"
GOOD = as_json(entry_of_protocol({"f": File(TWO, EXECUTABLE)}, replace_range("f", TWO, 2, 2, "x")))


def set_at(*path: str | int, to: Any = ...) -> Callable[[Any], None]:
    """Sets one value deep inside a document, or removes it."""

    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        if to is ...:
            del document[last]
        else:
            document[last] = to

    return change


EDIT = ("edits", 0)
HUNK = ("files", 0, "hunks", 0)


@cases(
    "change, said",
    {
        "a newer schema": (set_at("schema", to=2), "schema: is 2, but this hkgit knows 1\nUpgrade"),
        "schema 0": (set_at("schema", to=0), "schema: expected an integer from 1"),
        "no schema": (set_at("schema"), "is not a ledger entry: it has no schema"),
        "one of an edit": (set_at(*EDIT, "extra", to=1), 'edits[0]: unknown key "extra"'),
        "one of a hunk": (set_at(*HUNK, "old_hash"), 'missing key "old_hash"'),
        "a threshold over 1": (
            set_at("parameters", "threshold", to=1001),
            "parameters.threshold: expected an integer from 0 to 1000",
        ),
        "a fraction": (set_at("parameters", "threshold", to=0.8), "parameters.threshold: expected"),
        "a base by name": (set_at("base", to="main"), "base: expected hex digits"),
        "no edits": (set_at("edits", to=[]), "edits: expected 1 to 1000 edits"),
        "edits that are not numbered": (
            set_at(*EDIT, "id", to=2),
            "edits: expected 1 to 1000 edits, numbered from 1",
        ),
        "unknown evidence": (
            set_at(*EDIT, "evidence", to="trust"),
            "edits[0].evidence: expected one of",
        ),
        "no lines": (set_at(*EDIT, "lines", to=[]), "edits[0].lines: expected at least one"),
        "lines backwards": (
            set_at(*EDIT, "base_lines", to=[[3, 1]]),
            "edits[0].base_lines[0]: expected two line numbers",
        ),
        "base64 where text would do": (
            set_at(*EDIT, "path", to={"base64": "Zg=="}),
            "edits[0].path.base64: expected base64 in its usual form",
        ),
        "no base64": (
            set_at(*EDIT, "path", to={"base64": "%"}),
            "edits[0].path.base64: expected base64",
        ),
        "base64 with stray bits": (
            set_at(*EDIT, "path", to={"base64": "/x=="}),
            "edits[0].path.base64: expected base64 in its usual form",
        ),
        "a path that was not there": (
            set_at("files", 0, "before", to=None),
            "files[0].before: expected a mark",
        ),
        "a new path that is not there": (
            set_at("files", 0, "after", to=None),
            "files[0].after: expected a mark",
        ),
        "a short mode": (
            set_at("files", 0, "after", "mode", to="644"),
            "expected six octal digits",
        ),
        "edit 0": (set_at(*HUNK, "edits", to=[0]), "edits[0]: expected an integer from 1"),
        "an unknown read": (
            set_at(
                "reads", to=[{"path": "f", "lines": None, "range_hash": "0" * 64, "kind": "quote"}]
            ),
            'reads[0].kind: expected "hash", "receipt" or "late"',
        ),
        "an agent of two lines": (
            set_at("claims", "agent", to="a\nb"),
            "claims.agent: expected one line",
        ),
        "an agent that is no text": (
            set_at("claims", "agent", to={"name": "x"}),
            "claims.agent: expected a string",
        ),
        "claims": (set_at("claims", to=[]), "claims: expected an object"),
        "any claim is a claim": (set_at("claims", "time", to=[{"π": -25}]), None),
        "but no fraction": (set_at("claims", "time", to=2.5), "must be whole"),
    },
)
def test_an_entry_that_says_what_none_says_is_refused(
    change: Callable[[Any], None], said: str | None
) -> None:
    document = copy.deepcopy(GOOD)
    change(document)
    if said is None:
        assert read_entry(written(document)).claims == document["claims"]
        return
    with pytest.raises(InvalidInput) as refusal:
        read_entry(written(document))
    assert said in str(refusal.value)


BYTES = written(GOOD)


@cases(
    "data, said",
    {
        "no line feed": (BYTES[:-1], "is not canonical"),
        "one line feed more": (BYTES + b"\n", "is not canonical"),
        "a blank before it": (b" " + BYTES, "is not canonical"),
        "prose before it": (b"Here it is:\n" + BYTES, "is not canonical"),
        "other JSON": (json.dumps(GOOD).encode() + b"\n", "is not canonical"),
        "escapes": (BYTES.replace(b'"x\\n"', b'"\\u0078\\n"'), "is not canonical"),
        "a key twice": (
            BYTES.replace(b'"base":', b'"base":null,"base":'),
            'the key "base" is given',
        ),
        "minus 0": (BYTES.replace(b'"time":0', b'"time":-0.0'), "must be whole"),
        "an integer past 2**53": (
            BYTES.replace(b'"time":0', b'"time":9007199254740993'),
            "cannot be written",
        ),
        "NaN": (BYTES.replace(b'"time":0', b'"time":NaN'), "NaN is not JSON"),
        "nested deep": (
            BYTES.replace(b'"time":0', b'"time":' + b"[" * 99 + b"]" * 99),
            "at most 64 levels",
        ),
        "not UTF-8": (BYTES.replace(b"tester", b"\xff"), "is not UTF-8"),
        "a lone surrogate": (BYTES.replace(b"tester", b"\\ud800"), "found"),
        "nothing": (b"", "expected JSON"),
        "a list": (b"[{}]\n", "expected an object"),
        "too large": (b" " * (MAX_BYTES + 1), f"has {MAX_BYTES + 1} bytes, over"),
    },
)
def test_bytes_that_are_not_the_canonical_ones_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_entry(data)
    assert said in str(refusal.value)


# Whatever stands anywhere


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

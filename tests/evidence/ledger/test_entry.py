"""Entries: canonical bytes, valid by the published schema, read back as they were."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from hkgit.edits import EXECUTABLE, MAX_EDITS, CreateFile, Read, SetMode
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import MAX_BYTES, Entry, entry_id, entry_path, read_entry, write_canonical
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.document import BOM
from tests.support.attacks import sha256
from tests.support.cases import cases
from tests.support.entries import (
    CLAIMS,
    as_json,
    entry_of,
    entry_of_protocol,
    entry_of_text,
    written,
)
from tests.support.planning import (
    SOURCE,
    Operation,
    delete_range,
    hash_of,
    insert_after,
    protocol,
    replace_range,
    spec_of,
)
from tests.support.properties import examples

TWO = b"1\n2\n"


def harnesskit(path: str, old: str, new: str) -> str:
    return json.dumps({"file": path, "old_text": old, "new_text": new})


ENTRIES = {
    "a range": entry_of_protocol({"f": TWO}, replace_range("f", TWO, 1, 1, "x")),
    "an insertion": entry_of_protocol({"f": TWO}, insert_after("f", TWO, 0, "x")),
    "a deletion": entry_of_protocol({"f": TWO}, delete_range("f", TWO, 1, 2)),
    "a new file": entry_of_protocol({}, {"op": "create_file", "path": "é", "new_text": "ü"}),
    "a file less": entry_of_protocol({"f": BOM + TWO}, {"op": "delete_file", "path": "f"}),
    "a renamed one": (
        entry_of_protocol(
            {"f": TWO},
            {"op": "rename_file", "path": "f", "new_path": "g"},
            replace_range("f", TWO, 2, 2, "x"),
        )
    ),
    "harnesskit, other blanks": entry_of_text(
        {"f": b"a \nb\n"}, harnesskit("f", "a\nb\n", "a\nc\n")
    ),
    "search-replace, not UTF-8": (
        entry_of_text(
            {"f.c": b"\xff\nb\n"}, b"f.c\n<<<<<<< SEARCH\n\xff\n=======\n\xfe\n>>>>>>> REPLACE\n"
        )
    ),
    "unified-diff": entry_of_text({"f": TWO}, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n+x\n"),
    "a mode": entry_of(spec_of([SetMode("f", EXECUTABLE)], sequential=True), {"f": TWO}),
    "a path that is not UTF-8": entry_of(
        spec_of([CreateFile("a\udcff", "x")], sequential=True), {}
    ),
    "a hundred edits of a real file": (
        entry_of_protocol(
            {"f": SOURCE},
            *(replace_range("f", SOURCE, line, line, "x") for line in range(1, 300, 3)),
        )
    ),
}


@cases("entry", ENTRIES)
def test_an_entry_is_canonical_valid_and_read_back_as_it_was(entry: Entry) -> None:
    data = entry.to_bytes()
    assert data == written(as_json(entry))
    Draft202012Validator(find_schema("ledger")).validate(json.loads(data))
    assert read_entry(data) == entry


def test_a_whole_entry() -> None:
    operation = replace_range("f", TWO, 2, 2, "x")
    assert as_json(entry_of_protocol({"f": TWO}, operation)) == {
        "schema": 1,
        "ladder": LADDER_VERSION,
        "parameters": {"threshold": 800},
        "base": "b" * 40,
        "spec": {"digest": "d" * 64},
        "reads": [],
        "edits": [
            {
                "id": 1,
                "dialect": "protocol",
                "path": "f",
                "edit": {
                    "op": "replace_range",
                    "path": "f",
                    "start_line": 2,
                    "end_line": 2,
                    "new_lines": ["x"],
                    "expected_hash": sha256(b"2\n"),
                },
                "evidence": "hash",
                "expected_hash": sha256(b"2\n"),
                "evidence_lines": None,
                "lines": [[2, 2]],
                "base_lines": [[2, 2]],
                "relocated": False,
                "tier": "range",
                "repairs": [],
                "similarity": 1000,
                "confidence": 1000,
                "runner_up": None,
            }
        ],
        "files": [
            {
                "path": "f",
                "new_path": "f",
                "final_newline": True,
                "before": {"mode": "100644", "sha256": sha256(TWO)},
                "after": {"mode": "100644", "sha256": sha256(b"1\nx\n")},
                "hunks": [
                    {
                        "lines": [2, 2],
                        "old_hash": sha256(b"2\n"),
                        "new_hash": sha256(b"x\n"),
                        "new_text": "x\n",
                        "before": [sha256(b"1\n")],
                        "after": [],
                        "edits": [1],
                    }
                ],
            }
        ],
        "claims": CLAIMS,
    }


def test_context_is_hashed_three_lines_far() -> None:
    data = b"".join(b"%d\n" % n for n in range(1, 10))
    document = as_json(entry_of_protocol({"f": data}, delete_range("f", data, 5, 5)))
    [hunk] = document["files"][0]["hunks"]
    around = [[sha256(b"%d\n" % n) for n in numbers] for numbers in ((2, 3, 4), (6, 7, 8))]
    assert [hunk["before"], hunk["after"]] == around


def test_what_is_not_utf8_is_base64() -> None:
    document = as_json(ENTRIES["search-replace, not UTF-8"])
    assert document["files"][0]["hunks"][0]["new_text"] == {"base64": "/go="}
    document = as_json(ENTRIES["a path that is not UTF-8"])
    assert document["edits"][0]["path"] == {"base64": "Yf8="}


def test_an_entry_is_named_by_its_bytes() -> None:
    data = entry_of_protocol({"f": TWO}, delete_range("f", TWO, 1, 1)).to_bytes()
    name = sha256(data)
    assert entry_path(entry_id(data)) == f".hkgit/ledger/{name[:2]}/{name[2:]}.json"


def test_only_the_reads_that_an_edit_leans_on_are_kept_with_their_whole_hash() -> None:
    reads = [
        Read("f", 1, 1, hash_of(TWO, 1, 1)[:12]),
        Read("f", 2, 2, hash_of(TWO, 2, 2)[:12], "receipt"),
        Read("g", 2, 2, hash_of(TWO, 2, 2)[:12], "receipt"),
    ]
    blind: Operation = {"op": "delete_range", "path": "f", "start_line": 2, "end_line": 2}
    entry = entry_of(protocol(blind), {"f": TWO}, reads)
    assert entry.reads == (Read("f", 2, 2, hash_of(TWO, 2, 2), "receipt"),)


def test_an_entry_of_too_many_edits_is_not_written() -> None:
    data = b"".join(b"%d\n" % n for n in range(MAX_EDITS + 1))
    operations = [delete_range("f", data, n, n) for n in range(1, MAX_EDITS + 2)]
    with pytest.raises(InvalidInput, match="1001 edits are more than the 1000"):
        entry_of_protocol({"f": data}, *operations)


def test_an_entry_of_too_many_bytes_is_not_written() -> None:
    operation: Operation = {"op": "create_file", "path": "f", "new_text": "x" * MAX_BYTES}
    with pytest.raises(InvalidInput, match="Split the spec in two"):
        entry_of_protocol({}, operation)


# Canonical JSON: Python's own writer gives the bytes of RFC 8785


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=12,
)


@examples(100)
@given(VALUES)
def test_the_bytes_are_those_of_the_rfc(value: Any) -> None:
    assert write_canonical(value) == rfc8785.dumps(value) + b"\n"


@cases(
    "value",
    {
        "keys that UTF-16 sorts otherwise": {"\ufb33": 1, "\U0001f600": 2, "a": 3},
        "every escape": {"a": "".join(map(chr, range(0x180)))},
        "a tuple": {"b": (1, True), "a": ["\u2028", "\x7f", "/"]},
    },
)
def test_so_are_those_of_odd_values(value: Any) -> None:
    assert write_canonical(value) == rfc8785.dumps(value) + b"\n"


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), 0.5, 1e30, float("nan"), "\ud800", {"\udc80": 1}]
)
def test_what_no_json_says_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_canonical([value])

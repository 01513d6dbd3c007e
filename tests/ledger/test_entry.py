"""Entries: canonical bytes, valid by the published schema, read back as they were."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.document import BOM
from hkgit.edits import EXECUTABLE, MAX_EDITS, CreateFile, File, Read, SetMode
from hkgit.errors import InvalidInput
from hkgit.ledger.entry import MAX_BYTES, Entry, entry_id, entry_path
from hkgit.ledger.reading import read_entry
from hkgit.matching.places import LADDER_VERSION
from tests.applying.planning import (
    SOURCE,
    Operation,
    delete_range,
    hash_of,
    insert_after,
    protocol,
    replace_range,
    spec_of,
)
from tests.ledger.entries import (
    CLAIMS,
    as_json,
    entry_of,
    entry_of_protocol,
    entry_of_text,
    written,
)

TWO = b"1\n2\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def harnesskit(path: str, old: str, new: str) -> str:
    return json.dumps({"file": path, "old_text": old, "new_text": new})


ENTRIES = [
    pytest.param(entry_of_protocol({"f": TWO}, replace_range("f", TWO, 1, 1, "x")), id="a range"),
    pytest.param(entry_of_protocol({"f": TWO}, insert_after("f", TWO, 0, "x")), id="an insertion"),
    pytest.param(entry_of_protocol({"f": TWO}, delete_range("f", TWO, 1, 2)), id="a deletion"),
    pytest.param(entry_of_protocol({}, {"op": "create_file", "path": "é", "new_text": "ü"}),
                 id="a new file"),
    pytest.param(entry_of_protocol({"f": BOM + TWO}, {"op": "delete_file", "path": "f"}),
                 id="a file less"),
    pytest.param(entry_of_protocol({"f": TWO}, {"op": "rename_file", "path": "f", "new_path": "g"},
                                   replace_range("f", TWO, 2, 2, "x")), id="a renamed one"),
    pytest.param(entry_of_text({"f": b"a \nb\n"}, harnesskit("f", "a\nb\n", "a\nc\n")),
                 id="harnesskit, other blanks"),
    pytest.param(entry_of_text({"f.c": b"\xff\nb\n"},
                               b"f.c\n<<<<<<< SEARCH\n\xff\n=======\n\xfe\n>>>>>>> REPLACE\n"),
                 id="search-replace, not UTF-8"),
    pytest.param(entry_of_text({"f": TWO}, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n+x\n"),
                 id="unified-diff"),
    pytest.param(entry_of(spec_of([SetMode("f", EXECUTABLE)], sequential=True), {"f": TWO}),
                 id="a mode"),
    pytest.param(entry_of(spec_of([CreateFile("a\udcff", "x")], sequential=True), {}),
                 id="a path that is not UTF-8"),
    pytest.param(entry_of_protocol({"f": SOURCE}, *(
        replace_range("f", SOURCE, line, line, "x") for line in range(1, 300, 3)
    )), id="a hundred edits of a real file"),
]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_valid_by_the_schema(entry: Entry) -> None:
    schema = json.loads(files("hkgit").joinpath("schemas/ledger.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(as_json(entry))


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_read_back_as_it_was(entry: Entry) -> None:
    assert read_entry(entry.to_bytes()) == entry


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_canonical_json_and_a_line_feed(entry: Entry) -> None:
    assert entry.to_bytes() == written(as_json(entry))


def test_a_whole_entry() -> None:
    operation = replace_range("f", TWO, 2, 2, "x")
    assert as_json(entry_of_protocol({"f": TWO}, operation)) == {
        "schema": 1,
        "ladder": LADDER_VERSION,
        "parameters": {"threshold": 800},
        "base": "b" * 40,
        "spec": {"digest": "d" * 64},
        "reads": [],
        "edits": [{
            "id": 1, "dialect": "protocol", "path": "f",
            "text": '{"version": "1", "operations": [{"op": "replace_range", "path": "f", '
            '"start_line": 2, "end_line": 2, "new_lines": ["x"], "expected_hash": "'
            + sha256(b"2\n") + '"}]}',
            "evidence": "hash", "expected_hash": sha256(b"2\n"), "evidence_lines": None,
            "lines": [[2, 2]], "base_lines": [[2, 2]], "relocated": False, "tier": "range",
            "repairs": [], "similarity": 1000, "confidence": 1000, "runner_up": None,
        }],
        "files": [{
            "path": "f", "new_path": "f", "final_newline": True,
            "before": {"mode": "100644", "sha256": sha256(TWO)},
            "after": {"mode": "100644", "sha256": sha256(b"1\nx\n")},
            "hunks": [{
                "lines": [2, 2], "old_hash": sha256(b"2\n"), "new_hash": sha256(b"x\n"),
                "new_text": "x\n", "before": [sha256(b"1\n")], "after": [], "edits": [1],
            }],
        }],
        "claims": CLAIMS,
    }  # fmt: skip


def test_context_is_hashed_three_lines_far() -> None:
    data = b"".join(b"%d\n" % n for n in range(1, 10))
    document = as_json(entry_of_protocol({"f": data}, delete_range("f", data, 5, 5)))
    [hunk] = document["files"][0]["hunks"]
    around = [[sha256(b"%d\n" % n) for n in numbers] for numbers in ((2, 3, 4), (6, 7, 8))]
    assert [hunk["before"], hunk["after"]] == around


def test_bytes_that_are_not_utf8_are_base64() -> None:
    spec = b"f.c\n<<<<<<< SEARCH\n\xff\n=======\n\xfe\n>>>>>>> REPLACE\n"
    document = as_json(entry_of_text({"f.c": b"\xff\n"}, spec))
    assert document["files"][0]["hunks"][0]["new_text"] == {"base64": "/go="}


def test_a_path_that_is_not_utf8_is_base64() -> None:
    document = as_json(entry_of(spec_of([CreateFile("a\udcff", "x")], sequential=True), {}))
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


GOOD = as_json(
    entry_of_protocol({"f": File(TWO, EXECUTABLE)}, replace_range("f", TWO, 2, 2, "x"))
)


def set_at(*path: str | int, to: Any) -> Callable[[Any], None]:
    """Sets one value deep inside a document."""

    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        document[last] = to

    return change


def delete_at(*path: str | int) -> Callable[[Any], None]:
    """Removes one key deep inside a document."""

    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        del document[last]

    return change


EDIT = ("edits", 0)
HUNK = ("files", 0, "hunks", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(set_at("schema", to=2), "schema: is 2, this hkgit knows 1\nUpgrade",
                     id="a newer schema"),
        pytest.param(set_at("schema", to=0), "schema: expected an integer from 1", id="schema 0"),
        pytest.param(delete_at("schema"), "is no ledger entry: it has no schema", id="no schema"),
        pytest.param(set_at("extra", to=1), 'unknown key "extra"', id="an unknown key"),
        pytest.param(set_at(*EDIT, "extra", to=1), 'edits[0]: unknown key "extra"',
                     id="one of an edit"),
        pytest.param(delete_at("claims"), 'missing key "claims"', id="a missing key"),
        pytest.param(delete_at(*HUNK, "old_hash"), 'missing key "old_hash"', id="one of a hunk"),
        pytest.param(set_at("parameters", "threshold", to=1001), "parameters.threshold: expected "
                     "an integer from 0 to 1000", id="a threshold over 1"),
        pytest.param(set_at("parameters", "threshold", to=0.8), "parameters.threshold: expected",
                     id="a fraction"),
        pytest.param(set_at("ladder", to=True), "ladder: expected", id="a boolean"),
        pytest.param(set_at("ladder", to={"version": 1}), "ladder: expected", id="an object"),
        pytest.param(set_at("base", to="main"), "base: expected hex digits", id="a base by name"),
        pytest.param(set_at("spec", "digest", to="d" * 63), "spec.digest: expected 64 hex digits",
                     id="a short digest"),
        pytest.param(set_at("edits", to=[]), "edits: expected 1 to 1000 edits", id="no edits"),
        pytest.param(set_at(*EDIT, "id", to=2), "edits: expected 1 to 1000 edits, numbered from 1",
                     id="edits that are not numbered"),
        pytest.param(set_at(*EDIT, "evidence", to="trust"), "edits[0].evidence: expected one of",
                     id="unknown evidence"),
        pytest.param(set_at(*EDIT, "expected_hash", to="0" * 12),
                     "edits[0].expected_hash: expected hex digits", id="a prefix of a hash"),
        pytest.param(set_at(*EDIT, "lines", to=[]), "edits[0].lines: expected at least one",
                     id="no lines"),
        pytest.param(set_at(*EDIT, "base_lines", to=[]), "edits[0].base_lines: expected at least",
                     id="no lines of the base"),
        pytest.param(set_at(*EDIT, "base_lines", to=[[3, 1]]), "edits[0].base_lines[0]: expected "
                     "two line numbers", id="lines backwards"),
        pytest.param(set_at(*EDIT, "base_lines", to=[[0, 1]]), "edits[0].base_lines[0]: expected",
                     id="line 0"),
        pytest.param(set_at(*EDIT, "base_lines", to=[[1]]), "edits[0].base_lines[0]: expected",
                     id="one number"),
        pytest.param(set_at(*EDIT, "confidence", to=1001), "edits[0].confidence: expected an "
                     "integer from 0 to 1000", id="a confidence over 1"),
        pytest.param(set_at(*EDIT, "similarity", to=-1), "edits[0].similarity: expected",
                     id="a similarity below 0"),
        pytest.param(set_at(*EDIT, "path", to={"base64": "Zg=="}), "is not canonical JSON",
                     id="base64 where text would do"),
        pytest.param(set_at(*EDIT, "path", to={"base64": "%"}), "edits[0].path.base64: expected "
                     "base64", id="no base64"),
        pytest.param(set_at(*EDIT, "path", to={"base64": "/x=="}), "is not canonical JSON",
                     id="base64 with stray bits"),
        pytest.param(set_at("files", 0, "before", to=None), "files[0].before: expected a mark",
                     id="a path that was not there"),
        pytest.param(set_at("files", 0, "after", to=None), "files[0].after: expected a mark",
                     id="a new path that is not there"),
        pytest.param(set_at("files", 0, "after", "mode", to="644"), "expected six octal digits",
                     id="a short mode"),
        pytest.param(set_at(*HUNK, "old_hash", to="A" * 64), "old_hash: expected 64 hex digits",
                     id="a hash in capitals"),
        pytest.param(set_at(*HUNK, "edits", to=[0]), "edits[0]: expected an integer from 1",
                     id="edit 0"),
        pytest.param(set_at("reads", to=[{"path": "f", "lines": [1, 1], "range_hash": "",
                                          "kind": "receipt"}]),
                     "reads[0].range_hash: expected 64 hex digits", id="a read of any hash"),
        pytest.param(set_at("reads", to=[{"path": "f", "lines": None, "range_hash": "0" * 64,
                                          "kind": "quote"}]),
                     'reads[0].kind: expected "hash" or "receipt"', id="an unknown read"),
        pytest.param(set_at("claims", "agent", to="a\nb"), "claims.agent: expected one line",
                     id="an agent of two lines"),
        pytest.param(set_at("claims", "agent", to={"name": "x"}), "claims.agent: expected a string",
                     id="an agent that is no text"),
        pytest.param(set_at("claims", to=[]), "claims: expected an object", id="claims"),
        pytest.param(set_at("claims", "time", to=2.5e300), None, id="any other claim is a claim"),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(BYTES[:-1], "is not canonical", id="no line feed"),
        pytest.param(BYTES + b"\n", "is not canonical", id="one line feed more"),
        pytest.param(b" " + BYTES, "is not canonical", id="a blank before it"),
        pytest.param(b"Here it is:\n" + BYTES, "is not canonical", id="prose before it"),
        pytest.param(json.dumps(GOOD).encode() + b"\n", "is not canonical", id="other JSON"),
        pytest.param(BYTES.replace(b'"x\\n"', b'"\\u0078\\n"'), "is not canonical", id="escapes"),
        pytest.param(BYTES.replace(b'"base":', b'"base":null,"base":'), 'the key "base" stands',
                     id="a key twice"),
        pytest.param(BYTES.replace(b'"time":0', b'"time":-0.0'), "is not canonical", id="minus 0"),
        pytest.param(BYTES.replace(b'"time":0', b'"time":9007199254740993'), "cannot be written",
                     id="an integer past 2**53"),
        pytest.param(BYTES.replace(b'"time":0', b'"time":NaN'), "NaN is not JSON", id="NaN"),
        pytest.param(BYTES.replace(b'"time":0', b'"time":' + b"[" * 99 + b"]" * 99),
                     "at most 64 levels", id="nested deep"),
        pytest.param(BYTES.replace(b"tester", b"\xff"), "is not UTF-8", id="not UTF-8"),
        pytest.param(BYTES.replace(b"tester", b"\\ud800"), "found", id="a lone surrogate"),
        pytest.param(b"", "expected JSON", id="nothing"),
        pytest.param(b"[{}]\n", "expected an object", id="a list"),
        pytest.param(b" " * (MAX_BYTES + 1), f"has {MAX_BYTES + 1} bytes, over", id="too large"),
    ],
)  # fmt: skip
def test_bytes_that_are_not_the_canonical_ones_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_entry(data)
    assert said in str(refusal.value)

"""Entries are read strictly: what says anything else than an entry says is refused, by its path."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from hkgit.edits import EXECUTABLE, File
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import MAX_BYTES, read_entry
from tests.support.entries import as_json, entry_of_protocol, written
from tests.support.planning import replace_range

TWO = b"1\n2\n"
GOOD = as_json(entry_of_protocol({"f": File(TWO, EXECUTABLE)}, replace_range("f", TWO, 2, 2, "x")))


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
        pytest.param(
            set_at("schema", to=2),
            "schema: is 2, but this hkgit knows 1\nUpgrade",
            id="a newer schema",
        ),
        pytest.param(set_at("schema", to=0), "schema: expected an integer from 1", id="schema 0"),
        pytest.param(
            delete_at("schema"), "is not a ledger entry: it has no schema", id="no schema"
        ),
        pytest.param(set_at("extra", to=1), 'unknown key "extra"', id="an unknown key"),
        pytest.param(
            set_at(*EDIT, "extra", to=1), 'edits[0]: unknown key "extra"', id="one of an edit"
        ),
        pytest.param(delete_at("claims"), 'missing key "claims"', id="a missing key"),
        pytest.param(delete_at(*HUNK, "old_hash"), 'missing key "old_hash"', id="one of a hunk"),
        pytest.param(
            set_at("parameters", "threshold", to=1001),
            "parameters.threshold: expected an integer from 0 to 1000",
            id="a threshold over 1",
        ),
        pytest.param(
            set_at("parameters", "threshold", to=0.8),
            "parameters.threshold: expected",
            id="a fraction",
        ),
        pytest.param(set_at("ladder", to=True), "ladder: expected", id="a boolean"),
        pytest.param(set_at("ladder", to={"version": 1}), "ladder: expected", id="an object"),
        pytest.param(set_at("base", to="main"), "base: expected hex digits", id="a base by name"),
        pytest.param(
            set_at("spec", "digest", to="d" * 63),
            "spec.digest: expected 64 hex digits",
            id="a short digest",
        ),
        pytest.param(set_at("edits", to=[]), "edits: expected 1 to 1000 edits", id="no edits"),
        pytest.param(
            set_at(*EDIT, "id", to=2),
            "edits: expected 1 to 1000 edits, numbered from 1",
            id="edits that are not numbered",
        ),
        pytest.param(
            set_at(*EDIT, "evidence", to="trust"),
            "edits[0].evidence: expected one of",
            id="unknown evidence",
        ),
        pytest.param(
            set_at(*EDIT, "expected_hash", to="0" * 12),
            "edits[0].expected_hash: expected hex digits",
            id="a prefix of a hash",
        ),
        pytest.param(
            set_at(*EDIT, "lines", to=[]), "edits[0].lines: expected at least one", id="no lines"
        ),
        pytest.param(
            set_at(*EDIT, "base_lines", to=[]),
            "edits[0].base_lines: expected at least",
            id="no lines of the base",
        ),
        pytest.param(
            set_at(*EDIT, "base_lines", to=[[3, 1]]),
            "edits[0].base_lines[0]: expected two line numbers",
            id="lines backwards",
        ),
        pytest.param(
            set_at(*EDIT, "base_lines", to=[[0, 1]]),
            "edits[0].base_lines[0]: expected",
            id="line 0",
        ),
        pytest.param(
            set_at(*EDIT, "base_lines", to=[[1]]),
            "edits[0].base_lines[0]: expected",
            id="one number",
        ),
        pytest.param(
            set_at(*EDIT, "confidence", to=1001),
            "edits[0].confidence: expected an integer from 0 to 1000",
            id="a confidence over 1",
        ),
        pytest.param(
            set_at(*EDIT, "similarity", to=-1),
            "edits[0].similarity: expected",
            id="a similarity below 0",
        ),
        pytest.param(
            set_at(*EDIT, "path", to={"base64": "Zg=="}),
            "edits[0].path.base64: expected base64 in its usual form",
            id="base64 where text would do",
        ),
        pytest.param(
            set_at(*EDIT, "path", to={"base64": "%"}),
            "edits[0].path.base64: expected base64",
            id="no base64",
        ),
        pytest.param(
            set_at(*EDIT, "path", to={"base64": "é"}),
            "edits[0].path.base64: expected base64",
            id="base64 that is not ASCII",
        ),
        pytest.param(
            set_at(*EDIT, "path", to={"base64": "/x=="}),
            "edits[0].path.base64: expected base64 in its usual form",
            id="base64 with stray bits",
        ),
        pytest.param(
            set_at("files", 0, "before", to=None),
            "files[0].before: expected a mark",
            id="a path that was not there",
        ),
        pytest.param(
            set_at("files", 0, "after", to=None),
            "files[0].after: expected a mark",
            id="a new path that is not there",
        ),
        pytest.param(
            set_at("files", 0, "after", "mode", to="644"),
            "expected six octal digits",
            id="a short mode",
        ),
        pytest.param(
            set_at(*HUNK, "old_hash", to="A" * 64),
            "old_hash: expected 64 hex digits",
            id="a hash in capitals",
        ),
        pytest.param(
            set_at(*HUNK, "edits", to=[0]), "edits[0]: expected an integer from 1", id="edit 0"
        ),
        pytest.param(
            set_at(
                "reads", to=[{"path": "f", "lines": [1, 1], "range_hash": "", "kind": "receipt"}]
            ),
            "reads[0].range_hash: expected 64 hex digits",
            id="a read of any hash",
        ),
        pytest.param(
            set_at(
                "reads", to=[{"path": "f", "lines": None, "range_hash": "0" * 64, "kind": "quote"}]
            ),
            'reads[0].kind: expected "hash", "receipt" or "late"',
            id="an unknown read",
        ),
        pytest.param(
            set_at("claims", "agent", to="a\nb"),
            "claims.agent: expected one line",
            id="an agent of two lines",
        ),
        pytest.param(
            set_at("claims", "agent", to={"name": "x"}),
            "claims.agent: expected a string",
            id="an agent that is no text",
        ),
        pytest.param(set_at("claims", to=[]), "claims: expected an object", id="claims"),
        pytest.param(set_at("claims", "time", to=[{"π": -25}]), None, id="any claim is a claim"),
        pytest.param(set_at("claims", "time", to=2.5), "must be whole", id="but no fraction"),
    ],
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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(BYTES[:-1], "is not canonical", id="no line feed"),
        pytest.param(BYTES + b"\n", "is not canonical", id="one line feed more"),
        pytest.param(b" " + BYTES, "is not canonical", id="a blank before it"),
        pytest.param(b"Here it is:\n" + BYTES, "is not canonical", id="prose before it"),
        pytest.param(json.dumps(GOOD).encode() + b"\n", "is not canonical", id="other JSON"),
        pytest.param(BYTES.replace(b'"x\\n"', b'"\\u0078\\n"'), "is not canonical", id="escapes"),
        pytest.param(
            BYTES.replace(b'"base":', b'"base":null,"base":'),
            'the key "base" is given',
            id="a key twice",
        ),
        pytest.param(BYTES.replace(b'"time":0', b'"time":-0.0'), "must be whole", id="minus 0"),
        pytest.param(
            BYTES.replace(b'"time":0', b'"time":9007199254740993'),
            "cannot be written",
            id="an integer past 2**53",
        ),
        pytest.param(BYTES.replace(b'"time":0', b'"time":NaN'), "NaN is not JSON", id="NaN"),
        pytest.param(
            BYTES.replace(b'"time":0', b'"time":' + b"[" * 99 + b"]" * 99),
            "at most 64 levels",
            id="nested deep",
        ),
        pytest.param(BYTES.replace(b"tester", b"\xff"), "is not UTF-8", id="not UTF-8"),
        pytest.param(BYTES.replace(b"tester", b"\\ud800"), "found", id="a lone surrogate"),
        pytest.param(b"", "expected JSON", id="nothing"),
        pytest.param(b"[{}]\n", "expected an object", id="a list"),
        pytest.param(b" " * (MAX_BYTES + 1), f"has {MAX_BYTES + 1} bytes, over", id="too large"),
    ],
)
def test_bytes_that_are_not_the_canonical_ones_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_entry(data)
    assert said in str(refusal.value)

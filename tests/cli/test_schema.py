"""`hkgit schema`: what is published of the documents that other programs read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hkgit.applying.evidence import KINDS, RECOVERED
from hkgit.cli.schema import NAMES, find_schema
from hkgit.evidence.verdict import Verdict
from hkgit.gate.ruling import BY_HAND, NO_EVIDENCE
from hkgit.text.edit_json import OPERATIONS
from hkgit.text.formats import DICTIONARY, ENTRY, describe_format
from tests.support.running import run


@pytest.mark.parametrize("name", NAMES)
def test_every_published_schema_is_one(name: str) -> None:
    schema = find_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["description"]
    assert schema["$id"].startswith(f"urn:hkgit:{name}:v")


def test_a_schema_is_printed(tmp_path: Path) -> None:
    assert run("schema", "ledger", cwd=tmp_path).json() == find_schema("ledger")


def test_words_of_documents_are_those_of_the_code() -> None:
    nothing = {Verdict.MANUAL, Verdict.UNGOVERNED}
    words = describe_format("replay")["enum"]
    assert {*words} == ({*Verdict} - nothing) | {BY_HAND, NO_EVIDENCE}
    assert describe_format("evidence_kind")["enum"] == [*KINDS]
    assert describe_format("shown_evidence")["enum"] == [*KINDS, RECOVERED]
    assert describe_format("operation")["properties"]["op"]["enum"] == [*OPERATIONS]


def test_no_line_of_the_dictionary_is_skipped() -> None:
    skipped = re.sub(ENTRY, "", re.sub(r"\n {8}", " ", DICTIONARY))
    assert [line for line in skipped.split("\n") if line and not line.startswith("# ")] == []

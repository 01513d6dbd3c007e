"""`hkgit schema`: what is published of the documents that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from hkgit.applying.evidence import KINDS
from hkgit.cli.schema import NAMES, find_schema
from hkgit.evidence.verdict import Verdict
from hkgit.gate.ruling import BY_HAND, NO_EVIDENCE
from hkgit.text.formats import EvidenceKind, ReplayName
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
    [words, _] = get_args(ReplayName)
    nothing = {Verdict.MANUAL, Verdict.UNGOVERNED}
    assert set(get_args(words)) == ({*Verdict} - nothing) | {BY_HAND, NO_EVIDENCE}
    assert get_args(EvidenceKind) == KINDS

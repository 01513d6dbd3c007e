"""`hkgit gate --format` and `hkgit verify --format`: documents and annotations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.audit.reports import DOCUMENTS
from tests.support.running import Bench


@pytest.mark.parametrize("form", DOCUMENTS)
def test_standard_output_is_one_document_where_there_is_no_judgement_too(
    history: Bench, form: str
) -> None:
    result = history.run("gate", "--range", "nowhere..HEAD", "--format", form)
    assert result.code == 4
    assert "nowhere" in result.err
    json.loads(result.stdout)


def test_github_gets_annotations_and_nothing_beside_them(history: Bench, tmp_path: Path) -> None:
    env = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    asked = ("gate", "--range", "start..blind-commit", "--format", "github")
    assert "::error file=README.md,line=1," in history.run(*asked, env=env).out
    assert not (tmp_path / "summary.md").exists()


def test_what_mends_a_commit_ends_its_rejection(history: Bench, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('[gate]\naccept = ["hash", "late"]\n')
    options = ("--policy", str(tmp_path / "policy.toml"))
    lines = history.run("gate", "--range", "start..blind-commit", *options).out.splitlines()
    commit = history.repo.resolve("blind-commit")[:12]
    assert lines[-2].strip() == f"fix: hkgit redo {commit}"

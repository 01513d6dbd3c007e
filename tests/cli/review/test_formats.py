"""`hkgit gate --format` and `hkgit verify --format`: documents, annotations, the job summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.audit.reports import DOCUMENTS
from tests.support.running import Bench

WORKFLOW = {"GITHUB_SERVER_URL": "https://example.org", "GITHUB_REPOSITORY": "ada/engine"}


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("command", [["gate", "--range"], ["verify"]], ids=["gate", "verify"])
def test_standard_output_is_one_document(history: Bench, command: list[str], form: str) -> None:
    result = history.run(*command, "start..blind-commit", "--format", form)
    assert result.code == 6
    json.loads(result.stdout)


@pytest.mark.parametrize("form", DOCUMENTS)
def test_so_it_is_where_there_is_no_judgement(history: Bench, form: str) -> None:
    result = history.run("gate", "--range", "nowhere..HEAD", "--format", form)
    assert result.code == 4
    assert "nowhere" in result.err
    json.loads(result.stdout)


def test_the_job_summary_is_added_to_what_stands_there(history: Bench, tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("# Before\n")
    env = {"GITHUB_STEP_SUMMARY": str(page), **WORKFLOW}
    result = history.run("gate", "--range", "start..blind-commit", "--format", "github", env=env)
    assert "::error file=README.md,line=1," in result.out
    url = f"https://example.org/ada/engine/commit/{history.repo.git('rev-parse', 'blind-commit')}"
    before, _, added = page.read_text().partition("\n")
    assert (before, url in added) == ("# Before", True)


@pytest.mark.parametrize(
    "env",
    [
        pytest.param({}, id="outside a workflow"),
        pytest.param({"GITHUB_STEP_SUMMARY": "/nowhere/at/all"}, id="no such place"),
        pytest.param({**WORKFLOW, "GITHUB_SERVER_URL": "javascript:x"}, id="a hostile address"),
    ],
)
def test_a_judgement_needs_no_workflow_around_it(history: Bench, env: dict[str, str]) -> None:
    assert history.run("gate", "--range", "start..good", "--format", "github", env=env).code == 0


def test_other_formats_leave_the_job_summary_alone(history: Bench, tmp_path: Path) -> None:
    env = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    assert history.run("gate", "--range", "start..good", "--format", "sarif", env=env).code == 0
    assert not (tmp_path / "summary.md").exists()


def test_what_mends_a_commit_ends_its_rejection(history: Bench) -> None:
    lines = history.run("gate", "--range", "start..blind-commit").out.splitlines()
    commit = history.repo.git("rev-parse", "blind-commit")[:12]
    assert lines[-2].strip() == f"fix: hkgit redo {commit}"

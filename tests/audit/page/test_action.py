"""The action for pull requests, its comment and the badge: what their shell steps do, run here."""

import base64
import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.gate.entrypoints.jobs import github
from tests.support.cases import cases
from tests.support.ci_workflows import load, run
from tests.support.commands import ROOT, loaded_path, start
from tests.support.markup import Outline
from tests.support.orchard import Orchard
from tests.support.running import run as run_hkgit

ACTION = load(ROOT / "action.yml")
STEPS: dict[str, dict[str, Any]] = {
    each["name"]: each for each in ACTION["runs"]["steps"] if "run" in each
}
GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$CALLS"
for word in "$@"; do case $word in (body=@*|sarif=@*) cp "${word#*=@}" "$SENT" ;; esac; done
case "$*" in (*--paginate*) printf '%s' "$KNOWN" ;; esac
"""


@pytest.fixture
def job(orchard: Orchard, tmp_path: Path) -> dict[str, str]:
    """A runner's environment for a pull request with the orchard's commits."""
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    base, head = orchard.repo.resolve("start"), orchard.repo.head
    side = {"sha": base, "ref": "main", "repo": {"full_name": "o/r", "default_branch": "main"}}
    pull = {"base": side, "head": {**side, "sha": head, "ref": "topic"}, "number": 7}
    repository = {"default_branch": "main", "full_name": "o/r"}
    payload = {"pull_request": pull, "repository": repository, "number": 7}
    places = [str(gh.parent), loaded_path()["PATH"]]
    return {
        **github(tmp_path, "pull_request", payload),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "RUNNER_TEMP": str(tmp_path),
        "PATH": os.pathsep.join(places),
        "CALLS": str(tmp_path / "calls"),
        "SENT": str(tmp_path / "sent"),
        "KNOWN": "",
    }


def text(path: str) -> str:
    return Path(path).read_text("utf-8")


def test_it_judges_reports_and_stops(orchard: Orchard, job: dict[str, str]) -> None:
    checkout = orchard.repo.path
    judged = run(STEPS["Judge the commits"], checkout, job)
    assert (judged.returncode, text(job["GITHUB_OUTPUT"])) == (0, "code=6\n"), judged.stderr
    ends = {"BASE": orchard.repo.resolve("start"), "HEAD": orchard.repo.head}
    reported = run(STEPS["Report on them"], checkout, job, **ends, PAGE="hkgit-report")
    assert reported.returncode == 0, reported.stderr
    assert "4 of 24 commits do not pass" in text(job["GITHUB_STEP_SUMMARY"])
    page = text(job["GITHUB_OUTPUT"]).partition("page=")[2].strip()
    assert "Look here first" in text(page)
    assert run(STEPS["Stop where something does not pass"], checkout, job, CODE="6").returncode == 6
    assert run(STEPS["Stop where something does not pass"], checkout, job, CODE="0").returncode == 0


def test_of_commits_without_a_base_there_is_no_report(
    orchard: Orchard, job: dict[str, str]
) -> None:
    ends = {"BASE": "0" * 40, "HEAD": orchard.repo.head}
    assert run(STEPS["Report on them"], orchard.repo.path, job, **ends, PAGE="x").returncode == 0
    assert "no report" in text(job["GITHUB_STEP_SUMMARY"])


@cases(
    "known, call",
    {
        "the first": ("", "api --silent repos/o/r/issues/7/comments "),
        "one is there": ("41\n42\n", "-X PATCH repos/o/r/issues/comments/41 "),
    },
)
def test_one_comment_is_kept_up_to_date(
    orchard: Orchard, job: dict[str, str], known: str, call: str
) -> None:
    said = Path(job["RUNNER_TEMP"]) / "hkgit" / "comment.md"
    said.parent.mkdir()
    said.write_text("<!-- hkgit report -->\nsaid\n")
    step = STEPS["Keep the comment up to date"]
    done = run(step, orchard.repo.path, job | {"KNOWN": known}, GH_TOKEN="t", NUMBER="7")
    assert done.returncode == 0, done.stderr
    assert call in text(job["CALLS"]).splitlines()[-1]
    assert text(job["SENT"]) == said.read_text()


def test_findings_go_to_code_scanning(orchard: Orchard, job: dict[str, str]) -> None:
    step = STEPS["Send findings to code scanning"]
    named = {"GH_TOKEN": "t", "COMMIT": "c" * 40, "REF": "refs/pull/7/merge"}
    done = run(step, orchard.repo.path, job, **named)
    assert done.returncode == 0, done.stderr
    sent = json.loads(gzip.decompress(base64.b64decode(Path(job["SENT"]).read_bytes())))
    assert len(sent["runs"][0]["results"]) >= 4


def test_the_comment_says_the_first_screen(orchard: Orchard) -> None:
    said = run_hkgit("report", "start..HEAD", "--format", "comment", cwd=orchard.repo.path).out
    assert said.startswith("<!-- hkgit report -->\n## ❌ hkgit: 4 of 24 commits do not pass; 20 ")
    assert "| codex | 6 | 5 | 5 | 5 | 1 |" in said
    assert said.index("Answer the probe") < said.index("Tell the version")
    assert len(said) < 4000


def test_the_badge_is_a_picture_with_words(orchard: Orchard) -> None:
    drawn = run_hkgit("report", "start..HEAD", "--format", "badge", cwd=orchard.repo.path).out
    assert drawn.startswith("<svg ")
    assert "20 of 24 derived, 4 fail" in Outline(drawn).text


def test_the_action_gives_nothing_away() -> None:
    zizmor = str(Path(sys.executable).with_name("zizmor"))
    done = start(zizmor, "--offline", "--quiet", "action.yml", cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_every_part_from_elsewhere_is_pinned_by_commit() -> None:
    used = [each["uses"] for each in ACTION["runs"]["steps"] if "uses" in each]
    assert used
    assert [each for each in used if len(each.partition("@")[2]) != 40] == []


_ALL = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))"


def test_the_component_names_its_inputs_and_its_shell_is_shell() -> None:
    written = (ROOT / "templates/hkgit.yml").read_text("utf-8")
    read = start(sys.executable, "-c", _ALL, cwd=ROOT, stdin=written)
    head, body = json.loads(read.stdout)
    asked = {part.split("]]")[0].strip() for part in written.split("$[[ inputs.")[1:]}
    assert asked == set(head["spec"]["inputs"])
    script = "\n".join(body["hkgit-report"]["script"])
    assert start("bash", "-n", "-c", script, cwd=ROOT).returncode == 0

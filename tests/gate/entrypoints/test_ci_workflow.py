"""The published workflow at work in a checkout, and what it says of whether its check binds."""

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.gate.entrypoints.ci import run_checks
from tests.gate.entrypoints.jobs import event_on, github
from tests.support.cases import cases
from tests.support.ci_workflows import load, run, step
from tests.support.commands import ROOT
from tests.support.objects import open_repository
from tests.support.repos import Repo

QA_GATE = ROOT / ".github/workflows/qa-gate.yml"


def pull_request(checkout: Repo, tmp_path: Path, branch: str) -> dict[str, str]:
    """The environment of a job for a pull request of a branch onto main."""
    base, head = (checkout.resolve(f"origin/{name}") for name in ("main", branch))
    payload = {"base": {"sha": base, "ref": "main"}, "head": {"sha": head}}
    return github(tmp_path, "pull_request", {"pull_request": payload})


@cases("branch, code", {"with evidence": ("good", 0), "blind": ("blind", 6)})
def test_the_step_of_the_workflow_judges_a_pull_request(
    checkout: Repo, tmp_path: Path, branch: str, code: int
) -> None:
    environment = pull_request(checkout, tmp_path, branch)
    judge = step(load(QA_GATE), "gate", "Judge the commits under the target's policy")

    done = run(judge, checkout.path, environment)

    assert done.returncode == code, done.stdout + done.stderr
    assert checkout.resolve(f"origin/{branch}")[:12] in done.stdout


def test_the_workflow_brings_what_was_signed_beside_the_commits(
    checkout: Repo, tmp_path: Path
) -> None:
    origin = Repo(tmp_path / "origin")
    checkout.git("clone", "-q", "--bare", str(checkout.path), str(origin.path))
    origin.git("update-ref", "refs/hkgit/entries/x", origin.head)
    checkout.git("remote", "set-url", "origin", str(origin.path))
    fetch = step(load(QA_GATE), "gate", "Fetch the records beside the history")

    done = run(fetch, checkout.path, {}, TOKEN="secret")

    assert done.returncode == 0, done.stderr
    assert checkout.git("for-each-ref", "--format=%(refname)", "refs/hkgit/") == (
        "refs/hkgit/entries/x"
    )
    assert "secret" not in checkout.read(".git/config").decode()


# Whether it binds


def _doctor(checkout: Repo, environment: dict[str, str]) -> tuple[int, dict[str, Any]]:
    look = step(load(QA_GATE), "gate", "Say whether this check binds")
    done = run({"run": f"{look['run']} --json"}, checkout.path, environment)
    return done.returncode, json.loads(done.stdout)


def _levels(document: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["level"] for check in document["checks"]}


@pytest.fixture
def offered(checkout: Repo, tmp_path: Path) -> dict[str, str]:
    """A pull request, judged by the workflow of the target branch."""
    return pull_request(checkout, tmp_path, "good")


def test_at_best_it_binds_if_the_settings_that_were_not_asked_say_so(
    checkout: Repo, offered: dict[str, str]
) -> None:
    code, document = _doctor(checkout, offered)
    assert code == 0
    assert document["status"] == "unasked"
    assert set(_levels(document).values()) == {"ok", "unasked"}


def test_a_workflow_of_the_change_itself_is_advisory(
    checkout: Repo, offered: dict[str, str]
) -> None:
    own = {"GITHUB_WORKFLOW_REF": "o/r/.github/workflows/ci.yml@refs/pull/5/merge"}
    code, document = _doctor(checkout, offered | own)
    assert code == 0
    assert document["status"] == "advisory"
    assert _levels(document)["workflow"] == "advisory"


def test_kept_credentials_are_told_by_name_only(
    checkout: Repo, offered: dict[str, str], tmp_path: Path
) -> None:
    copy = Repo(tmp_path / "copy")
    checkout.git("clone", "-q", "--no-local", str(checkout.path), str(copy.path))
    copy.git("fetch", "-q", str(checkout.path), "refs/remotes/origin/*:refs/remotes/origin/*")
    copy.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic xyz")

    _, document = _doctor(copy, offered)

    assert _levels(document)["credentials"] == "advisory"
    assert "xyz" not in json.dumps(document)


PUSHED: dict[str, Any] = {"is_offer": False}
OWN = {"CI_CONFIG_PATH": ".gitlab-ci.yml"}
FOREIGN = {"CI_CONFIG_PATH": "gate.yml@group/policies"}


@cases(
    "name, old, more, environment, level",
    {
        "GitLab, its own file": ("workflow", "main", {}, OWN, "advisory"),
        "GitLab, a file of another project": ("workflow", "main", {}, FOREIGN, "ok"),
        "GitLab, a push": ("workflow", "main", PUSHED, OWN, "ok"),
        "a policy that reports": ("policy", "origin/relaxed", {}, {}, "advisory"),
        "a policy that enforces": ("policy", "main", {}, {}, "ok"),
        "after the fact": ("event", "main", PUSHED, {}, "advisory"),
    },
)
def test_each_check_has_its_level(
    checkout: Repo,
    name: str,
    old: str,
    more: dict[str, Any],
    environment: dict[str, str],
    level: str,
) -> None:
    event = event_on(checkout, old, "origin/good", **more)
    found = run_checks(open_repository(checkout), event, environment, Path("/elsewhere"))
    assert {check.name: str(check.level) for check in found}[name] == level


def test_a_judge_that_stands_in_the_checkout_is_broken(checkout: Repo) -> None:
    found = run_checks(
        open_repository(checkout),
        event_on(checkout, "main", "origin/good"),
        {},
        checkout.path / ".venv/lib/hkgit/__init__.py",
    )
    assert {check.name for check in found if check.level == "broken"} == {"judge"}


def test_a_shallow_clone_is_broken(checkout: Repo, offered: dict[str, str], tmp_path: Path) -> None:
    shallow = Repo(tmp_path / "shallow")
    checkout.git("clone", "-q", "--depth=1", f"file://{checkout.path}", str(shallow.path))

    code, document = _doctor(shallow, offered)

    assert code == 7
    assert _levels(document)["history"] == "broken"

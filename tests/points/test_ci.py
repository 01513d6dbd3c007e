"""What a CI job runs for: the range of each event, its target, and whose policy judges it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.errors import HkgitError, InvalidInput, Rejected, Unverifiable
from hkgit.git.repository import Repository
from hkgit.points.binding import checks
from hkgit.points.ci import Event, event_of, judge_event
from tests.hooks.commands import ROOT
from tests.points.serving import Served, commit
from tests.points.workflows import load, run, step
from tests.repos import Repo

ZEROS = "0" * 40
PULL = {"base": {"sha": "b" * 40, "ref": "main"}, "head": {"sha": "c" * 40}}
GROUP = {"base_sha": "b" * 40, "head_sha": "c" * 40, "base_ref": "refs/heads/main"}
PUSH = {
    "ref": "refs/heads/main",
    "before": "b" * 40,
    "after": "c" * 40,
    "repository": {"default_branch": "main"},
}
MERGE_REQUEST = {
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_COMMIT_SHA": "c" * 40,
}
GITLAB_PUSH = {
    "CI_PIPELINE_SOURCE": "push",
    "CI_COMMIT_BRANCH": "topic",
    "CI_COMMIT_BEFORE_SHA": ZEROS,
    "CI_COMMIT_SHA": "c" * 40,
    "CI_DEFAULT_BRANCH": "main",
}


def github(tmp_path: Path, name: str, payload: Any) -> dict[str, str]:
    """The environment of a job on GitHub."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/ci.yml@refs/heads/main",
    }


# The range of each event


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        pytest.param(
            "pull_request", {"pull_request": PULL},
            ("refs/heads/main", "b" * 40, "c" * 40, True), id="a pull request",
        ),
        pytest.param(
            "merge_group", {"merge_group": GROUP},
            ("refs/heads/main", "b" * 40, "c" * 40, True), id="a merge group",
        ),
        pytest.param(
            "push", PUSH, ("refs/heads/main", "b" * 40, "c" * 40, False), id="a push"
        ),
        pytest.param(
            "push", PUSH | {"before": ZEROS}, ("refs/heads/main", None, "c" * 40, False),
            id="a new branch",
        ),
        pytest.param(
            "push", PUSH | {"after": ZEROS}, ("refs/heads/main", "b" * 40, None, False),
            id="a deleted branch",
        ),
    ],
)  # fmt: skip
def test_github_tells_the_target_and_the_range(
    tmp_path: Path, name: str, payload: Any, expected: tuple[Any, ...]
) -> None:
    event = event_of(github(tmp_path, name, payload))
    assert (event.ref, event.old, event.new, event.is_offer) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        pytest.param(
            MERGE_REQUEST,
            ("refs/heads/main", "refs/remotes/origin/main", "c" * 40, True),
            id="a merge request",
        ),
        pytest.param(
            MERGE_REQUEST | {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "b" * 40},
            ("refs/heads/main", "b" * 40, "c" * 40, True),
            id="its merged result",
        ),
        pytest.param(
            GITLAB_PUSH, ("refs/heads/topic", None, "c" * 40, False), id="a new branch"
        ),
        pytest.param(
            GITLAB_PUSH | {"CI_COMMIT_TAG": "v1", "CI_COMMIT_BEFORE_SHA": "b" * 40},
            ("refs/tags/v1", "b" * 40, "c" * 40, False),
            id="a tag",
        ),
    ],
)
def test_gitlab_tells_the_target_and_the_range(
    environment: dict[str, str], expected: tuple[Any, ...]
) -> None:
    event = event_of({"GITLAB_CI": "true"} | environment)
    assert (event.ref, event.old, event.new, event.is_offer) == expected


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        pytest.param("schedule", {}, id="an event without commits"),
        pytest.param("pull_request", {}, id="a payload without its pull request"),
        pytest.param("push", [], id="a payload that is no object"),
    ],
)
def test_an_event_that_brings_no_commits_is_refused(
    tmp_path: Path, name: str, payload: Any
) -> None:
    with pytest.raises(InvalidInput):
        event_of(github(tmp_path, name, payload))


def test_outside_ci_there_is_no_event() -> None:
    with pytest.raises(InvalidInput, match="neither"):
        event_of({"CI": "true"})


# The judgement


@pytest.fixture(scope="module")
def checkout(served_template: Served, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A clone as a runner makes it, of a server that has every branch and no hook in the way."""
    folder = tmp_path_factory.mktemp("ci")
    server = Repo.init(folder / "server.git", bare=True)
    served_template.clone.git("push", "-q", "--mirror", str(server.path))
    server.git("clone", "-q", str(server.path), str(folder / "checkout"))
    repo = Repo(folder / "checkout")
    repo.git("checkout", "-q", "-b", "tight")
    commit(repo, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})
    repo.git("checkout", "-q", "main")
    return repo


def _event(checkout: Repo, old: str | None, new: str | None, **more: Any) -> Event:
    sides = [None if rev is None else checkout.git("rev-parse", rev) for rev in (old, new)]
    settings: dict[str, Any] = {"ref": "refs/heads/main", "is_offer": True} | more
    return Event("here", "test", old=sides[0], new=sides[1], default_branch="main", **settings)


def _verdicts(checkout: Repo, event: Event) -> list[str]:
    report = judge_event(Repository.discover(checkout.path), event)
    return [str(ruling.judged.verdict) for ruling in report.rulings]


PUSHED: dict[str, Any] = {"is_offer": False}
TOPIC: dict[str, Any] = {"is_offer": False, "ref": "refs/heads/topic"}


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        pytest.param("main", "origin/good", {}, ["strict"], id="offered with evidence"),
        pytest.param("main", "origin/blind", {}, ["fail"], id="offered blindly"),
        pytest.param("origin/human", "origin/good", {}, ["strict"], id="behind its target"),
        pytest.param("origin/good", "main", {}, [], id="offered again"),
        pytest.param("main", "origin/blind", PUSHED, ["fail"], id="pushed"),
        pytest.param("origin/good", None, TOPIC, [], id="deleted"),
        pytest.param(None, "origin/blind", TOPIC, ["fail"], id="a new branch"),
        pytest.param("origin/human", "origin/blind", TOPIC, ["fail"], id="rewritten"),
    ],
)
def test_each_commit_of_the_range_is_judged(
    checkout: Repo, old: str, new: str | None, more: dict[str, Any], expected: list[str]
) -> None:
    assert _verdicts(checkout, _event(checkout, old, new, **more)) == expected


@pytest.mark.parametrize(
    ("event", "error"),
    [
        pytest.param(Event("h", "n", "refs/heads/main", "d" * 40, "main", True), Unverifiable,
                     id="a target that is not here"),
        pytest.param(Event("h", "n", "refs/heads/main", "main", "d" * 40, True), Unverifiable,
                     id="an offer that is not here"),
        pytest.param(Event("h", "n", "refs/heads/main", "d" * 40, "main", False, "main"),
                     Unverifiable, id="a default branch whose old tip is gone"),
        pytest.param(Event("h", "n", "refs/heads/main", "tight", "main", False, "main"),
                     Rejected, id="an older policy brought back"),
    ],
)  # fmt: skip
def test_what_cannot_be_held_against_anything_never_passes(
    checkout: Repo, event: Event, error: type[HkgitError]
) -> None:
    with pytest.raises(error):
        judge_event(Repository.discover(checkout.path), event)


# The published workflow


QA_GATE = ROOT / ".github/workflows/qa-gate.yml"


@pytest.mark.parametrize(
    ("branch", "code"),
    [pytest.param("good", 0, id="with evidence"), pytest.param("blind", 6, id="blind")],
)
def test_the_step_of_the_workflow_judges_a_pull_request(
    checkout: Repo, tmp_path: Path, branch: str, code: int
) -> None:
    base, head = (checkout.git("rev-parse", f"origin/{name}") for name in ("main", branch))
    payload = {"base": {"sha": base, "ref": "main"}, "head": {"sha": head}}
    summary = tmp_path / "summary.md"
    environment = github(tmp_path, "pull_request", {"pull_request": payload}) | {
        "GITHUB_STEP_SUMMARY": str(summary)
    }
    judge = step(load(QA_GATE), "gate", "Judge the commits under the target's policy")

    done = run(judge, checkout.path, environment)

    assert done.returncode == code, done.stdout + done.stderr
    assert head[:12] in summary.read_text()


def test_the_workflow_brings_what_was_signed_beside_the_commits(
    checkout: Repo, tmp_path: Path
) -> None:
    origin = Repo(tmp_path / "origin")
    checkout.git("clone", "-q", "--bare", str(checkout.path), str(origin.path))
    origin.git("update-ref", "refs/hkgit/entries/x", origin.git("rev-parse", "HEAD"))
    checkout.git("remote", "set-url", "origin", str(origin.path))
    fetch = step(load(QA_GATE), "gate", "Fetch signed verdicts and entries")

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
    base, head = (checkout.git("rev-parse", f"origin/{name}") for name in ("main", "good"))
    payload = {"base": {"sha": base, "ref": "main"}, "head": {"sha": head}}
    return github(tmp_path, "pull_request", {"pull_request": payload})


def test_at_best_it_binds_if_the_settings_that_were_not_asked_say_so(
    checkout: Repo, offered: dict[str, str]
) -> None:
    code, document = _doctor(checkout, offered)
    assert (code, document["status"]) == (0, "unasked")
    assert set(_levels(document).values()) == {"ok", "unasked"}


def test_a_workflow_of_the_change_itself_is_advisory(
    checkout: Repo, offered: dict[str, str]
) -> None:
    own = {"GITHUB_WORKFLOW_REF": "o/r/.github/workflows/ci.yml@refs/pull/5/merge"}
    code, document = _doctor(checkout, offered | own)
    assert (code, document["status"]) == (0, "advisory")
    assert _levels(document)["workflow"] == "advisory"


def test_a_push_is_advisory(checkout: Repo, tmp_path: Path) -> None:
    base, head = (checkout.git("rev-parse", f"origin/{name}") for name in ("main", "good"))
    push = PUSH | {"before": base, "after": head}
    _, document = _doctor(checkout, github(tmp_path, "push", push))
    assert _levels(document)["event"] == "advisory"


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


OWN = {"CI_CONFIG_PATH": ".gitlab-ci.yml"}
FOREIGN = {"CI_CONFIG_PATH": "gate.yml@group/policies"}


@pytest.mark.parametrize(
    ("name", "old", "more", "environment", "level"),
    [
        pytest.param("workflow", "main", {}, OWN, "advisory", id="GitLab, its own file"),
        pytest.param("workflow", "main", {}, FOREIGN, "ok", id="GitLab, a file of another project"),
        pytest.param("workflow", "main", PUSHED, OWN, "ok", id="GitLab, a push"),
        pytest.param("policy", "origin/relaxed", {}, {}, "advisory", id="a policy that reports"),
        pytest.param("policy", "main", {}, {}, "ok", id="a policy that enforces"),
        pytest.param("event", "main", PUSHED, {}, "advisory", id="after the fact"),
    ],
)
def test_each_check_has_its_level(
    checkout: Repo, name: str, old: str, more: dict[str, Any], environment: dict[str, str],
    level: str,
) -> None:  # fmt: skip
    event = _event(checkout, old, "origin/good", **more)
    found = checks(Repository.discover(checkout.path), event, environment, Path("/elsewhere"))
    assert {check.name: str(check.level) for check in found}[name] == level


def test_a_judge_that_stands_in_the_checkout_is_broken(checkout: Repo) -> None:
    found = checks(
        Repository.discover(checkout.path), _event(checkout, "main", "origin/good"), {},
        checkout.path / ".venv/lib/hkgit/__init__.py",
    )  # fmt: skip
    assert {check.name for check in found if check.level == "broken"} == {"judge"}


def test_a_shallow_clone_is_broken(
    checkout: Repo, offered: dict[str, str], tmp_path: Path
) -> None:
    shallow = Repo(tmp_path / "shallow")
    checkout.git("clone", "-q", "--depth=1", f"file://{checkout.path}", str(shallow.path))

    code, document = _doctor(shallow, offered)

    assert (code, _levels(document)["history"]) == (7, "broken")

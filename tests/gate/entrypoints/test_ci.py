"""What a CI job runs for: the range of each event, its target, and whose policy judges it."""

from pathlib import Path
from typing import Any

import pytest

from hkgit.errors import HkgitError, InvalidInput, Rejected, Unverifiable
from hkgit.gate.entrypoints.ci import CiEvent, judge_event, read_event
from hkgit.gate.policy.model import Policy
from tests.gate.entrypoints.jobs import PUSH, event_on, github
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

ZEROS = "0" * 40
PULL = {"base": {"sha": "b" * 40, "ref": "main"}, "head": {"sha": "c" * 40}}
GROUP = {"base_sha": "b" * 40, "head_sha": "c" * 40, "base_ref": "refs/heads/main"}
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


# The range of each event


@cases(
    "name, payload, expected",
    {
        "a pull request": (
            "pull_request",
            {"pull_request": PULL},
            ("refs/heads/main", "b" * 40, "c" * 40, True),
        ),
        "a merge group": (
            "merge_group",
            {"merge_group": GROUP},
            ("refs/heads/main", "b" * 40, "c" * 40, True),
        ),
        "a push": ("push", PUSH, ("refs/heads/main", "b" * 40, "c" * 40, False)),
        "a new branch": (
            "push",
            PUSH | {"before": ZEROS},
            ("refs/heads/main", None, "c" * 40, False),
        ),
        "a deleted branch": (
            "push",
            PUSH | {"after": ZEROS},
            ("refs/heads/main", "b" * 40, None, False),
        ),
    },
)
def test_github_tells_the_target_and_the_range(
    tmp_path: Path, name: str, payload: Any, expected: tuple[Any, ...]
) -> None:
    event = read_event(github(tmp_path, name, payload))
    assert (event.ref, event.old, event.new, event.is_offer) == expected


@cases(
    "environment, expected",
    {
        "a merge request": (
            MERGE_REQUEST,
            ("refs/heads/main", "refs/remotes/origin/main", "c" * 40, True),
        ),
        "its merged result": (
            MERGE_REQUEST | {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "b" * 40},
            ("refs/heads/main", "b" * 40, "c" * 40, True),
        ),
        "a new branch": (GITLAB_PUSH, ("refs/heads/topic", None, "c" * 40, False)),
        "a tag": (
            GITLAB_PUSH | {"CI_COMMIT_TAG": "v1", "CI_COMMIT_BEFORE_SHA": "b" * 40},
            ("refs/tags/v1", "b" * 40, "c" * 40, False),
        ),
    },
)
def test_gitlab_tells_the_target_and_the_range(
    environment: dict[str, str], expected: tuple[Any, ...]
) -> None:
    event = read_event({"GITLAB_CI": "true"} | environment)
    assert (event.ref, event.old, event.new, event.is_offer) == expected


@cases(
    "name, payload",
    {
        "an event without commits": ("schedule", {}),
        "a payload without its pull request": ("pull_request", {}),
        "a payload that is no object": ("push", []),
    },
)
def test_an_event_that_brings_no_commits_is_refused(
    tmp_path: Path, name: str, payload: Any
) -> None:
    with pytest.raises(InvalidInput):
        read_event(github(tmp_path, name, payload))


def test_outside_ci_there_is_no_event() -> None:
    with pytest.raises(InvalidInput, match="is not GitHub Actions or GitLab CI"):
        read_event({"CI": "true"})


@cases(
    "content, words",
    {"no name": (None, "is empty or not set"), "an empty file": ("", "is not JSON")},
)
def test_a_job_without_its_event_says_what_is_missing(
    tmp_path: Path, content: str | None, words: str
) -> None:
    job = github(tmp_path, "push", PUSH)
    path = Path(job["GITHUB_EVENT_PATH"])
    if content is not None:
        path.write_text(content)
    with pytest.raises(InvalidInput, match=words):
        read_event(job | {"GITHUB_EVENT_PATH": "" if content is None else str(path)})


# The judgement


def _verdicts(checkout: Repo, event: CiEvent) -> list[str]:
    report = judge_event(open_repository(checkout), event, say=pytest.fail)
    return [str(ruling.judged.verdict) for ruling in report.rulings]


PUSHED: dict[str, Any] = {"is_offer": False}
TOPIC: dict[str, Any] = {"is_offer": False, "ref": "refs/heads/topic"}


@cases(
    "old, new, more, expected",
    {
        "offered with evidence": ("main", "origin/good", {}, ["strict"]),
        "offered blindly": ("main", "origin/blind", {}, ["fail"]),
        "behind its target": ("origin/human", "origin/good", {}, ["strict"]),
        "offered again": ("origin/good", "main", {}, []),
        "pushed": ("main", "origin/blind", PUSHED, ["fail"]),
        "deleted": ("origin/good", None, TOPIC, []),
        "a new branch": (None, "origin/blind", TOPIC, ["fail"]),
        "rewritten": ("origin/human", "origin/blind", TOPIC, ["fail"]),
    },
)
def test_each_commit_of_the_range_is_judged(
    checkout: Repo, old: str, new: str | None, more: dict[str, Any], expected: list[str]
) -> None:
    assert _verdicts(checkout, event_on(checkout, old, new, **more)) == expected


@cases(
    "event, error",
    {
        "a target that is not here": (
            CiEvent("h", "n", "refs/heads/main", "d" * 40, "main", True),
            Unverifiable,
        ),
        "an offer that is not here": (
            CiEvent("h", "n", "refs/heads/main", "main", "d" * 40, True),
            Unverifiable,
        ),
        "a default branch whose old tip is gone": (
            CiEvent("h", "n", "refs/heads/main", "d" * 40, "main", False, "main"),
            Unverifiable,
        ),
        "a new branch without the default one": (
            CiEvent("h", "n", "refs/heads/topic", None, "main", False, "trunk"),
            Unverifiable,
        ),
        "an older policy brought back": (
            CiEvent("h", "n", "refs/heads/main", "tight", "main", False, "main"),
            Rejected,
        ),
    },
)
def test_what_cannot_be_held_against_anything_never_passes(
    checkout: Repo, event: CiEvent, error: type[HkgitError]
) -> None:
    with pytest.raises(error):
        judge_event(open_repository(checkout), event, say=pytest.fail)


def test_what_a_policy_that_warns_would_refuse_is_said(checkout: Repo) -> None:
    event = event_on(checkout, "origin/human", "origin/blind", **TOPIC)
    said = list[str]()
    policy = Policy(mode="warn", rewrites="refuse")
    report = judge_event(open_repository(checkout), event, policy, say=said.append)
    assert (report.passes, report.rulings) == (True, ())
    assert "would be rejected" in said[0]
    assert "the policy refuses rewrites" in said[0]

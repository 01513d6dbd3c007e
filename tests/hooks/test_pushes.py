"""Pushes: what a branch or tag adds to the remote is judged under the policy that is there."""

from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, expect_pass, expect_refusal, stage_line_two
from tests.support.repos import Repo


def _publish(repo: Repo, tmp_path: Path) -> Repo:
    """A remote that has main, and a branch ahead of it."""
    remote = Repo.init(tmp_path / "remote", bare=True)
    repo.git("remote", "add", "origin", str(remote.path))
    repo.git("push", "-q", "--no-verify", "origin", "main", "evidence:ahead")
    return remote


def _refs(remote: Repo) -> str:
    return remote.git("for-each-ref", "--format=%(refname) %(objectname)")


def _commit_blindly(repo: Repo, branch: str) -> None:
    """An agent's commit that skipped the hooks."""
    repo.git("checkout", "-q", "-B", branch, "main")
    stage_line_two(repo, "2")
    repo.git("commit", "-q", "--no-verify", "-m", "Blind", env=AGENT)


@cases(
    "refspecs",
    {
        "to a branch that is there": ["blind:main"],
        "as a new branch": ["blind"],
        "beside a good branch": ["evidence", "blind"],
        "as a tag": ["blind^{commit}:refs/tags/v1"],
        "by force": ["+blind:main"],
    },
)
def test_a_blind_commit_is_not_pushed(native: Repo, tmp_path: Path, refspecs: list[str]) -> None:
    remote = _publish(native, tmp_path)
    before = _refs(remote)
    _commit_blindly(native, "blind")
    assert "is an agent" in expect_refusal(native, "push", "origin", *refspecs)
    assert _refs(remote) == before


@pytest.mark.sampled
@cases(
    "arguments",
    {
        "an agent's commit with evidence": ["evidence:main"],
        "the same as a new branch": ["evidence"],
        "the same as a tag": ["evidence:refs/tags/v1"],
        "nothing new": ["main"],
        "a branch set back": ["+main:ahead"],
        "a branch deleted": [":ahead"],
        "what is no branch and no tag": ["blind:refs/notes/blind"],
        "a new name for what is there": ["main:refs/heads/copy"],
        "a tag of a tree": ["main^{tree}:refs/tags/tree"],
    },
)
def test_what_is_accounted_for_is_pushed(
    native: Repo, tmp_path: Path, arguments: list[str]
) -> None:
    _publish(native, tmp_path)
    _commit_blindly(native, "blind")
    expect_pass(native, "push", "origin", *arguments)


def test_a_new_branch_is_held_against_the_default_branch_of_the_remote(
    native: Repo, tmp_path: Path
) -> None:
    _publish(native, tmp_path)
    native.git("remote", "set-head", "origin", "main")
    _commit_blindly(native, "scratch")
    native.git("push", "-q", "--no-verify", "origin", "scratch")
    expect_refusal(native, "push", "origin", "scratch:refs/heads/feature")


def test_a_policy_that_is_pushed_does_not_judge_its_own_push(native: Repo, tmp_path: Path) -> None:
    _publish(native, tmp_path)
    native.write(".hkgit/config.toml", '[gate]\nmode = "report"\n')
    native.git("commit", "-q", "--no-verify", "-a", "-m", "Relax")
    _commit_blindly(native, "blind")
    expect_refusal(native, "push", "origin", "blind:main")


def test_a_policy_is_not_set_back_by_force(native: Repo, tmp_path: Path) -> None:
    _publish(native, tmp_path)
    assert "has a different policy" in expect_refusal(native, "push", "origin", "+main^:main")


def test_a_first_push_says_that_there_is_nothing_to_hold_it_against(
    native: Repo, tmp_path: Path
) -> None:
    remote = Repo.init(tmp_path / "remote", bare=True)
    said = expect_pass(native, "push", str(remote.path), "main")
    assert "refs/heads/main is not judged" in said


def test_the_framework_judges_the_ref_that_it_tells_of(framework: Repo, tmp_path: Path) -> None:
    _publish(framework, tmp_path)
    _commit_blindly(framework, "blind")
    assert "is an agent" in expect_refusal(framework, "push", "origin", "blind:main")


@cases(
    "arguments",
    {"an agent's commit with evidence": ["evidence:main"], "a branch set back": ["+main:ahead"]},
)
def test_the_framework_lets_through_what_is_accounted_for(
    framework: Repo, tmp_path: Path, arguments: list[str]
) -> None:
    _publish(framework, tmp_path)
    expect_pass(framework, "push", "origin", *arguments)

"""Pushes: what a branch or tag adds to the remote is judged under the policy that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import AGENT, git
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
    repo.write("app.py", "one\n2\nthree\n")
    repo.git("commit", "-q", "--no-verify", "-a", "-m", "Blind", env=AGENT)


@pytest.mark.parametrize(
    "refspecs",
    [
        pytest.param(["blind:main"], id="to a branch that is there"),
        pytest.param(["blind"], id="as a new branch"),
        pytest.param(["evidence", "blind"], id="beside a good branch"),
        pytest.param(["blind^{commit}:refs/tags/v1"], id="as a tag"),
        pytest.param(["+blind:main"], id="by force"),
    ],
)
def test_a_blind_commit_is_not_pushed(native: Repo, tmp_path: Path, refspecs: list[str]) -> None:
    remote = _publish(native, tmp_path)
    before = _refs(remote)
    _commit_blindly(native, "blind")

    done, said = git(native, "push", "origin", *refspecs)

    assert done is False
    assert _refs(remote) == before
    assert "is an agent" in said


@pytest.mark.sampled
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["evidence:main"], id="an agent's commit with evidence"),
        pytest.param(["evidence"], id="the same as a new branch"),
        pytest.param(["evidence:refs/tags/v1"], id="the same as a tag"),
        pytest.param(["main"], id="nothing new"),
        pytest.param(["+main:ahead"], id="a branch set back"),
        pytest.param([":ahead"], id="a branch deleted"),
        pytest.param(["blind:refs/notes/blind"], id="what is no branch and no tag"),
        pytest.param(["main:refs/heads/copy"], id="a new name for what is there"),
        pytest.param(["main^{tree}:refs/tags/tree"], id="a tag of a tree"),
    ],
)
def test_what_is_accounted_for_is_pushed(
    native: Repo, tmp_path: Path, arguments: list[str]
) -> None:
    _publish(native, tmp_path)
    _commit_blindly(native, "blind")

    done, said = git(native, "push", "origin", *arguments)

    assert done, said


def test_a_new_branch_is_held_against_the_default_branch_of_the_remote(
    native: Repo, tmp_path: Path
) -> None:
    _publish(native, tmp_path)
    native.git("remote", "set-head", "origin", "main")
    _commit_blindly(native, "scratch")
    native.git("push", "-q", "--no-verify", "origin", "scratch")

    done, said = git(native, "push", "origin", "scratch:refs/heads/feature")

    assert not done, said


def test_a_policy_that_is_pushed_does_not_judge_its_own_push(native: Repo, tmp_path: Path) -> None:
    _publish(native, tmp_path)
    native.write(".hkgit/config.toml", '[gate]\nmode = "report"\n')
    native.git("commit", "-q", "--no-verify", "-a", "-m", "Relax")
    _commit_blindly(native, "blind")

    done, said = git(native, "push", "origin", "blind:main")

    assert not done, said


def test_a_policy_is_not_set_back_by_force(native: Repo, tmp_path: Path) -> None:
    _publish(native, tmp_path)

    done, said = git(native, "push", "origin", "+main^:main")

    assert not done
    assert "has a different policy" in said


def test_a_first_push_says_that_there_is_nothing_to_hold_it_against(
    native: Repo, tmp_path: Path
) -> None:
    remote = Repo.init(tmp_path / "remote", bare=True)

    done, said = git(native, "push", str(remote.path), "main")

    assert done, said
    assert "refs/heads/main is not judged" in said


def test_the_framework_judges_the_ref_that_it_tells_of(framework: Repo, tmp_path: Path) -> None:
    _publish(framework, tmp_path)
    _commit_blindly(framework, "blind")

    done, said = git(framework, "push", "origin", "blind:main")

    assert not done
    assert "is an agent" in said


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["evidence:main"], id="an agent's commit with evidence"),
        pytest.param(["+main:ahead"], id="a branch set back"),
    ],
)
def test_the_framework_lets_through_what_is_accounted_for(
    framework: Repo, tmp_path: Path, arguments: list[str]
) -> None:
    _publish(framework, tmp_path)

    done, said = git(framework, "push", "origin", *arguments)

    assert done, said

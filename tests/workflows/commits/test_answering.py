"""What `apply` leaves for the gate's hooks: an answer on the very commit that was judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.git.repository import Repository
from hkgit.git.transactions.worktree import Worktree
from hkgit.workflows.commits.answering import JudgedMessage, leave_answer
from tests.support.commands import start
from tests.support.repos import Repo

PERSON = {
    f"GIT_{who}_{what}": said
    for who in ("AUTHOR", "COMMITTER")
    for what, said in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


@pytest.fixture
def judged(repo: Repo, tmp_path: Path) -> Path:
    """A repository in the middle of a commit that was judged; the file of its message."""
    repo.commit({"a.py": "x = 1\n"})
    repo.write("a.py", "x = 2\n")
    repo.git("add", "-A")
    opened = Repository.discover(repo.path)
    worktree = Worktree(repo.path, opened.git_dir, repo.head, repo.git("write-tree"), is_full=True)
    person = "Ada <ada@example.org>"
    leave_answer(worktree, JudgedMessage(person, person, b"Edit\n"))
    message = tmp_path / "message"
    message.write_text("Edit\n")
    return message


def passes(repo: Repo, *words: str, **env: str) -> bool:
    return start("sh", ".git/hkgit/ask", *words, cwd=repo.path, env=PERSON | env).returncode == 0


def test_the_commit_that_was_judged_passes(repo: Repo, judged: Path) -> None:
    assert passes(repo)
    assert passes(repo, "message", str(judged))


@pytest.mark.parametrize("change", ["echo y >>a.py; git add a.py", "echo more >>$MESSAGE"])
def test_what_changes_behind_the_first_hook_is_judged_again(
    repo: Repo, judged: Path, change: str
) -> None:
    assert passes(repo)
    env = PERSON | {"MESSAGE": str(judged)}
    assert start("sh", "-c", change, cwd=repo.path, env=env).returncode == 0
    assert not passes(repo, "message", str(judged))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("echo y >>a.py; git add a.py", id="the tree"),
        pytest.param("git commit -q -n --allow-empty -m Empty", id="the parent"),
        pytest.param("echo more >>$MESSAGE", id="the message"),
        pytest.param("git rev-parse HEAD >.git/MERGE_HEAD", id="a merge"),
        pytest.param("rm .git/hkgit/asked", id="nothing judged"),
    ],
)
def test_another_commit_is_judged_again(repo: Repo, judged: Path, change: str) -> None:
    env = PERSON | {"MESSAGE": str(judged)}
    assert start("sh", "-c", change, cwd=repo.path, env=env).returncode == 0
    assert not passes(repo, "message", str(judged))


@pytest.mark.parametrize("who", ["AUTHOR", "COMMITTER"])
def test_somebody_else_is_judged_again(repo: Repo, judged: Path, who: str) -> None:
    assert not passes(repo, "message", str(judged), **{f"GIT_{who}_NAME": "claude"})

"""Landing where something else is under way, or where git or a signal cuts it short."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.errors import GitRefused
from tests.git.transactions.landing import commit_on, everything, expect_unlocked, land_on_main
from tests.support.cases import cases
from tests.support.repos import Repo

# In the middle of something


def in_a_merge(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")


def in_a_rebase(repo: Repo) -> None:
    repo.git("rebase", "-q", "-x", "false", "HEAD~", check=False)
    repo.git("checkout", "-q", "main")


def in_a_cherry_pick(repo: Repo) -> None:
    repo.git("cherry-pick", "conflict", check=False)


def in_a_revert(repo: Repo) -> None:
    repo.git("revert", "HEAD~", check=False)


def in_a_bisect(repo: Repo) -> None:
    repo.git("bisect", "start")


@cases(
    "begin, named",
    {
        "merge": (in_a_merge, "a merge"),
        "rebase": (in_a_rebase, "a rebase"),
        "cherry-pick": (in_a_cherry_pick, "a cherry-pick"),
        "revert": (in_a_revert, "a revert"),
        "bisect": (in_a_bisect, "a bisect"),
    },
)
def test_nothing_lands_in_the_middle_of_something(
    based: Repo, begin: Callable[[Repo], None], named: str
) -> None:
    based.git("branch", "side")
    based.git("checkout", "-q", "-b", "conflict")
    based.commit({"a": "conflict\n"})
    based.git("checkout", "-q", "side")
    based.commit({"side": "1\n"})
    based.git("checkout", "-q", "main")
    based.commit({"a": "2\n"})
    based.commit({"a": "3\n"})
    begin(based)
    before = everything(based)
    with pytest.raises(GitRefused, match=f"{named} is under way here"):
        land_on_main(based, {"dir/c": "2\n"})
    assert everything(based) == before


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_what_another_git_has_locked_is_refused(based: Repo, lock: str) -> None:
    before = everything(based)
    (based.path / ".git" / lock).touch()
    with pytest.raises(GitRefused, match="Another git process is running"):
        land_on_main(based, {"a": "2\n"})
    (based.path / ".git" / lock).unlink()
    assert everything(based) == before


def test_a_hook_on_references_is_heard(based: Repo) -> None:
    based.write_hook("reference-transaction", "echo 'not on my watch' >&2; exit 1")
    before = everything(based)
    with pytest.raises(GitRefused, match="not on my watch"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before


@cases(
    "smudge, said",
    {
        "git gives up": ("false", "smudge filter broken failed"),
        "git dies": ("kill -9 $PPID; exit 1", "ended by SIGKILL"),
    },
)
def test_a_checkout_that_cannot_follow_is_undone(based: Repo, smudge: str, said: str) -> None:
    based.git("config", "filter.broken.smudge", smudge)
    based.git("config", "filter.broken.required", "true")
    based.write(".git/info/attributes", "z filter=broken\n")
    before = everything(based)[:3]
    with pytest.raises(GitRefused, match=said):
        land_on_main(based, {"a": "2\n", "b": None, "new/x": "2\n", "z": "2\n"})
    assert everything(based)[:3] == before
    assert based.status() == []
    expect_unlocked(based)


ON_MAIN = "grep -q refs/heads/main && [ $1 = {} ] && kill -9 $PPID; exit 0"
"""A hook that kills the git which moves the branch."""


def test_a_git_that_dies_before_it_moves_the_branch_leaves_no_lock(based: Repo) -> None:
    based.write_hook("reference-transaction", ON_MAIN.format("prepared"))
    before = everything(based)
    with pytest.raises(GitRefused, match="git update-ref: was ended by SIGKILL"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before
    expect_unlocked(based)


def test_a_git_that_dies_when_it_has_moved_the_branch_has_landed(based: Repo) -> None:
    based.write_hook("reference-transaction", ON_MAIN.format("committed"))
    new = land_on_main(based, {"a": "2\n"})
    assert based.head == new
    assert based.read("a") == b"2\n"
    assert based.status() == []
    expect_unlocked(based)


LAND = """
import pathlib, sys
from hkgit.git.repository import Repository
from hkgit.git.transaction.transaction import transaction
opened = Repository.discover(pathlib.Path.cwd())
old, new = sys.argv[1:]
with transaction(opened, branch="main", old=old, checkout=True) as begun:
    begun.land(new, reflog="x")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_until_the_checkout_has_followed(
    based: Repo, tmp_path: Path, number: signal.Signals
) -> None:
    waiting, sent = tmp_path / "waiting", tmp_path / "sent"
    until = f"until [ -e '{sent}' ]; do sleep 0.02; done"
    based.write_hook("reference-transaction", f"touch '{waiting}'; {until}")
    new = commit_on(based, {"a": "2\n"})
    command = [sys.executable, "-c", LAND, based.head, new]
    with subprocess.Popen(command, cwd=based.path, stderr=subprocess.PIPE) as process:
        while not waiting.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        sent.touch()
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert based.head == new
    assert based.read("a") == b"2\n"
    assert based.status() == []

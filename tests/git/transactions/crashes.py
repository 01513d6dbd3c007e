"""crashes.py: leaves what a crash leaves at one of a transaction's steps, and settles it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hkgit.git.transaction.journal import TransactionJournal, TransactionState, begin
from hkgit.git.transaction.transaction import Settled, settle_abandoned
from tests.git.transactions.landing import Files, commit_on
from tests.support.objects import open_repository
from tests.support.repos import Repo

ID = "0123456789abcdef"


def started(repo: Repo, *, branch: str = "main", checkout: bool = True) -> TransactionJournal:
    """The journal of a transaction that has just begun."""
    opened = open_repository(repo)
    state = TransactionState(
        ID,
        "objects",
        os.getpid(),
        "here",
        0,
        tempfile.gettempdir(),
        branch,
        opened.branch_tip(branch),
        checkout=str(opened.git_dir) if checkout else None,
    )
    return begin(opened.common_dir, state)


def crashed_after_the_move(
    repo: Repo, files: Files, *, branch: str = "main", checkout: bool = True
) -> str:
    """The branch has moved, the index is still locked, nothing else was done."""
    new = commit_on(repo, files)
    journal = started(repo, branch=branch, checkout=checkout)
    journal.note("landing", new)
    repo.git("update-ref", f"refs/heads/{branch}", new)
    if checkout:
        lock = open_repository(repo).git_dir / "index.lock"
        lock.write_text(f"hkgit {ID}\n")
    journal.leave()
    return new


def settle(repo: Repo) -> Settled:
    """What the one transaction comes to."""
    [settled] = settle_abandoned(open_repository(repo))
    return settled


def expect_no_trace(repo: Repo) -> None:
    assert list((repo.path / ".git").rglob("*hkgit*")) == []
    assert not (repo.path / ".git" / "worktrees").exists()
    assert not (repo.path / ".git" / "index.lock").exists()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []

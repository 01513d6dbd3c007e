"""One attempt to land commits, all or nothing. The protocol: docs/transaction.md.

Whatever it is about to do it writes down first; what it leaves when it is killed, the next one
clears away.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hkgit.errors import GitRefused
from hkgit.git.repository import Repository
from hkgit.git.transaction import commit as commits
from hkgit.git.transaction import landing
from hkgit.git.transaction.journal import TransactionJournal, TransactionState, begin
from hkgit.git.transaction.locks import stoppable, unstoppable
from hkgit.git.transaction.recovery import Outcome, settle
from hkgit.git.transaction.worktree import Worktree, temporary_root, temporary_worktree
from hkgit.values import dataclass


@dataclass(frozen=True)
class Transaction:
    """The steps of a transaction, each written down before it is done. They raise GitRefused."""

    repository: Repository
    journal: TransactionJournal

    @contextmanager
    def worktree(
        self, parent: str, tree: str, touched_paths: Iterable[str], *, full: bool
    ) -> Iterator[Worktree]:
        """Make a temporary worktree (see `worktree`), whose tree gc leaves alone."""
        self._keep(tree)
        self.journal.note("worktree")
        with temporary_worktree(
            self.repository,
            parent,
            tree,
            touched_paths,
            full=full,
            prefix=self.journal.state.prefix,
        ) as worktree:
            yield worktree

    def commit(
        self,
        worktree: Worktree,
        message: bytes,
        merged: str | None = None,
        *,
        allow_blind: bool = False,
        runs_hooks: bool = True,
    ) -> str:
        """Let git commit the worktree's index (see `commits`), and keep the commit from gc."""
        self.journal.note("commit")
        commit = commits.commit_worktree(
            self.repository,
            worktree,
            message,
            merged,
            allow_blind=allow_blind,
            runs_hooks=runs_hooks,
        )
        self._keep(commit)
        return commit

    def land(self, commit: str, *, reflog: str) -> None:
        """Move the branch, and bring the checkout along (see `landing`)."""
        landing.land(self.repository, self.journal, commit, reflog=reflog)

    def _keep(self, object_id: str) -> None:
        self.repository.write_ref(self.journal.state.ref, object_id)


def _host() -> str:
    """The name of this machine, for people to read."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket

    return socket.gethostname()


@contextmanager
def transaction(
    repository: Repository, *, branch: str, old: str | None, checkout: bool
) -> Iterator[Transaction]:
    """Move `branch` from `old` (None: there is none yet), and the checkout too, or nothing at all.

    Whatever happens inside, nothing but the landed commit is left of it afterwards. Raises
    GitRefused.
    """
    with stoppable():
        state = TransactionState(
            id=os.urandom(8).hex(),
            step="objects",
            pid=os.getpid(),
            host=_host(),
            started=int(time.time()),
            temporary=str(temporary_root()),
            branch=branch,
            old=old,
            checkout=str(repository.git_dir) if checkout else None,
        )
        journal = begin(repository.common_dir, state)
        try:
            yield Transaction(repository, journal)
        except GitRefused as refusal:
            _end(repository, journal, refusal)
        except BaseException:
            with unstoppable():
                settle(repository, journal)
            raise
        else:
            with unstoppable():
                settle(repository, journal)


def _end(repository: Repository, journal: TransactionJournal, refusal: GitRefused) -> None:
    """Pass a refusal on, unless it came when the commit had landed: then what counts is that."""
    with unstoppable():
        settled = settle(repository, journal)
    if settled.outcome is Outcome.NOTHING:
        raise refusal
    if settled.outcome is Outcome.CUT:
        raise settled.hindrance or refusal

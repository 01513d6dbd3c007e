"""One attempt to land commits, all or nothing. The protocol: docs/transaction.md.

Whatever it is about to do it writes down first; what it leaves when it is killed, the next one
clears away. It ends the same way after success, refusal and crash: what is to be done is told by
the journal and by what is in the repository, so it can be cut at any point and done again. Only
what bears the transaction's name is taken away.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from hkgit.errors import GitRefused, HkgitError, Rejected
from hkgit.git.facts import REJECTED
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.git.transaction import landing, locks
from hkgit.git.transaction.checkout import CheckoutUpdate
from hkgit.git.transaction.index import lock_index, unlock
from hkgit.git.transaction.journal import (
    TransactionJournal,
    TransactionState,
    begin,
    find_abandoned,
    tidy,
)
from hkgit.git.transaction.landing import is_landed
from hkgit.git.transaction.locks import stoppable, unstoppable
from hkgit.git.transaction.worktree import (
    Worktree,
    advance,
    commit_worktree,
    forget_worktrees,
    reset,
    temporary_root,
    temporary_worktree,
)
from hkgit.text.hashes import sha256
from hkgit.text.paths import quote_path
from hkgit.values import dataclass


@dataclass
class Transaction:
    """The steps of a transaction, each written down before it is done. They raise GitRefused.

    Its commits are made one after the other in one worktree (`place`), which `stack` takes away at
    the end; with `full` all files are checked out there.
    """

    repository: Repository
    journal: TransactionJournal
    stack: ExitStack
    full: bool = False
    place: Worktree | None = None

    def worktree(
        self, parent: str, tree: str, touched_paths: Iterable[str], *, full: bool
    ) -> AbstractContextManager[Worktree]:
        """Make a temporary worktree (see `worktree`); what is in it gc leaves alone."""
        self.journal.note("worktree")
        prefix = self.journal.state.prefix
        return temporary_worktree(
            self.repository, parent, tree, touched_paths, full=full, prefix=prefix
        )

    def commit(
        self,
        tip: str,
        tree: str,
        paths: Sequence[str],
        message: bytes,
        merged: str | None = None,
        *,
        allow_blind: bool = False,
        runs_hooks: bool = True,
    ) -> str:
        """Let git commit a tree on `tip`, which changes these paths.

        Raises HookChanged, and Rejected where the gate has refused it.
        """
        if self.place is None:
            self.place = self.stack.enter_context(self.worktree(tip, tree, paths, full=self.full))
        elif self.place.parent == tip:
            self.place = reset(self.place, tree, paths)
        else:
            self.place = advance(self.place, tip, tree, paths)
        self.journal.note("commit")
        try:
            return commit_worktree(
                self.repository,
                self.place,
                message,
                merged,
                allow_blind=allow_blind,
                runs_hooks=runs_hooks,
            )
        except GitRefused as error:
            if (self.place.git_dir / REJECTED).exists():
                raise Rejected(error.where, error.what, error.fix) from error
            raise

    def land(self, commit: str, *, reflog: str) -> None:
        """Move the branch, and bring the checkout along (see `landing`)."""
        landing.land(self.repository, self.journal, commit, reflog=reflog)


@contextmanager
def transaction(
    repository: Repository, *, branch: str, old: str | None, checkout: bool, full: bool = False
) -> Iterator[Transaction]:
    """Move `branch` from `old` (None: there is none yet), and the checkout too, or nothing at all.

    With `full` commits are made where all files are checked out, for hooks. Whatever happens
    inside, nothing but the landed commit is left of it afterwards. Raises GitRefused.
    """
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    with stoppable():
        state = TransactionState(
            id=os.urandom(8).hex(),
            step="objects",
            pid=os.getpid(),
            host=host,
            started=int(time.time()),
            temporary=str(temporary_root()),
            branch=branch,
            old=old,
            checkout=str(repository.git_dir) if checkout else None,
        )
        journal = begin(repository.common_dir, state)
        try:
            with ExitStack() as stack:
                yield Transaction(repository, journal, stack, full)
        except BaseException as error:
            with unstoppable():
                settled = settle(repository, journal)
            if not isinstance(error, GitRefused) or settled.outcome is Outcome.NOTHING:
                raise
            # It was refused when the commit had landed: then what counts is that.
            if settled.outcome is Outcome.CUT:
                raise settled.hindrance or error from None
        else:
            with unstoppable():
                settle(repository, journal)


class Outcome(StrEnum):
    """What came of a transaction."""

    NOTHING = "nothing was landed"
    LANDED = "its commit was landed"
    CUT = "its commit was landed, but the checkout was not updated"


@dataclass(frozen=True)
class Settled:
    """A transaction that nobody works on: what came of it, and what keeps it from its end."""

    state: TransactionState
    outcome: Outcome
    hindrance: HkgitError | None = None


def settle(repository: Repository, journal: TransactionJournal) -> Settled:
    """Finish a landing that was cut, and clear everything of the transaction away.

    When that cannot be done the journal stays for the next time, and the answer says why.
    """
    state = journal.state
    outcome = Outcome.NOTHING
    try:
        outcome = find_outcome(repository, state)
        _clear_locks(repository, state)
        if outcome is Outcome.CUT:
            _finish(_open_checkout(repository, state), state)
            outcome = Outcome.LANDED
        forget_worktrees(repository, Path(state.temporary), state.prefix)
    except HkgitError as error:
        journal.leave()
        return Settled(state, outcome, error)
    journal.close()
    return Settled(state, outcome)


def settle_abandoned(repository: Repository) -> list[Settled]:
    """Settle every transaction that has no process any more."""
    settled = [settle(repository, journal) for journal in find_abandoned(repository.common_dir)]
    forget_turns(repository)
    return settled


def find_outcome(repository: Repository, state: TransactionState) -> Outcome:
    """Tell what came of a transaction, as far as the repository shows it; change nothing."""
    if state.step == "landed":
        return Outcome.LANDED
    if state.new is None or not is_landed(repository, state.branch, state.new):
        return Outcome.NOTHING
    if state.checkout is None or not Path(state.checkout, "HEAD").exists():
        return Outcome.LANDED
    checkout = _open_checkout(repository, state)
    head = checkout.head()
    if (head.branch, head.commit) != (state.branch, state.new):
        return Outcome.LANDED  # whoever went on from there has seen to the checkout
    lagging = CheckoutUpdate(checkout, state.old, state.new).find_unstaged(state.new)
    return Outcome.CUT if lagging else Outcome.LANDED


def _finish(repository: Repository, state: TransactionState) -> None:
    """Bring the checkout along. Raises GitRefused when somebody's changes are in the way."""
    assert state.new is not None
    checkout = CheckoutUpdate(repository, state.old, state.new)
    theirs = checkout.find_unstaged(state.new)
    theirs &= checkout.find_unstaged(state.old or repository.empty_tree)
    if theirs:
        raise _stuck(theirs)
    with lock_index(repository.git_dir, state.id) as index:
        checkout.clear_beside()
        foreign = checkout.restore(index.env)
        if foreign:
            raise _stuck(foreign)
        checkout.read_tree(index.env)
        index.replace()


def _stuck(paths: Collection[str]) -> GitRefused:
    named = ", ".join(quote_path(path) for path in sorted(paths))
    fix = f"Keep a copy of them, then: git checkout HEAD -- {named}; hkgit doctor --fix"
    return GitRefused("checkout", f"was not updated to its branch; changed since: {named}", fix)


def _open_checkout(repository: Repository, state: TransactionState) -> Repository:
    """The repository seen from the checkout that a transaction was to bring along."""
    if state.checkout is None or Path(state.checkout) == repository.git_dir:
        return repository
    return Repository.discover(Path(state.checkout))


def _clear_locks(repository: Repository, state: TransactionState) -> None:
    """The locks that a git of this transaction left when it was killed, and no others."""
    git_dir = repository.git_dir if state.checkout is None else Path(state.checkout)
    unlock(git_dir, state.id)
    lock = repository.common_dir / "refs" / "heads" / f"{state.branch}.lock"
    with suppress(OSError):
        if state.new is not None and lock.read_text().strip() == state.new:
            _clear_empty(git_dir / "HEAD.lock", lock.stat().st_mtime)
            lock.unlink()


def _clear_empty(lock: Path, made_at: float) -> None:
    """A lock that says nothing is known by its time, in seconds."""
    with suppress(FileNotFoundError):
        found = lock.stat()
        if found.st_size == 0 and abs(found.st_mtime - made_at) < 1:
            lock.unlink()


PATIENCE = 10.0
"""Seconds to wait for one's turn; whoever is before may be running tests for an hour.

It is a matter of politeness: what keeps a branch from harm is its compare-and-swap."""


@contextmanager
def turn(repository: Repository, branch: str) -> Iterator[None]:
    """Wait for the others who are landing on a branch, but not for ever."""
    name = sha256(os.fsencode(branch)).hexdigest()[:16]
    path = repository.common_dir / "hkgit" / f"turn-{name}"
    descriptor = None
    with suppress(OSError):  # where nothing can be written, landing says so better
        descriptor = locks.wait_for(path, PATIENCE)
    if descriptor is None:
        yield
        return
    os.set_inheritable(descriptor, False)  # a daemon that a hook starts is not in the queue
    try:
        yield
    finally:
        locks.remove(path, descriptor)
        tidy(repository.common_dir)


def forget_turns(repository: Repository) -> None:
    """Take away what killed processes left of their turns."""
    for path in find_files(repository.common_dir / "hkgit", "turn-*"):
        with suppress(OSError):
            descriptor = locks.take(path)
            if descriptor is not None:
                locks.remove(path, descriptor)
    tidy(repository.common_dir)

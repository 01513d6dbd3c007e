"""End a transaction, the same way after success, refusal and crash.

What is to be done is told by the journal and by what is in the repository, so it can be cut
at any point and done again. Only what bears the transaction's name is taken away.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from hkgit.errors import GitRefused, HkgitError
from hkgit.git.repository import Repository
from hkgit.git.transaction.branch_queue import forget_turns
from hkgit.git.transaction.checkout import (
    clear_beside,
    find_unstaged,
    list_changes,
    read_tree,
    restore,
)
from hkgit.git.transaction.index import lock_index, unlock
from hkgit.git.transaction.journal import TransactionJournal, TransactionState, find_abandoned
from hkgit.git.transaction.landing import is_landed
from hkgit.git.transaction.worktree import forget_worktrees
from hkgit.text.paths import quote_path
from hkgit.values import dataclass


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
            _finish(_checkout(repository, state), state)
            outcome = Outcome.LANDED
        forget_worktrees(repository, Path(state.temporary), state.prefix)
        repository.delete_ref(state.ref)
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
    checkout = _checkout(repository, state)
    head = checkout.head()
    if (head.branch, head.commit) != (state.branch, state.new):
        return Outcome.LANDED  # whoever went on from there has seen to the checkout
    lagging = find_unstaged(checkout, state.new, list_changes(checkout, state.old, state.new))
    return Outcome.CUT if lagging else Outcome.LANDED


def _finish(checkout: Repository, state: TransactionState) -> None:
    """Bring the checkout along. Raises GitRefused when somebody's changes are in the way."""
    assert state.new is not None
    changed = list_changes(checkout, state.old, state.new)
    theirs = find_unstaged(checkout, state.new, changed)
    theirs &= find_unstaged(checkout, state.old or checkout.empty_tree, changed)
    if theirs:
        raise _stuck(theirs)
    with lock_index(checkout.git_dir, state.id) as index:
        clear_beside(checkout, changed)
        foreign = restore(checkout, changed, index.env)
        if foreign:
            raise _stuck(frozenset(foreign))
        read_tree(checkout, state.old, state.new, index.env)
        index.replace()


def _stuck(paths: frozenset[str]) -> GitRefused:
    named = ", ".join(quote_path(path) for path in sorted(paths))
    fix = f"Keep a copy of them, then: git checkout HEAD -- {named}; hkgit doctor --fix"
    return GitRefused("checkout", f"was not updated to its branch; changed since: {named}", fix)


def _checkout(repository: Repository, state: TransactionState) -> Repository:
    """The repository seen from the checkout that a transaction was to bring along."""
    if state.checkout is None or Path(state.checkout) == repository.git_dir:
        return repository
    return Repository.discover(Path(state.checkout))


def _clear_locks(repository: Repository, state: TransactionState) -> None:
    """The locks that a git of this transaction left when it was killed, and no others."""
    git_dir = repository.git_dir if state.checkout is None else Path(state.checkout)
    unlock(git_dir, state.id)
    refs = repository.common_dir
    with suppress(OSError):
        (refs / f"{state.ref}.lock").unlink(missing_ok=True)
    lock = refs / "refs" / "heads" / f"{state.branch}.lock"
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

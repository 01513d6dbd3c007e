"""Move a branch to a finished commit and update the checkout.

The order is: lock the index, see that nothing is in the way, move the branch if it is still where
it was, bring the checkout along; and if that fails, move the branch back. The two-tree merge of
git-read-tree(1) leaves every local change alone that does not overlap, staged or not. The lock
keeps others from committing an index that lags behind its branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.errors import GitRefused, Stale
from hkgit.git.objects import absent_like
from hkgit.git.repository import Repository
from hkgit.git.transaction.checkout import CheckoutUpdate, Environment, Found
from hkgit.git.transaction.index import LockedIndex, lock_index
from hkgit.git.transaction.journal import TransactionJournal, TransactionState
from hkgit.git.transaction.locks import unstoppable
from hkgit.text.paths import quote_path

UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or git am",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert of several commits",
    "BISECT_LOG": "a bisect",
}
"""What git remembers while it is in the middle of something."""

RESOLVE = "To resolve a merge with evidence: git merge --abort, hkgit apply --merge REV SPEC"
"""The way of a spec past the conflicts of a merge."""

_PATIENT = ("-c", "core.filesRefLockTimeout=1000")
"""Milliseconds that git waits for a branch that another git has locked."""


class BranchMoved(GitRefused):
    """Somebody else moved the branch first; what was planned can be planned again."""


def land(repository: Repository, journal: TransactionJournal, new: str, *, reflog: str) -> None:
    """Move the transaction's branch to the commit `new`, all or nothing.

    With a checkout in the journal the work tree that the user is in follows: it must be on
    the branch. Raises BranchMoved, and GitRefused when local changes are in the way (naming
    them), when the branch is checked out elsewhere, and in the middle of a merge or the like.
    """
    state = journal.state
    _expect_tip(repository, state.branch, state.old)
    if state.checkout is None:
        _expect_nowhere_checked_out(repository, state.branch)
        with unstoppable():
            _move(repository, journal, new, reflog)
            journal.note("landed")
        return
    with lock_index(repository.git_dir, state.id) as index:
        _expect_at_rest(repository, state.branch)
        checkout = CheckoutUpdate(repository, state.old, new)
        found = checkout.find_plain()
        _expect_nothing_in_the_way(checkout, index.env)
        with unstoppable():
            _move(repository, journal, new, reflog)
            _follow(checkout, index, state, found)
            journal.note("landed")


def expect_landable(
    repository: Repository, *, branch: str, old: str | None, new: str, checkout: bool
) -> None:
    """Raise what `land` would raise now, and change nothing; `new` may be a tree."""
    _expect_tip(repository, branch, old)
    if checkout:
        _expect_at_rest(repository, branch)
        _expect_nothing_in_the_way(CheckoutUpdate(repository, old, new), {})
    else:
        _expect_nowhere_checked_out(repository, branch)


def _expect_tip(repository: Repository, branch: str, old: str | None) -> None:
    if repository.branch_tip(branch) != old:
        what = "the branch has moved in the meantime"
        raise BranchMoved(branch, what, "Look at what changed, and try again.")


def _expect_nowhere_checked_out(repository: Repository, branch: str) -> None:
    where = repository.list_checked_out_branches().get(branch)
    if where is not None:
        fix = "Land it from there, or name another branch."
        raise GitRefused(branch, f"is checked out in {where}", fix)


def _expect_at_rest(repository: Repository, branch: str) -> None:
    if repository.head().branch != branch:
        raise GitRefused(
            branch, "is not the branch of this checkout", "Check it out, or try again."
        )
    for what in find_unfinished(repository):
        fix = "Finish or abort it first; git status says how."
        if what == UNDER_WAY["MERGE_HEAD"]:
            fix += f"\n{RESOLVE}"
        raise GitRefused(str(repository.work_tree), f"{what} is under way here", fix)


def find_unfinished(repository: Repository) -> Iterator[str]:
    """Yield what git is in the middle of in this checkout, such as a rebase."""
    return (what for name, what in UNDER_WAY.items() if repository.remembers(name))


def _expect_nothing_in_the_way(checkout: CheckoutUpdate, env: Environment) -> None:
    blocking = checkout.find_untracked(env)
    refusal = _rehearse(checkout, env)
    if refusal is not None:
        args = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
        local = {line[3:] for line in checkout.repository.git(*args, env=env).words}
        blocking |= local & {change.path for change in checkout.changed}
    if blocking:
        raise refuse_local_changes(blocking) from refusal
    if refusal is not None:
        raise refusal


def refuse_local_changes(paths: Iterable[str]) -> GitRefused:
    """Build the error that names local changes."""
    named = ", ".join(quote_path(path) for path in sorted(paths))
    fix = "Commit, stash or move them, then try again."
    return GitRefused("checkout", f"local changes in the way: {named}", fix)


def _rehearse(checkout: CheckoutUpdate, env: Environment) -> GitRefused | None:
    """Why the checkout could not follow, without changing it; None when it could."""
    try:
        checkout.read_tree(env, "-n")
    except GitRefused:
        # A file that was only touched looks changed until git has looked at it again.
        checkout.repository.git("update-index", "-q", "--refresh", env=env, check=False)
    else:
        return None
    try:
        checkout.read_tree(env, "-n")
    except GitRefused as refusal:
        return refusal
    return None


def _move(repository: Repository, journal: TransactionJournal, new: str, reflog: str) -> None:
    """Compare and swap."""
    journal.note("landing", new)
    branch, old = journal.state.branch, journal.state.old
    try:
        _swap(repository, branch, old, new, reflog)
    except GitRefused:
        if not is_landed(repository, branch, new):
            _expect_tip(repository, branch, old)
            raise


def _swap(
    repository: Repository, branch: str, old: str | None, new: str | None, reflog: str
) -> None:
    """Move a branch from what it must be; None is no commit. Raises GitRefused."""
    none = absent_like(old or new or "")
    args = ("update-ref", "-m", reflog, f"refs/heads/{branch}", new or none, old or none)
    repository.git(*_PATIENT, *args, own_session=True)


def is_landed(repository: Repository, branch: str, new: str) -> bool:
    """Whether a commit is in the history of a branch."""
    tip = repository.branch_tip(branch)
    return tip is not None and repository.is_ancestor(new, tip)


def _follow(
    checkout: CheckoutUpdate, index: LockedIndex, state: TransactionState, found: Found
) -> None:
    """Bring the checkout along; what it cannot follow is undone, files and branch."""
    try:
        try:
            checkout.follow(index, state.prefix, found)
        except Stale as saved:
            what = f"local changes in the way: {saved.where}, saved while the commit was made"
            fix = f"Commit, stash or move them, then try again. {saved.fix}"
            raise GitRefused("checkout", what, fix) from saved
        index.replace()
    except GitRefused:
        index.reset()
        checkout.restore(index.env)
        reason = "hkgit: undone, the checkout could not be updated"
        _swap(checkout.repository, state.branch, checkout.new, checkout.old, reason)
        raise

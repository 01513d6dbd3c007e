"""landing.py: a finished commit becomes the tip of a branch, and the checkout follows.

The order is: see that nothing is in the way, move the branch if it is still where it was, bring
the checkout along; and if that fails, move the branch back. The two-tree merge of
git-read-tree(1) leaves every local change alone that does not overlap, staged or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.repository import Repository
from hkgit.git.signals import unstoppable
from hkgit.git.store import EMPTY_TREE
from hkgit.git.trees import TreeChange
from hkgit.paths import quote_path

UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or git am",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert of several commits",
    "BISECT_LOG": "a bisect",
}
"""What git keeps in the git directory while it is in the middle of something."""

ABSENT = "0" * 40
"""How git-update-ref(1) says that there is no such ref."""


def land(
    repository: Repository, *, branch: str, old: str | None, new: str, checkout: bool, reflog: str
) -> None:
    """Move `branch` from `old` (None: there is none yet) to the commit `new`, all or nothing.

    With `checkout` the work tree that the user stands in follows: it must be on the branch.
    Raises GitRefused when the branch has moved, when local changes are in the way (naming them),
    when the branch is checked out elsewhere, and in the middle of a merge or the like.
    """
    expect_landable(repository, branch=branch, old=old, new=new, checkout=checkout)
    with unstoppable():
        _move(repository, branch, old, new, reflog)
        if checkout:
            _follow(repository, branch, old, new)


def expect_landable(
    repository: Repository, *, branch: str, old: str | None, new: str, checkout: bool
) -> None:
    """Raise what `land` would raise now, and change nothing; `new` may be a tree."""
    if repository.branch_tip(branch) != old:
        raise _moved(branch)
    if not checkout:
        _expect_nowhere_checked_out(repository, branch)
        return
    _expect_at_rest(repository, branch)
    _expect_nothing_in_the_way(repository, old, new)


def _expect_nowhere_checked_out(repository: Repository, branch: str) -> None:
    where = repository.checked_out_branches().get(branch)
    if where is not None:
        fix = "Land it from there, or name another branch."
        raise GitRefused(branch, f"is checked out in {where}", fix)


def _expect_at_rest(repository: Repository, branch: str) -> None:
    if repository.head().branch != branch:
        raise GitRefused(branch, "is not what this checkout is on", "Check it out, or try again.")
    for name, what in UNDER_WAY.items():
        if (repository.git_dir / name).exists():
            fix = "Finish or abort it first; git status says how."
            raise GitRefused(str(repository.work_tree), f"{what} is under way here", fix)


def _expect_nothing_in_the_way(repository: Repository, old: str | None, new: str) -> None:
    changes = _changes(repository, old, new)
    blocking = _untracked(repository, [change.path for change in changes if change.old is None])
    refusal = _rehearse(repository, old, new)
    if refusal is not None:
        blocking |= _locally_changed(repository) & {change.path for change in changes}
    if blocking:
        named = ", ".join(quote_path(path) for path in sorted(blocking))
        fix = "Commit, stash or move them, then try again."
        raise GitRefused("checkout", f"local changes in the way: {named}", fix) from refusal
    if refusal is not None:
        raise refusal


def _rehearse(repository: Repository, old: str | None, new: str) -> GitRefused | None:
    """Why the checkout could not follow, without changing it; None when it could."""
    try:
        _read_tree(repository, old, new, "-n")
    except GitRefused:
        # A file that was only touched looks changed until git has looked at it again.
        repository.git("update-index", "-q", "--refresh", check=False)
    else:
        return None
    try:
        _read_tree(repository, old, new, "-n")
    except GitRefused as refusal:
        return refusal
    return None


def _read_tree(repository: Repository, old: str | None, new: str, *options: str) -> None:
    """Let index and work tree follow; in a session of its own, out of reach of the keyboard."""
    plain = ("-c", "submodule.recurse=false")
    args = ("read-tree", "-m", "-u", *options, old or EMPTY_TREE, new)
    repository.git(*plain, *args, own_session=True)


def _changes(repository: Repository, old: str | None, new: str) -> tuple[TreeChange, ...]:
    before = repository.snapshot(old).tree_id if old is not None else None
    return repository.changes(before, repository.snapshot(new).tree_id)


def _untracked(repository: Repository, added: Iterable[str]) -> set[str]:
    """The untracked files, ignored ones too, where files are to be added.

    git keeps the others from harm, but takes ignored files for expendable.
    """
    assert repository.work_tree is not None
    obstacles = {found for path in added if (found := _obstacle(repository.work_tree, path))}
    if not obstacles:
        return set()
    listed = repository.git("--literal-pathspecs", "ls-files", "-z", "--others", "--", *obstacles)
    return set(os.fsdecode(listed.stdout).split("\0")) - {""}


def _obstacle(work_tree: Path, path: str) -> str | None:
    """What stands where a file is to be: the file itself, or one in place of a directory."""
    names = path.split("/")
    for depth in range(1, len(names)):
        above = work_tree.joinpath(*names[:depth])
        if above.is_symlink() or not above.is_dir():
            return "/".join(names[:depth]) if os.path.lexists(above) else None
    return path if os.path.lexists(work_tree / path) else None


def _locally_changed(repository: Repository) -> set[str]:
    """Every path that `git status` shows, staged, unstaged or untracked."""
    shown = repository.git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    return {line[3:] for line in os.fsdecode(shown.stdout).split("\0") if line}


def _move(
    repository: Repository, branch: str, old: str | None, new: str, reflog: str
) -> None:
    """Compare and swap."""
    args = ("update-ref", "-m", reflog, f"refs/heads/{branch}", new, old or ABSENT)
    try:
        repository.git(*args, own_session=True)
    except GitRefused as error:
        raise (_moved(branch) if repository.branch_tip(branch) != old else error) from error


def _follow(repository: Repository, branch: str, old: str | None, new: str) -> None:
    """Bring the checkout along; what it cannot follow is undone, branch and files."""
    try:
        _read_tree(repository, old, new)
    except GitRefused:
        _restore_files(repository, _changes(repository, old, new))
        args = ("update-ref", "-m", "hkgit: undone, the checkout could not follow")
        repository.git(*args, f"refs/heads/{branch}", old or ABSENT, new, own_session=True)
        raise


def _restore_files(repository: Repository, changes: Iterable[TreeChange]) -> None:
    """Files as the index still has them: nothing that is undone here was the user's."""
    assert repository.work_tree is not None
    for path in _untracked(repository, [change.path for change in changes if change.old is None]):
        (repository.work_tree / path).unlink()
    had = "".join(change.path + "\0" for change in changes if change.old is not None)
    checkout = ("checkout-index", "-q", "-f", "-u", "-z", "--stdin")
    repository.git(*checkout, stdin=os.fsencode(had), check=False, own_session=True)


def _moved(branch: str) -> GitRefused:
    return GitRefused(branch, "the branch moved meanwhile", "Look at what came, and try again.")

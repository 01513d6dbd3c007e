"""Take entries out of the tree of a branch, in a commit that says so.

Every checkout carries a file for each entry. Those that the history has are replayed from the
commit that added them, so the tree need not keep them.
"""

from __future__ import annotations

from collections.abc import Collection

from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import LEDGER, entry_name, entry_path
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun
from hkgit.values import dataclass, replace
from hkgit.workflows.target import ApplyRequest, LandingTarget, find_target
from hkgit.workflows.worktree_commit import begin_commits


@dataclass(frozen=True)
class PruneResult:
    """The names of the records that go, and the commit that takes them out of the tree."""

    branch: str
    entries: tuple[str, ...]
    message: str
    commit: str | None = None


def prune(
    repository: Repository,
    *,
    before: str | None = None,
    keep: int | None = None,
    message: str | None = None,
    allow_all: bool = False,
    dry_run: bool = False,
) -> PruneResult:
    """Commit the removal of records from the branch that is checked out, and land it.

    With `before` those alone go that this revision has, too, and less the `keep` newest. Without
    either, all of them, which `allow_all` must say. A dry run names them and changes nothing.
    Raises GitRefused, and InvalidInput where nothing can go or all would go unasked.
    """
    target = find_target(repository, ApplyRequest())
    names = _list_prunable(repository, target.tip, before, keep)
    count = count_noun(len(names), "entry", "entries")
    message = f"Prune {count} from the ledger's tree" if message is None else message
    planned = PruneResult(target.branch, tuple(names), message)
    if dry_run:
        return planned
    if names and before is None and keep is None and not allow_all:
        what = f"{count} would go from the tree of {target.branch}, which is all of them"
        fix = "Nothing was changed. To do it: hkgit ledger prune --yes; or say which: --keep N"
        raise InvalidInput("hkgit ledger prune", what, fix)
    return replace(planned, commit=_commit_removal(repository, target, names, message))


def _list_entries(repository: Repository, rev: str) -> list[str]:
    """List the names of the records in the ledger of a commit."""
    args = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", rev, f"{LEDGER}/")
    return [*filter(None, map(entry_name, repository.git(*args).words))]


def _list_prunable(
    repository: Repository, tip: str, before: str | None, keep: int | None
) -> list[str]:
    """List the records that may go: those that `before` has too, less the `keep` newest."""
    here = dict.fromkeys(_list_entries(repository, tip))
    if before is not None:
        older = {*_list_entries(repository, repository.resolve(before))}
        here = {name: None for name in here if name in older}
    if not keep:
        return [*here]
    # With -c those that a merge itself has added are among them.
    args = ("log", "-c", "--no-renames", "--no-ext-diff", "-z", "--format=", "--diff-filter=A")
    added = repository.git(*args, "--name-only", tip, "--", f":(top){LEDGER}").words
    newest_first = dict.fromkeys(map(entry_name, added))
    return [name for name in newest_first if name in here][keep:]


def _commit_removal(
    repository: Repository, target: LandingTarget, names: Collection[str], message: str
) -> str:
    """Commit the removal of records of the target's tip, and land it."""
    if not names:
        raise InvalidInput("ledger", "there is nothing to prune", "hkgit log lists the entries.")
    files: dict[str, File | None] = {entry_path(name): None for name in names}
    tree = repository.write_tree(repository.commit(target.tip).tree, files)
    with begin_commits(repository, target.branch, target.old, checkout=target.checkout) as begun:
        commit = begun.commit(target.tip, tree, tuple(files), f"{message.rstrip()}\n".encode())
        begun.land(commit, reflog="hkgit ledger prune")
    return commit

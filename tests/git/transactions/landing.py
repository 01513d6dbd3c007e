"""landing.py: lands a commit and does nothing else, and looks at all that there is."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from hkgit.edits import File
from hkgit.git.transaction.transaction import transaction
from tests.support.commits import commit_tree
from tests.support.objects import open_repository, write_tree
from tests.support.repos import IDENTITY, Repo

Files = Mapping[str, str | None]


def commit_on(repo: Repo, files: Files, parent: str = "HEAD") -> str:
    """A commit that no branch has yet."""
    changed = {path: None if text is None else File(text.encode()) for path, text in files.items()}
    tree = write_tree(repo, parent, changed)
    tree = tree or open_repository(repo).write_tree(repo.tree(parent), changed)
    return commit_tree(repo, tree, [parent], b"Landed\n", IDENTITY)


def root_commit(repo: Repo) -> str:
    """A first commit that no branch has yet, of one file."""
    tree = open_repository(repo).write_tree(None, {"a": File(b"1\n")})
    return repo.git("commit-tree", tree, "-m", "Root")


def land(
    repo: Repo, new: str, *, branch: str = "main", old: str | None = "HEAD", checkout: bool = True
) -> None:
    """A transaction that lands a commit and does nothing else."""
    before = None if old is None else repo.resolve(old)
    opened = open_repository(repo)
    with transaction(opened, branch=branch, old=before, checkout=checkout) as begun:
        begun.land(new, reflog="hkgit apply: Landed")


def land_on_main(repo: Repo, files: Files) -> str:
    """Land a commit that changes these files on the branch that is checked out."""
    new = commit_on(repo, files)
    land(repo, new)
    return new


def expect_checkout(repo: Repo, head: str, files: Files, status: Sequence[str] = ()) -> None:
    """HEAD is a commit, these files are in the checkout, or not, and git shows these changes."""
    places = {name: repo.path / name for name in files}
    found = {
        name: place.read_bytes().decode() if place.exists() else None
        for name, place in places.items()
    }
    assert (repo.head, found, repo.status()) == (head, files, [*status])


def list_worktrees(repo: Repo) -> list[Path]:
    """The worktrees that git knows, the repository's own first."""
    listed = repo.git("worktree", "list", "--porcelain").splitlines()
    named = (line.partition("worktree ") for line in listed)
    return [Path(path) for before, found, path in named if found and not before]


def everything(repo: Repo) -> tuple[object, ...]:
    """All that a refused landing must leave as it was."""
    files = {
        str(path): path.read_bytes()
        for path in repo.path.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    index = repo.git("ls-files", "--stage", "-v")
    return files, index, repo.git("for-each-ref"), repo.git("reflog"), repo.status()


def expect_no_trace(repo: Repo) -> None:
    """No lock is left, no worktree, and nothing of hkgit's beside them."""
    git_dir = repo.path / ".git"
    assert [*git_dir.rglob("*.lock"), *git_dir.rglob("*hkgit*")] == []
    assert not (git_dir / "worktrees").exists()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []

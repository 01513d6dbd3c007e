"""worktrees.py: the checkouts of a repository, and which checkout a directory lies in."""

from __future__ import annotations

import os
from pathlib import Path

from hkgit.errors import HkgitError
from hkgit.git.repository import Repository


def list_checkouts(repository: Repository) -> list[Path]:
    """List every checkout of a repository: its own, and those of `git worktree`."""
    listed = os.fsdecode(repository.git("worktree", "list", "--porcelain", "-z").stdout)
    named = (field.partition(" ") for field in listed.split("\0"))
    found = [Path(value) for word, _, value in named if word == "worktree"]
    own = [] if repository.work_tree is None else [repository.work_tree]
    return list(dict.fromkeys([*own, *found]))


def find_checkout(repository: Repository, place: Path) -> tuple[Path, bool] | None:
    """Find the checkout around a directory, and whether it is one of the repository's; or None."""
    for above in (place, *place.parents):
        if (above / ".git").exists():
            try:
                found = Repository.discover(above)
            except HkgitError:
                return above, False
            return above, found.common_dir.resolve() == repository.common_dir.resolve()
    return None

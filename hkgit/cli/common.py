"""What several commands need: the repository, and paths."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from hkgit.errors import GitRefused, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.repository import Repository


def open_repository(*, in_hook: bool = False, is_small: bool = False) -> Repository:
    """Open the repository around the current directory; `is_small` says that little is read."""
    # libgit2 is slow to load, and `edit` needs none.
    from hkgit.git.repository import Repository

    return Repository.discover(Path.cwd(), in_hook=in_hook, is_small=is_small)


@lru_cache(1)
def open_hook_repository() -> Repository:
    """Open the repository whose hook this process is, once for all that the hook does."""
    return open_repository(in_hook=True, is_small=True)


def make_root_relative(repository: Repository, path: str) -> str:
    """Convert a path relative to where the user is to one from the root.

    Raises InvalidInput for a path outside the work tree.
    """
    if repository.work_tree is None:
        return Path(path).as_posix()
    return make_relative_to(repository.work_tree, path)


def make_relative_to(root: Path, path: str) -> str:
    """Convert a path of the command line to one from `root`, which a link may lead to.

    As in git's pathspecs, `:/path` begins at the root, wherever the command is run. No link
    below the root is followed. Raises InvalidInput for a path outside it.
    """
    if path.startswith(":/"):
        return path[2:] or "."
    root = root.resolve()
    place = Path(os.path.normpath(Path.cwd() / path))
    for above in (*reversed(place.parents), place):
        if above.resolve() == root:
            return place.relative_to(above).as_posix()
    raise InvalidInput(path, "is outside the work tree", f"Name a file below {root}.")


def find_work_root() -> Path:
    """Find the work tree around the current directory, or return that directory itself.

    Found without opening the repository: no object of it is needed. Raises GitRefused in a bare
    repository, where every file is git's own.
    """
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            return place
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            fix = "Edit in a checkout, or commit to a branch: hkgit apply --branch NAME"
            raise GitRefused(str(place), "a bare repository has no working tree", fix)
    return here

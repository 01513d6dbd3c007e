"""The root of the checkout in which a command works."""

from __future__ import annotations

from pathlib import Path

from hkgit.errors import GitRefused


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

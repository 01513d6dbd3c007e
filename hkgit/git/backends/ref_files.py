"""ref_files.py: refs that stand in files, as far as hkgit reads and writes them without git."""

from __future__ import annotations

import stat
from pathlib import Path

from hkgit.values import late_pattern

_BRANCH = late_pattern(r"refs/heads/[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)*")
"""Names that mean a ref and nothing else to `git cat-file` too."""

_OWN = "refs/hkgit/tx/"
"""Refs that keep the objects of a transaction from gc while it runs; each is written twice."""


def read_branch(git_dir: Path) -> str | None:
    """Read the branch that the file HEAD names; None where git has to say."""
    place = git_dir / "HEAD"
    try:
        named = "" if place.is_symlink() else place.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    name = named.removeprefix("ref: ").rstrip("\n")
    # Where refs are in a table, the file names a branch that cannot be.
    return name if named.startswith("ref: ") and _BRANCH.fullmatch(name) is not None else None


def is_stored(common_dir: Path, name: str) -> bool:
    """Whether files say of a branch of just this name: git would look for others like it."""
    return _BRANCH.fullmatch(name) is not None and (
        (common_dir / name).is_file() or _is_packed(common_dir, name)
    )


def _is_packed(common_dir: Path, name: str) -> bool:
    try:
        return f" {name}\n".encode() in (common_dir / "packed-refs").read_bytes()
    except OSError:
        return False


def write_own_ref(common_dir: Path, name: str, object_id: str) -> bool:
    """Write the file of a ref of hkgit's own as git does; False where that is for git itself.

    Its directory's names are hkgit's alone, so there is none above or below that is a ref too.
    """
    is_shared = (common_dir / "refs").stat().st_mode & (stat.S_ISGID | stat.S_IWGRP | stat.S_IWOTH)
    if not name.startswith(_OWN) or is_shared or (common_dir / "reftable").exists():
        return False
    place = common_dir / name
    lock = place.with_name(f"{place.name}.lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("x", encoding="ascii") as file:
            file.write(f"{object_id}\n")
        lock.replace(place)
    except OSError:  # git says what is wrong
        return False
    return True


def delete_own_ref(common_dir: Path, name: str) -> bool:
    """Take a ref of hkgit's own away as git does; False where that is for git itself."""
    if not name.startswith(_OWN) or (common_dir / "reftable").exists():
        return False
    try:
        (common_dir / name).unlink(missing_ok=True)
    except OSError:  # git says what is wrong
        return False
    # Who packs refs holds the lock from before it reads them until the pack is there. So in this
    # order nothing is missed: no other has the ref now, or it is seen here.
    is_being_packed = (common_dir / "packed-refs.lock").exists()
    return not is_being_packed and not _is_packed(common_dir, name)

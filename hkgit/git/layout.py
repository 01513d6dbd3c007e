"""Where a repository lies, and its refs as files (see gitrepository-layout(5))."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.facts import NO_FETCH
from hkgit.git.program import Git, refuse_failed

HEX = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"  # The id of an object

BLOB, TREE, COMMIT, TAG = "blob", "tree", "commit", "tag"  # The types of objects, as git names them


def refuse_ref_name(name: str) -> InvalidInput:
    """Build the error for what git takes for no name of a ref."""
    fix = "Give it a name that git accepts: no spaces, no .. and none of ~ ^ : ? * [ and \\ in it."
    return InvalidInput(name.removeprefix("refs/heads/"), "is not a valid branch name", fix)


def find_repository(start: Path, *, in_hook: bool, is_named: bool) -> tuple[Path, Path | None, str]:
    """Find the git directory around a directory, the checkout and the object format.

    The git directory is that of HEAD and the index; there is no checkout when the repository is
    bare. The format is `sha1` or `sha256`. With `is_named` a bare repository at `start` is what the
    user means, whatever safe.bareRepository says. Raises GitRefused with git's own words.
    """
    asks = ("--is-bare-repository", "--show-object-format", "--is-inside-work-tree")
    args = ("rev-parse", *asks, "--absolute-git-dir", "--show-cdup")
    here = Git(start, NO_FETCH, keep_environment=in_hook)
    asked = here(*args, check=False)
    if is_named and "safe.bareRepository" in asked.stderr:
        asked = here(*args, env={"GIT_DIR": str(start)}, check=False)
    if "not a git repository" in asked.stderr:
        raise _refuse_nothing_found(start)
    if asked.code != 0:
        raise refuse_failed(args, asked)
    bare, object_format, inside, *path = os.fsdecode(asked.stdout).split("\n")[:-1]
    if bare == "true":
        return Path("\n".join(path)), None, object_format
    # Outside of a work tree it is named in full, or there is none.
    has_top = inside == "true" or (len(path) > 1 and Path(path[-1]).is_absolute())
    top = Path(os.path.realpath(start / path.pop())) if has_top else None
    git_dir = Path("\n".join(path))
    if top in (None, git_dir):  # from inside the git directory: what that belongs to
        pointer = git_dir / "gitdir"  # that of a linked worktree
        top = (git_dir / pointer.read_text().rstrip("\n") if pointer.exists() else git_dir).parent
    return git_dir, top, object_format


def _refuse_nothing_found(start: Path) -> GitRefused:
    """Build the error for a directory in no repository, or in one that git cannot read."""
    for place in (start, *start.parents):
        if (place / ".git" / "objects").is_dir():
            what = "git cannot read this repository: its HEAD or refs are damaged"
            fix = "Check its HEAD: it should name a branch, as in `ref: refs/heads/main`."
            return GitRefused(str(place / ".git"), what, fix)
    return GitRefused(str(start), "is not in a git repository", "Make one: git init")


def refuse_unwritten(where: str, words: str) -> GitRefused:
    """Build the error for what could not be stored."""
    fix = "Check that the repository is writable and the disk has space; nothing was landed."
    return GitRefused(where, words, fix)


_BRANCH = r"refs/heads/[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)*"
"""Names that mean a ref and nothing else to `git cat-file` too."""


def read_branch(git_dir: Path) -> str | None:
    """Read the branch that the file HEAD names; None where git has to say."""
    place = git_dir / "HEAD"
    try:
        named = "" if place.is_symlink() else place.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    name = named.removeprefix("ref: ").rstrip("\n")
    # Where refs are in a table, the file names a branch that cannot be.
    return name if named.startswith("ref: ") and re.fullmatch(_BRANCH, name) is not None else None


def read_stored_ref(common_dir: Path, name: str) -> str | None:
    """Read from files the id that a branch names; None where git has to say."""
    if re.fullmatch(_BRANCH, name) is None:
        return None
    try:
        named = (common_dir / name).read_bytes().rstrip(b"\n")
    except OSError:
        named = _find_packed(common_dir, name)
    return named.decode() if re.fullmatch(HEX.encode(), named) is not None else None


def _find_packed(common_dir: Path, name: str) -> bytes:
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except OSError:
        return b""
    before, found, _ = packed.partition(f" {name}\n".encode())
    return before.rpartition(b"\n")[2] if found else b""

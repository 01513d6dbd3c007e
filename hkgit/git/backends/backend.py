"""backend.py: the interface to a repository's objects and refs, which two backends implement.

libgit2 answers where it can open the repository, since it needs no process. Where it cannot
(SHA-256, reftable, an extension that it does not know) the git program does; what git refuses
too is refused with git's own words. `HKGIT_GIT=libgit2` or `HKGIT_GIT=program` leaves no choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from hkgit.errors import GitRefused, InvalidInput, Unverifiable

BLOB, TREE, COMMIT, TAG = "blob", "tree", "commit", "tag"
"""The types of objects, as git names them."""


class NotFound(GitRefused):
    """There is no repository around a directory."""

    def __init__(self, start: Path) -> None:
        super().__init__(str(start), "is not in a git repository", "Make one: git init")


class Unopened(GitRefused):
    """There is a repository, but this backend cannot open it."""


def refuse_ref_name(name: str) -> InvalidInput:
    """Build the error for what git takes for no name of a ref."""
    fix = "Give it a name as git has them: no blanks, no .. and none of ~ ^ : ? * [ and \\ in it."
    return InvalidInput(name.removeprefix("refs/heads/"), "is not a name for a branch", fix)


class Backend(Protocol):
    """One repository's objects and refs. Objects are read as stored: replacements are ignored.

    Reading raises Unverifiable, writing GitRefused. What is read has been checked against its id.
    No answer is fetched from a remote.
    """

    @property
    def name(self) -> str:
        """What `HKGIT_GIT` calls it."""
        ...

    @property
    def git_dir(self) -> Path:
        """The directory of this checkout's HEAD and index."""
        ...

    @property
    def work_tree(self) -> Path | None:
        """The checkout, or None when the repository is bare."""
        ...

    @property
    def object_format(self) -> str:
        """By which hash objects are named: `sha1` or `sha256`."""
        ...

    def header(self, object_id: str) -> tuple[str, int]:
        """Return the type of an object and its size in bytes."""
        ...

    def read(self, object_id: str) -> tuple[str, bytes]:
        """Read the type of an object and its bytes."""
        ...

    def write(self, kind: str, data: bytes) -> str:
        """Store an object and give its id."""
        ...

    def write_all(self, objects: Mapping[str, tuple[str, bytes]]) -> None:
        """Store objects, type and bytes by id, which is that of their content."""
        ...

    def resolve(self, rev: str) -> str | None:
        """Find the commit that a revision names, tags peeled; None when it names none here."""
        ...

    def merge_base(self, first: str, second: str) -> str | None:
        """Find a best common ancestor of two commits; None when their histories never meet."""
        ...

    def head_target(self) -> str:
        """Read what HEAD says: the full name of a branch, or an id. Raises Unverifiable."""
        ...

    def ref(self, name: str) -> str | None:
        """Return the id that a ref leads to, or None.

        Raises InvalidInput for what no ref may be called, GitRefused where refs cannot be read.
        """
        ...

    def write_ref(self, name: str, object_id: str) -> None:
        """Let a ref name an object; no hook hears of it, no log tells of it."""
        ...

    def delete_ref(self, name: str) -> None:
        """Take a ref away, if it is there; no hook hears of it."""
        ...

    def config(self, name: str) -> str | None:
        """Return the last value of a configuration variable; `name` in lower case."""
        ...


def common_dir_of(git_dir: Path) -> Path:
    """Find the directory of objects and branches, which the linked worktrees share."""
    pointer = git_dir / "commondir"
    if not pointer.exists():
        return git_dir
    return (git_dir / pointer.read_text().rstrip("\n")).resolve()


def refuse_missing(where: str) -> Unverifiable:
    """Build the error for an object that is not here, as in a shallow or partial clone."""
    return Unverifiable(where, "is not in this repository", "Fetch it, then try again.")


def refuse_unwritten(where: str, words: str) -> GitRefused:
    """Build the error for what could not be stored."""
    fix = "See that the repository can be written and the disk has room; nothing was landed."
    return GitRefused(where, words, fix)

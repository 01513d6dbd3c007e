"""What a repository is read and written through.

libgit2 answers where it can open the repository, since it needs no process. Where it cannot
(SHA-256, reftable, an extension that it does not know) the git program does; what git refuses
too is refused with git's own words. `HKGIT_GIT=libgit2` or `HKGIT_GIT=program` leaves no choice.

Most of what is asked for is not set, and that is seen here. What may be set is asked for by name:
a value of several lines may look like another setting, never hide one.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from hkgit.errors import GitRefused, InvalidInput, Unverifiable
from hkgit.git.program import Git
from hkgit.values import dataclass, late_pattern

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


@dataclass(frozen=True, slots=True)
class GitSettings:
    """The lines that git printed; None where it failed."""

    git: Git
    lines: tuple[str, ...] | None

    @classmethod
    def ask(cls, git: Git) -> GitSettings:
        """Ask git for all of them."""
        asked = git("var", "-l", check=False)
        return cls(git, tuple(asked.text.split("\n")) if asked.code == 0 else None)

    def may_have(self, name: str) -> bool:
        """Whether a variable of the configuration may be set; `name` has no subsection."""
        key = name.lower()
        return self.lines is None or any(line.partition("=")[0] == key for line in self.lines)

    def identity(self, variable: str) -> str:
        """Return `Name <email>` of `GIT_AUTHOR_IDENT`, say; empty where git has none."""
        found = [line for line in self.lines or () if line.startswith(f"{variable}=")]
        ident = found[0].partition("=")[2] if len(found) == 1 else self._ask(variable)
        return ident.rpartition(" ")[0].rpartition(" ")[0]

    def _ask(self, variable: str) -> str:
        return self.git("var", variable, check=False).text


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

"""Repositories through pygit2.

What hkgit fetches and pushes goes by the git program. To read all certificates costs about a start
of Python, and where there are none, as in small containers, the binding could not be loaded.

libgit2 shows objects as they are stored, without replacements, and checks each against its id.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hkgit.errors import GitRefused, Unverifiable
from hkgit.git.backend import (
    BLOB,
    COMMIT,
    TAG,
    TREE,
    NotFound,
    Unopened,
    common_dir_of,
    refuse_missing,
    refuse_ref_name,
    refuse_unwritten,
)
from hkgit.values import dataclass

if TYPE_CHECKING:
    from hkgit.git.plumbing import Plumbing


_NO_CERTIFICATES = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": str(Path(__file__).parent)}
"""A file that is none, and a directory that is there, and has none."""


@contextmanager
def _without_certificates() -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in _NO_CERTIFICATES}
    os.environ.update(_NO_CERTIFICATES)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


with _without_certificates():
    import pygit2 as pygit2

# What is read twice is kept by those who read it; libgit2 would keep all, up to 256 MiB.
pygit2.settings.enable_caching(False)


_NUMBERS = {COMMIT: 1, TREE: 2, BLOB: 3, TAG: 4}
_NAMES = {number: name for name, number in _NUMBERS.items()}


@dataclass(frozen=True, eq=False)
class LibGit2:
    """See `backend.Backend`."""

    repository: pygit2.Repository
    in_hook: bool

    name = "libgit2"
    object_format = "sha1"

    @classmethod
    def open(cls, start: Path, *, in_hook: bool) -> LibGit2:
        """Open the repository around a directory. Raises NotFound and Unopened."""
        flags = pygit2.enums.RepositoryOpenFlag(0)
        if in_hook:
            flags = pygit2.enums.RepositoryOpenFlag.FROM_ENV
            start = start / os.environ.get("GIT_DIR", "")
        try:
            return cls(pygit2.Repository(str(start), flags), in_hook)
        except (pygit2.GitError, OSError, KeyError, ValueError) as error:
            raise _refuse_open(start, str(error)) from error

    @cached_property
    def git_dir(self) -> Path:
        return Path(self.repository.path)

    @cached_property
    def work_tree(self) -> Path | None:
        return None if self.repository.is_bare else Path(self.repository.workdir)

    # Objects

    def header(self, object_id: str) -> tuple[str, int]:
        try:
            kind, size = self._odb.read_header(object_id)
        except _FAULTS as error:
            raise _unread(f"object {object_id}", error) from error
        return _NAMES[kind], size

    def read(self, object_id: str) -> tuple[str, bytes]:
        try:
            kind, data = self._odb.read(object_id)
        except _FAULTS as error:
            raise _unread(f"object {object_id}", error) from error
        return _NAMES[kind], data

    @cached_property
    def _odb(self) -> pygit2.Odb:
        return self.repository.odb

    def write(self, kind: str, data: bytes) -> str:
        with _translate_write_errors("object store"):
            object_id = str(self.repository.write(_NUMBERS[kind], data))
            self._share(object_id)
        return object_id

    def write_all(self, objects: Mapping[str, tuple[str, bytes]]) -> None:
        for kind, data in objects.values():
            self.write(kind, data)

    def _share(self, object_id: str) -> None:
        """libgit2 does not know core.sharedRepository: let in whom the directory above lets in."""
        directory = common_dir_of(self.git_dir) / "objects"
        loose = directory / object_id[:2] / object_id[2:]
        mode = directory.stat().st_mode
        if loose.exists() and loose.parent.stat().st_mode != mode:
            with suppress(PermissionError):  # somebody else's directory is their matter
                loose.parent.chmod(stat.S_IMODE(mode))
                loose.chmod(0o444 & mode)

    # History, refs and configuration

    def resolve(self, rev: str) -> str | None:
        try:
            return str(self.repository.revparse_single(rev).peel(pygit2.Commit).id)
        except pygit2.GitError:
            return self._program.resolve(rev)
        except (KeyError, ValueError, OSError):
            return None

    def merge_base(self, first: str, second: str) -> str | None:
        try:
            found = cast("pygit2.Oid | None", self.repository.merge_base(first, second))
        except pygit2.GitError:
            return self._program.merge_base(first, second)
        except _FAULTS as error:
            raise _unread(f"merge base of {first} and {second}", error) from error
        return str(found) if found is not None else None

    @cached_property
    def _program(self) -> Plumbing:
        """git itself, which finds its way also where libgit2 cannot read a commit's author."""
        from hkgit.git.plumbing import Plumbing  # few histories need it

        return Plumbing.open(self.git_dir, in_hook=self.in_hook)

    def head_target(self) -> str:
        with _translate_read_errors("HEAD"):
            return str(self.repository.lookup_reference("HEAD").target)

    def ref(self, name: str) -> str | None:
        try:
            return str(self.repository.lookup_reference(name).resolve().target)
        except KeyError:
            return None
        except ValueError as error:
            raise refuse_ref_name(name) from error
        except pygit2.GitError as error:
            raise GitRefused(name, str(error), "Look at the repository with git fsck.") from error

    def write_ref(self, name: str, object_id: str) -> None:
        for is_last in (False, False, True):
            try:
                with _translate_write_errors(name):
                    self.repository.references.create(name, object_id, force=True)
            except GitRefused:  # another process may have tidied its directory away just now
                if is_last:
                    raise
            else:
                return

    def delete_ref(self, name: str) -> None:
        with _translate_write_errors(name), suppress(KeyError):
            self.repository.references.delete(name)

    def config(self, name: str) -> str | None:
        with _translate_read_errors("git configuration"):
            return str(self.repository.config[name]) if name in self.repository.config else None


def _refuse_open(start: Path, words: str) -> GitRefused:
    if "not found" in words.lower():
        return NotFound(start)
    what = f"libgit2 cannot open this repository: {words}"
    if "not owned" in words:
        return Unopened(str(start), what, "If you trust it, list it in git's safe.directory.")
    return Unopened(str(start), what, "Let git itself read it: unset HKGIT_GIT.")


_FAULTS = (pygit2.GitError, KeyError, OSError, ValueError)
"""What libgit2 raises."""


def _unread(where: str, error: Exception) -> Unverifiable:
    if isinstance(error, KeyError):
        return refuse_missing(where)
    return Unverifiable(where, str(error), "Look at the repository with git fsck.")


@contextmanager
def _translate_read_errors(where: str) -> Iterator[None]:
    """Turn libgit2's exceptions into Unverifiable."""
    try:
        yield
    except _FAULTS as error:
        raise _unread(where, error) from error


@contextmanager
def _translate_write_errors(where: str) -> Iterator[None]:
    """Turn libgit2's exceptions into GitRefused."""
    try:
        yield
    except (pygit2.GitError, OSError, ValueError) as error:
        raise refuse_unwritten(where, str(error)) from error

"""Objects through pygit2, where many are read.

What hkgit fetches and pushes goes by the git program. To read all certificates costs about a start
of Python, and where there are none, as in small containers, the binding could not be loaded.

libgit2 shows objects as they are stored, without replacements, and checks each against its id.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from hkgit.errors import GitRefused
from hkgit.values import dataclass

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


_NAMES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
"""The types of objects, by the numbers that git has for them."""

FAULTS = (pygit2.GitError, KeyError, OSError, ValueError)  # What libgit2 raises


class Unopened(GitRefused):
    """There is a repository, but libgit2 cannot open it."""


@dataclass(frozen=True)
class LibGit2:
    """The objects of one repository. What git might still find or explain is answered by None."""

    repository: pygit2.Repository
    odb: pygit2.Odb

    @classmethod
    def open(cls, git_dir: Path, *, in_hook: bool) -> LibGit2:
        """Open a repository, in a hook as the GIT_* variables say. Raises Unopened."""
        flags = pygit2.enums.RepositoryOpenFlag
        try:
            flag = flags.FROM_ENV if in_hook else flags.NO_SEARCH
            repository = pygit2.Repository(str(git_dir), flag)
            return cls(repository, repository.odb)
        except FAULTS as error:
            what = f"libgit2 cannot open this repository: {error}"
            fix = "Let git itself read it: unset HKGIT_GIT."
            raise Unopened(str(git_dir), what, fix) from error

    def read(self, object_id: str, most: int) -> tuple[str, int, bytes] | None:
        """Read the type, size and bytes of an object; no bytes of one with more than `most`."""
        try:
            kind, size = self.odb.read_header(object_id)
            return _NAMES[kind], size, self.odb.read(object_id)[1] if size <= most else b""
        except FAULTS:
            return None

    def merge_base(self, first: str, second: str) -> tuple[str | None] | None:
        """Find a best common ancestor, in a tuple; None where libgit2 cannot read a commit."""
        try:
            found = cast("pygit2.Oid | None", self.repository.merge_base(first, second))
        except FAULTS:
            return None
        return (None if found is None else str(found),)

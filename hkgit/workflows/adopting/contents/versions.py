"""versions.py: the versions of files that a repository has, those that are likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository

_VERSIONS = 30
"""So many versions of a file are looked up in its history."""


class FileVersions:
    """The versions of files: those before the changes, then those of the history, newest first."""

    def __init__(self, repository: Repository, trees: Sequence[str]) -> None:
        self._repository = repository
        self._trees = trees
        self._known = lru_cache(maxsize=None)(self._list)

    def __call__(self, path: str) -> Iterator[bytes]:
        for tree in self._trees:
            file = self._repository.snapshot(tree).get(path)
            if file is not None:
                yield file.data
        for blob in self._known(path):
            try:
                yield self._repository.blob(blob)
            except Unverifiable:
                return

    def _list(self, path: str) -> tuple[str, ...]:
        if self._repository.head().commit is None:
            return ()
        options = ("--no-renames", "--no-ext-diff", "--format=", "--raw", "--no-abbrev")
        limit = f"-{_VERSIONS}"
        listed = self._repository.git("log", limit, *options, "HEAD", "--", f":(top,literal){path}")
        blobs = (line.split()[3:1:-1] for line in listed.text.splitlines() if line[:1] == ":")
        named = (blob for pair in blobs for blob in pair if blob.strip("0"))
        return tuple(dict.fromkeys(named))

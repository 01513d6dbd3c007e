"""history.py: find the commit that changed the lines an edit expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.operations.ranges import find_hash, is_inside
from hkgit.edits import DIRECTORY, SUBMODULE, Snapshot
from hkgit.gate.conflicts.records import Cause
from hkgit.git.repository import Repository
from hkgit.text.document import Document
from hkgit.text.tags import find_tag
from hkgit.values import dataclass

MOST = 100
"""Commits that changed a file, back from the tip, among which the one is looked for."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What an edit expected of a file: the hash of `lines`, or of `count` lines anywhere.

    Without either, the hash is of the whole file. Without a hash it may have quoted `old`
    lines, or named the `tags` of its first and last line; else only the path is known.
    """

    path: str
    range_hash: str | None
    lines: Lines | None = None
    count: int | None = None
    old: tuple[bytes, ...] = ()
    tags: tuple[str, str] | None = None

    @property
    def is_known(self) -> bool:
        """Whether more is known than the path."""
        return self.range_hash is not None or bool(self.old) or self.tags is not None

    def find_lines(self, document: Document) -> Lines | None:
        """Find the lines of a document that are as expected, or None."""
        expected = self.range_hash
        if expected is None:
            return (
                self._find_tagged(document)
                if self.tags is not None
                else self._find_quoted(document)
            )
        if self.lines is not None and _holds(document, self.lines, expected):
            return self.lines
        if document.whole_hash.startswith(expected):
            return 1, document.line_count
        count = self.lines[1] - self.lines[0] + 1 if self.lines is not None else self.count
        found = find_hash(document, count or 0, expected)
        return (found[0], found[0] + (count or 1) - 1) if found else None

    def find_stated_lines(self, document: Document) -> Lines | None:
        """Find the expected lines only where the edit names them; None where they differ."""
        is_there = self.lines is not None and self.range_hash is not None
        if is_there and _holds(document, self.lines or (1, 0), self.range_hash or ""):
            return self.lines
        return None

    def _find_tagged(self, document: Document) -> Lines | None:
        first, last = (find_tag(document.lines, tag) for tag in self.tags or ())
        return None if first is None or last is None or last < first else (first, last)

    def _find_quoted(self, document: Document) -> Lines | None:
        """Find the first lines that say what was quoted, whatever the blanks around each."""
        if not self.old:
            return None
        here = [line.strip() for line in document.lines]
        for start in (at for at, line in enumerate(here) if line == self.old[0]):
            if tuple(here[start : start + len(self.old)]) == self.old:
                return start + 1, start + len(self.old)
        return None


def _holds(document: Document, lines: Lines, expected: str) -> bool:
    return is_inside(document, lines) and document.range_hash(*lines).startswith(expected)


def document_at(repository: Repository, commit: str, path: str) -> Document | None:
    """Read a file of a commit as lines; None where there is none."""
    return document_in(repository.snapshot(commit), path)


def document_in(files: Snapshot, path: str) -> Document | None:
    """Read a file of a snapshot as lines; None where there is none."""
    file = files.get(path)
    if file is None or file.mode in (DIRECTORY, SUBMODULE):
        return None
    return Document(file.data)


def find_last_held(
    repository: Repository, path: str, holds: Callable[[Document], Lines | None], tip: str
) -> tuple[str, str, Lines] | None:
    """Find where an expectation held last: the commit that broke it, its parent, the lines."""
    for commit in list_changing_commits(repository, path, tip):
        for parent in repository.commit(commit).parents[:1]:
            document = document_at(repository, parent, path)
            lines = None if document is None else holds(document)
            if lines is not None:
                return commit, parent, lines
    return None


def list_changing_commits(
    repository: Repository, path: str, tip: str, *, since: str | None = None
) -> Sequence[str]:
    """List the commits that changed a file, the newest first."""
    excluded = [] if since is None else [f"^{since}"]
    listed = repository.git(
        "--literal-pathspecs",
        "rev-list",
        f"--max-count={MOST}",
        "--full-history",
        tip,
        *excluded,
        "--",
        path,
    )
    return listed.text.split()


def read_causes(repository: Repository, commits: Sequence[str]) -> Iterator[Cause]:
    """Read who made some commits, when, and what they say of themselves."""
    for each in commits:
        commit = repository.commit(each)
        subject = commit.message.decode("utf-8", "replace").split("\n", 1)[0]
        author = commit.author.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        yield Cause(commit.id, author, commit.time, subject)

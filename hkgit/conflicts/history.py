"""history.py: which commit changed the lines that an edit expected, and what they said before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hkgit.applying.draft import Lines
from hkgit.applying.ranges import find_hash, is_inside
from hkgit.conflicts.records import Cause
from hkgit.document import Document
from hkgit.edits import DIRECTORY, SUBMODULE, Snapshot
from hkgit.git.repository import Repository

MOST = 100
"""Commits that changed a file, back from the tip, among which the one is looked for."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What an edit expected of a file: a hash, of these lines, or of so many somewhere.

    Without either, the hash is that of the whole file; without a hash only the path is known.
    """

    path: str
    range_hash: str | None
    lines: Lines | None = None
    count: int | None = None

    def lines_in(self, document: Document) -> Lines | None:
        """The lines of a document that have the hash, or None."""
        expected = self.range_hash
        if expected is None:
            return None
        if self.lines is not None and _holds(document, self.lines, expected):
            return self.lines
        if document.whole_hash.startswith(expected):
            return 1, document.line_count
        count = self.lines[1] - self.lines[0] + 1 if self.lines is not None else self.count
        found = find_hash(document, count or 0, expected)
        return (found[0], found[0] + (count or 1) - 1) if found else None


def _holds(document: Document, lines: Lines, expected: str) -> bool:
    return is_inside(document, lines) and document.range_hash(*lines).startswith(expected)


def document_at(repository: Repository, commit: str, path: str) -> Document | None:
    """A file of a commit as lines; None where there is none."""
    return document_in(repository.snapshot(commit), path)


def document_in(files: Snapshot, path: str) -> Document | None:
    """A file of a snapshot as lines; None where there is none."""
    file = files.get(path)
    if file is None or file.mode in (DIRECTORY, SUBMODULE):
        return None
    return Document(file.data)


def last_held(
    repository: Repository, expectation: Expectation, tip: str
) -> tuple[str, str, Lines] | None:
    """Where the expectation held last: the commit that ended it, the one before, its lines."""
    for commit in changing(repository, expectation.path, tip):
        for parent in repository.commit(commit).parents[:1]:
            document = document_at(repository, parent, expectation.path)
            lines = None if document is None else expectation.lines_in(document)
            if lines is not None:
                return commit, parent, lines
    return None


def changing(
    repository: Repository, path: str, tip: str, *, since: str | None = None
) -> Sequence[str]:
    """The commits that changed a file, the newest first."""
    excluded = [] if since is None else [f"^{since}"]
    said = repository.git(
        "--literal-pathspecs", "rev-list", f"--max-count={MOST}", "--full-history", tip,
        *excluded, "--", path,
    )  # fmt: skip
    return said.text.split()


def causes(repository: Repository, commits: Sequence[str]) -> Iterator[Cause]:
    """Who made some commits, when, and what they say of themselves."""
    for each in commits:
        commit = repository.commit(each)
        subject = commit.message.decode("utf-8", "replace").split("\n", 1)[0]
        author = commit.author.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        yield Cause(commit.id, author, commit.time, subject)

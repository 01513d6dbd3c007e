"""The words of lines: what they say, however they are indented."""

from __future__ import annotations

from collections.abc import Iterable

from hkgit.edits import File
from hkgit.text.document import Document

Words = frozenset[bytes]
"""Lines without their whitespace, so that a line that was only indented again is the same."""


def words_of(lines: Iterable[bytes]) -> Words:
    """Return lines without their whitespace; empty ones say nothing."""
    return frozenset(filter(None, (b"".join(line.split()) for line in lines)))


def words_of_files(files: Iterable[File | None]) -> Words:
    """Return the words of some files together."""
    return words_of(
        line for file in files if file is not None for line in Document(file.data).lines
    )

"""lines.py: a document and an edit as lines, and the readings under which lines are compared.

The readings of a whole file are made with one pass of `bytes.translate` and one of `split`, so
that a file of 100,000 lines costs milliseconds; line `i` (counted from 0) of every reading is
line `i` of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hkgit.document import BOM, Document
from hkgit.edits import Edit, encoded
from hkgit.matching.diff import Change, changes

BLANKS = b" \t\v\f\r"


@dataclass(frozen=True)
class View:
    """A terminated document with the readings of its lines that the tiers ask for."""

    document: Document

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """The lines as they are, without their ends."""
        return self.document.lines

    @cached_property
    def squeezed(self) -> Sequence[bytes]:
        """The lines without any blanks."""
        return self._body.translate(None, BLANKS).split(b"\n")[:-1]

    @property
    def _body(self) -> bytes:
        return self.document.data[len(self.document.bom) :]


@lru_cache(maxsize=2)
def view_of(document: Document) -> View:
    """The view of a document; kept, because a spec often has many edits of one file."""
    return View(document)


@dataclass(frozen=True)
class Wanted:
    """What an edit looks for and what it wants there, as bytes and as lines without ends."""

    old: bytes
    new: bytes

    @classmethod
    def of(cls, edit: Edit) -> Wanted:
        """The literal reading of an edit; a byte order mark is no part of it."""
        return cls(*(encoded(text).removeprefix(BOM) for text in (edit.old_text, edit.new_text)))

    @cached_property
    def old_lines(self) -> tuple[bytes, ...]:
        return split_lines(self.old)

    @cached_property
    def new_lines(self) -> tuple[bytes, ...]:
        return split_lines(self.new)

    @cached_property
    def squeezed(self) -> tuple[bytes, ...]:
        """The old lines without any blanks."""
        return tuple(map(squeeze, self.old_lines))

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What the author changed, in lines."""
        return changes(self.old_lines, self.new_lines)

    @cached_property
    def removed(self) -> frozenset[int]:
        """The old lines that the author rewrote or removed."""
        return frozenset(i for c in self.changes for i in range(c.old_start, c.old_end))


def split_lines(text: bytes) -> tuple[bytes, ...]:
    """The lines of a text without their ends; a last line without an end is a line too."""
    pieces = text.split(b"\n")
    if not pieces[-1]:
        pieces.pop()
    return tuple(piece.removesuffix(b"\r") for piece in pieces)


def squeeze(line: bytes) -> bytes:
    """A line without any blanks."""
    return line.translate(None, BLANKS)


def indent_of(line: bytes) -> bytes:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(b" \t"))]


def occurrences(data: bytes, piece: bytes, limit: int) -> list[int]:
    """Where `piece` stands in `data`, overlaps included, at most `limit` of them."""
    found = []
    start = data.find(piece)
    while start >= 0 and len(found) < limit:
        found.append(start)
        start = data.find(piece, start + 1)
    return found


Reading = Callable[[View], Sequence[bytes]]

"""An edit held against a file, both as lines that can be compared.

The readings of a whole file are made by a few passes over all its bytes, so that a file of
100,000 lines costs milliseconds, and kept, because a spec often has many edits of one file. Line
`i`, counted from 0, of every reading is line `i` of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cached_property, lru_cache
from itertools import accumulate

from hkgit.edits import Edit, encode_text
from hkgit.matching.placeholder import is_elision
from hkgit.matching.words import fold, join_hyphens
from hkgit.text.diff import LineChange, find_common, list_changes
from hkgit.text.document import BOM, Document
from hkgit.values import dataclass, field, replace

BLANKS = b" \t\v\f\r"
INDENT = b" \t"
BRACKETS = (b"(", b")", b"[", b"]", b"{", b"}")
"""What a line begins with that may be as far left as the line which opens a block."""

HEADED = (".md", ".mdx", ".markdown")
HEADING, SECTION = rb"(#{1,6}) ", rb"\s*(\[)[^\[\]]+\]\s*$"
"""Lines that open a section, in files with such names and in all others."""


@dataclass(frozen=True)
class LineReading:
    """The lines of a file without something (whitespace, typography), so that others are equal."""

    lines: Sequence[bytes]

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers of the lines that say something, counted from 0."""
        return [number for number, line in enumerate(self.lines) if line]

    @cached_property
    def text(self) -> bytes:
        """The lines that say something, with a line feed before each and after the last."""
        return b"\n" + b"\n".join(filter(None, self.lines)) + b"\n"

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where each of those begins in `text`, its line feed included."""
        return list(accumulate((len(line) + 1 for line in self.lines if line), initial=0))


@lru_cache(maxsize=2)
def squeeze_file(document: Document) -> LineReading:
    """Read the lines of a terminated document without any whitespace."""
    body = document.data.removeprefix(document.bom)
    return LineReading(body.translate(None, BLANKS).splitlines())


@lru_cache(maxsize=2)
def fold_file(document: Document) -> LineReading:
    """Read the lines of a terminated document without any whitespace and typography."""
    body = document.data.removeprefix(document.bom)
    body = body if body.isascii() else fold(body)
    return LineReading(join_hyphens(body.translate(None, BLANKS)).splitlines())


@dataclass(frozen=True)
class Quotation:
    """An edit as it is read, and the terminated document in which it is looked for.

    `old` and `new` are its texts as bytes, with `repairs` made. `whole_lines` says that they were
    written in lines (see `Edit`).
    """

    document: Document
    edit: Edit = field(compare=False)
    old: bytes
    new: bytes
    whole_lines: bool = field(default=False, compare=False)
    repairs: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, document: Document, edit: Edit, repairs: tuple[str, ...] = ()) -> Quotation:
        """Read an edit as written, or with repairs made; a byte order mark is no part of it."""
        old, new = (encode_text(text).removeprefix(BOM) for text in (edit.old_text, edit.new_text))
        if repairs:
            # Most edits need none.
            from hkgit.matching.repairs import repair_texts

            for name in repairs:
                old, new = repair_texts(name, old, new)
        return cls(
            document=document,
            edit=edit,
            old=old,
            new=new,
            whole_lines=edit.whole_lines,
            repairs=repairs,
        )

    @property
    def lines(self) -> Sequence[bytes]:
        """The file's lines as they are, without their ends."""
        return self.document.lines

    @cached_property
    def old_lines(self) -> tuple[bytes, ...]:
        return split_lines(self.old)

    @cached_property
    def new_lines(self) -> tuple[bytes, ...]:
        return split_lines(self.new)

    @cached_property
    def squeezed(self) -> tuple[bytes, ...]:
        """The old lines without any whitespace."""
        return tuple(map(squeeze, self.old_lines))

    @cached_property
    def says(self) -> Sequence[int]:
        """The old lines that are not blank."""
        return [i for i, line in enumerate(self.squeezed) if line]

    @cached_property
    def is_folded(self) -> bool:
        """Whether typography can make a difference between the file and the edit."""
        body = self.document.data.removeprefix(self.document.bom)
        return not (body.isascii() and self.old.isascii() and self.new.isascii())

    @property
    def reading(self) -> LineReading:
        """The reading of the file under which lines of one meaning are equal."""
        return fold_file(self.document) if self.is_folded else squeeze_file(self.document)

    @property
    def keys(self) -> Sequence[bytes]:
        """The file's lines, written so that lines of one meaning are equal."""
        return self.reading.lines

    @cached_property
    def old_keys(self) -> tuple[bytes, ...]:
        """The old lines, written likewise."""
        return tuple(map(make_key, self.old_lines)) if self.is_folded else self.squeezed

    @cached_property
    def new_keys(self) -> tuple[bytes, ...]:
        """The new lines, written likewise."""
        return tuple(map(make_key if self.is_folded else squeeze, self.new_lines))

    @cached_property
    def common(self) -> list[tuple[int, int]]:
        """Which old line is which new one."""
        return find_common(self.old_lines, self.new_lines)

    @cached_property
    def changes(self) -> tuple[LineChange, ...]:
        """What the author changed, in lines."""
        return list_changes(self.common, len(self.old_lines), len(self.new_lines))

    @cached_property
    def reversed(self) -> Quotation:
        """The edit that undoes this one."""
        return replace(self, old=self.new, new=self.old)

    @cached_property
    def removed(self) -> frozenset[int]:
        """The old lines that the author rewrote or removed."""
        return frozenset(i for c in self.changes for i in range(c.old_start, c.old_end))

    @cached_property
    def added(self) -> frozenset[int]:
        """The new lines that the author wrote."""
        return frozenset(i for c in self.changes for i in range(c.new_start, c.new_end))

    @cached_property
    def moved(self) -> range:
        """The old lines from where one change takes lines away to where another puts them."""
        gone = {
            self.old_lines[i].strip(): change
            for change in self.changes
            for i in range(change.old_start, change.old_end)
        }
        ends = [
            end
            for change in self.changes
            for line in map(bytes.strip, self.new_lines[change.new_start : change.new_end])
            if is_telling(line) and gone.get(line, change) != change
            for end in (change, gone[line])
        ]
        starts, stops = [c.old_start for c in ends], [c.old_end for c in ends]
        return range(min(starts), max(stops)) if ends else range(0)

    @cached_property
    def bound(self) -> Set[int]:
        """The old lines that have to be in the file: the removed, and what they move across.

        Where lines are moved, those between could as well be said to move the other way. Three
        dots are no context either, but lines that the author left out.
        """
        added = {self.new_lines[i].strip() for i in self.added} - {b""}
        dots = {i for i, line in enumerate(self.old_lines) if is_elision(line.strip())}
        if not any(self.old_lines[i].strip() in added for i in self.removed):
            return self.removed | dots
        return dots.union(range(self.changes[0].old_start, self.changes[-1].old_end))


def split_lines(text: bytes) -> tuple[bytes, ...]:
    """Split a text into lines without their ends; the last may have had none."""
    pieces = text.split(b"\n")
    if not pieces[-1]:
        pieces.pop()
    return tuple(piece.removesuffix(b"\r") for piece in pieces)


def squeeze(line: bytes) -> bytes:
    """Remove all whitespace from a line."""
    return line.translate(None, BLANKS)


def make_key(line: bytes) -> bytes:
    """Remove whitespace and typography from a line."""
    return join_hyphens(squeeze(line if line.isascii() else fold(line)))


def is_telling(key: bytes) -> bool:
    """Whether a line says more than brackets do."""
    return re.search(rb"[0-9A-Za-z\x80-\xff]", key) is not None


def indent_of(line: bytes) -> bytes:
    """Return the whitespace that a line begins with."""
    return line[: len(line) - len(line.lstrip(INDENT))]


def find_end_of_block(document: Document, opening: int) -> int:
    """Find the last line of the block that line `opening` opens: what is indented more deeply.

    Items of a list (`- x`) below a key of YAML need not be.
    """
    margin = len(indent_of(document.lines[opening - 1]))
    ends = (
        above
        for above, line in enumerate(document.lines[opening:], opening)
        if line.strip()
        and len(indent_of(line)) + line.lstrip().startswith(b"- ") <= margin
        and line.lstrip()[:1] not in BRACKETS
    )
    return next(ends, document.line_count)


def find_level(line: bytes, path: str) -> int:
    """Find the level of a line that opens a section, 1 for the highest; 0 for any other line.

    Below such a line nothing needs to be indented more.
    """
    heading = HEADING if path.lower().endswith(HEADED) else SECTION
    found = re.match(heading, line)
    return len(found[1]) if found else 0


def find_occurrences(data: bytes, piece: bytes, limit: int) -> list[int]:
    """Find the offsets of `piece` in `data`, overlaps included, at most `limit` of them."""
    found: list[int] = []
    start = data.find(piece)
    while start >= 0 and len(found) < limit:
        found.append(start)
        start = data.find(piece, start + 1)
    return found

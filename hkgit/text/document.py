"""A file as lines, without losing a byte, and hashes of line ranges.

Lines are split on `\\n`; one `\\r` before it belongs to the line end. Everything else (a lone
carriage return, a form feed, bytes that are not UTF-8) is text. A UTF-8 byte order mark is not
part of line 1. Lines are numbered from 1; the empty range before line n+1 is `(n+1, n)`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from hkgit.edits import File
from hkgit.errors import WrongArgument
from hkgit.text.hashes import sha256
from hkgit.values import cached_property, dataclass

BOM = b"\xef\xbb\xbf"

Lines = tuple[int, int]
"""A range of lines, first and last; `(n+1, n)` is the empty range before line n+1."""

MOST_LINES = 2_000_000
"""A file of more lines is no text to edit: lists of them would take gigabytes."""


@dataclass(frozen=True)
class Splice:
    """Replace bytes `start:end` of a document by `new`; `start == end` only inserts."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True)
class Document:
    """The bytes of one file, seen as lines."""

    data: bytes

    @classmethod
    def of(cls, file: File | None) -> Document:
        """Open a file as lines; without a file there are none."""
        return read_document(b"" if file is None else file.data)

    @cached_property
    def bom(self) -> bytes:
        """The byte order mark, or nothing."""
        return BOM if self.data.startswith(BOM) else b""

    @cached_property
    def raw_lines(self) -> list[bytes]:
        """Each line with its end."""
        return split_raw(self.data[len(self.bom) :])

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """The text of each line, without its end."""
        if b"\r\n" in self.data:
            return tuple(raw[: len(raw) - len(find_line_end(raw))] for raw in self.raw_lines)
        # Most files are like this, and large ones are read much faster so.
        pieces = self.data[len(self.bom) :].split(b"\n")
        return tuple(pieces if pieces[-1] else pieces[:-1])

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each line begins in `data`, and, last, where the file ends."""
        return tuple(accumulate(map(len, self.raw_lines), initial=len(self.bom)))

    @cached_property
    def line_count(self) -> int:
        count = self.data.count(b"\n")
        return count if self.is_terminated else count + 1

    @property
    def is_terminated(self) -> bool:
        """Whether the last line has an end; true of a file without lines."""
        return self.data == self.bom or self.data.endswith(b"\n")

    def end_of(self, number: int) -> bytes:
        """Return the line end of line `number`: `\\n`, `\\r\\n`, or nothing."""
        return find_line_end(self.raw_lines[number - 1])

    def span(self, start_line: int, end_line: int) -> tuple[int, int]:
        """Return the bytes (start, end) that a range of lines covers, line ends included."""
        return self.offsets[start_line - 1], self.offsets[end_line]

    def line_at(self, offset: int) -> int:
        """Return the number of the line that has the byte at `offset`; n+1 at the end of the file.

        The end of a file whose last line has no end belongs to that line.
        """
        if offset >= len(self.data):
            return self.line_count + (1 if self.is_terminated else 0)
        return max(bisect_right(self.offsets, offset), 1)

    def lines_of(self, start: int, end: int) -> Lines:
        """Return the range of full lines of which `start:end` covers at least one byte.

        An empty stretch at the beginning of a line is the empty range before it; one inside a
        line is that line.
        """
        first = self.line_at(start)
        if start == end:
            at_border = first > self.line_count or self.offsets[first - 1] == start
            return (first, first - 1) if at_border else (first, first)
        return first, self.line_at(end - 1)

    def range_hash(self, start_line: int, end_line: int) -> str:
        """Hash lines `start_line..end_line`: 64 hex digits."""
        return hash_lines(self.lines[start_line - 1 : end_line])

    @cached_property
    def whole_hash(self) -> str:
        """The hash of all lines."""
        if b"\r\n" in self.data or not self.is_terminated:
            return hash_lines(self.lines)
        return sha256(self.data[len(self.bom) :]).hexdigest()


_SMALL = 1 << 18


def read_document(data: bytes) -> Document:
    """Open a file as lines; a small one that was opened just now is not split again."""
    return _read_small(data) if len(data) < _SMALL else Document(data)


_read_small = lru_cache(4)(Document)


def has_too_many_lines(data: bytes) -> bool:
    """Whether a file has more lines than anything here will list."""
    return len(data) > MOST_LINES and data.count(b"\n") > MOST_LINES


def split_raw(data: bytes) -> list[bytes]:
    """Split bytes into lines that keep their ends."""
    pieces = data.split(b"\n")
    last = pieces.pop()
    raw = [piece + b"\n" for piece in pieces]
    return [*raw, last] if last else raw


def find_line_end(raw: bytes) -> bytes:
    """Return the end of a line that is given with it; empty where it has none."""
    if raw.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if raw.endswith(b"\n") else b""


def hash_lines(lines: Iterable[bytes]) -> str:
    """Hash lines joined with `\\n`, each of them terminated: SHA-256, 64 hex digits."""
    return sha256(b"\n".join((*lines, b""))).hexdigest()


def range_hash(
    content: bytes | str, start_line: int | None = None, end_line: int | None = None
) -> str:
    """Hash a range of lines of a file's content, by default all of them; 64 hex digits.

    Raises IndexError when the range lies outside the file, WrongArgument for what is no content.
    """
    if not isinstance(content, str | bytes):
        raise WrongArgument("content", content, "text or bytes", "Give the content of the file.")
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    document = Document(content)
    first = 1 if start_line is None else start_line
    last = document.line_count if end_line is None else end_line
    if not (1 <= first <= last + 1 and last <= document.line_count):
        raise IndexError(f"lines {first}-{last} of a file of {document.line_count}")
    return document.range_hash(first, last)


def terminate(document: Document) -> Document:
    """Add an end to the last line where it has none, so that ranges need no special case.

    The end is that of the line before; `unterminate` takes it away again.
    """
    if document.is_terminated:
        return document
    above = document.end_of(document.line_count - 1) if document.line_count > 1 else b""
    # Behind a lone carriage return a bare line feed would make one line end of the two.
    end = b"\r\n" if document.data.endswith(b"\r") else above or b"\n"
    return Document(document.data + end)


def unterminate(data: bytes) -> bytes:
    """Remove the end of the last line; an empty last line keeps it, or it would be gone."""
    text = data[: len(data) - len(find_line_end(data[-2:]))]
    return data if text.endswith(b"\n") or text in (b"", BOM) else text


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

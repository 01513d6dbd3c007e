"""Lines that a session has seen.

Known lines move with the hunks of the session's own edits, and with a line diff where others have
changed the file. Lines that others changed are no longer known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hkgit.edits import Read
from hkgit.errors import InvalidInput
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.applying.draft import Lines


KEPT = 8 * 2**20
"""Versions of files up to so many bytes are kept, so that what is known can be carried."""

Kept = Callable[[str], bytes | None]
"""Gives the bytes of a version; None where they are not kept."""

UNKEPT = ""
"""The version of a file that was too large to be kept: what is known must hold at its lines."""


@dataclass(frozen=True, slots=True)
class KnownRange:
    """Lines that are known, with their hash."""

    start_line: int
    end_line: int
    range_hash: str

    @property
    def lines(self) -> Lines:
        return self.start_line, self.end_line


@dataclass(frozen=True, slots=True)
class FileKnowledge:
    """What is known of one file, as it was when its bytes had the SHA-256 `version`."""

    version: str
    ranges: tuple[KnownRange, ...]

    def receipts(self, path: str) -> tuple[Read, ...]:
        """Convert what is known to evidence."""
        return tuple(
            Read(
                path=path,
                start_line=each.start_line,
                end_line=each.end_line,
                range_hash=each.range_hash,
                kind="receipt",
            )
            for each in self.ranges
        )


NOTHING = FileKnowledge(UNKEPT, ())


def know_lines(data: bytes, lines: Iterable[Lines]) -> FileKnowledge:
    """Record lines of a file's bytes as known, joined where they touch."""
    from hkgit.applying.edit_lines import join_lines

    document = Document(data)
    ranges = (KnownRange(*each, document.range_hash(*each)) for each in join_lines(lines))
    return FileKnowledge(digest(data), tuple(ranges))


def carry_knowledge(known: FileKnowledge, data: bytes, kept: Kept) -> FileKnowledge:
    """Carry knowledge to the file as it is now; changed lines drop out."""
    version = digest(data)
    if known.version == version:
        return known
    before = kept(known.version)
    if before is None:
        document = Document(data)
        held = tuple(each for each in known.ranges if _holds(document, each))
        return FileKnowledge(version, held)
    # Few files change under a session.
    from hkgit.applying.line_map import LineMap

    moved = LineMap.between(before, data).lines
    numbers = (
        moved[number]
        for each in known.ranges
        for number in range(each.start_line, each.end_line + 1)
        if number in moved
    )
    return know_lines(data, ((number, number) for number in numbers))


def learn_lines(
    before: FileKnowledge, seen: KnownRange, data: bytes | None, kept: Kept
) -> FileKnowledge:
    """Add lines that were read to what is known; `data` is None for a version that is not kept."""
    if data is None:
        return FileKnowledge(UNKEPT, tuple(dict.fromkeys((*before.ranges, seen))))
    held = carry_knowledge(before, data, kept).ranges
    return know_lines(data, [*(each.lines for each in held), seen.lines])


def merge_knowledge(known: FileKnowledge, fresh: FileKnowledge, kept: Kept) -> FileKnowledge:
    """Add what is known of a later version of a file, or of the same one, to what is known."""
    data = kept(fresh.version)
    for each in fresh.ranges:
        known = learn_lines(known, each, data, kept)
    return known


def _holds(document: Document, known: KnownRange) -> bool:
    is_inside = 1 <= known.start_line <= known.end_line <= document.line_count
    return is_inside and document.range_hash(*known.lines) == known.range_hash


MAX_LINES = 2000
MAX_BYTES = 256 * 2**10
"""So much is shown at once where no last line is named; then it is said where to go on."""

PROBE = 8000
"""So many bytes of a file tell its kind."""

_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines of a file as read, with the hash to quote.

    `kind` is `text`, `image` or `binary`; the lines of the latter two are left out, and `mime` says
    what they are. `next_line` is where to go on reading; None where nothing is left that was asked
    for. `tags` are those of the lines, None in place of one whose tag a line above has already.
    `has_receipt` says that the session keeps a receipt of it; `size` is in bytes.
    """

    path: str
    start_line: int
    end_line: int
    total_lines: int
    range_hash: str | None
    raw_lines: tuple[bytes, ...]
    size: int
    kind: str = "text"
    mime: str | None = None
    next_line: int | None = None
    tags: tuple[str | None, ...] | None = None
    has_receipt: bool = False

    @property
    def lines(self) -> list[str]:
        """The lines, bytes that are not UTF-8 shown as replacement characters."""
        return [line.decode("utf-8", "replace") for line in self.raw_lines]

    @property
    def shown(self) -> list[str]:
        """The lines as `ab|text` where they were read with tags, else as they are."""
        if self.tags is None:
            return self.lines
        pairs = zip(self.tags, self.lines, strict=True)
        return [f"{tag or '  '}|{line}" for tag, line in pairs]

    @property
    def hint(self) -> str:
        """What there is to know beside the lines; empty where there is nothing."""
        if self.kind != "text":
            return f"{self.path} is {self.mime}, {self.size:,} bytes: its lines are not shown."
        shown = f"lines {self.start_line}-{self.end_line} of {self.total_lines}"
        is_passed = self.end_line < self.start_line <= self.total_lines
        if is_passed:
            named = f"{self.path}:{self.start_line}-{self.start_line}"
            shown = f"line {self.start_line} is too long to show unless it is named: {named}"
        if self.next_line is None:
            return shown if is_passed else ""
        return f"{shown}; go on at {self.path}:{self.next_line}-"


def find_bounds(path: str, start: int | None, end: int | None, total: int) -> tuple[int, int]:
    """Find the lines that are asked for; an end past the last line is clamped.

    An empty file has the empty range, which is written 1-0; so line 1 of it may be named as well.
    Raises InvalidInput.
    """
    if (start, total) == (1, 0):
        return 1, 0
    first = 1 if start is None else start
    if first < 1 or (end is not None and end < first):
        fix = "Name the first line and then the last, counted from 1."
        raise InvalidInput(f"{path}:{first}-{end}", "is not a range of lines", fix)
    if start is not None and first > total:
        what = f"starts past the last line: the file has {total} lines"
        raise InvalidInput(f"{path}:{first}", what, "Name lines it has.")
    return first, total if end is None else min(end, total)


def find_next_line(first: int, stop: int, last: int) -> int | None:
    """Find the line to go on with; past a line that is too long to show."""
    following = stop + 1 if stop >= first else first + 1
    return following if stop < last and following <= last else None


def find_kind(head: bytes) -> tuple[str, str | None]:
    """Tell the kind of a file by its first bytes: text, image, or binary (git's rule: a NUL).

    Returns what the others are as well: a MIME type, or words.
    """
    for magic, mime in _IMAGES.items():
        if head.startswith(magic) and (b"\0" in head or magic != b"BM"):
            return "image", mime
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image", "image/webp"
    return ("binary", "a binary file") if b"\0" in head else ("text", None)

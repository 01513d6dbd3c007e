"""knowledge.py: the lines of a file that a session knows, because it has read or written them.

Known lines move with the hunks of the session's own edits, and with a line diff where others have
changed the file. Lines that others changed are no longer known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hkgit.edits import Read
from hkgit.evidence.ledger.canonical import digest
from hkgit.text.document import Document
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
    from hkgit.applying.carry.following import join_lines

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
    from hkgit.applying.carry.carrying import LineMap

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
    """Add lines that were read to what is known; `data` is None for a file too large to be held."""
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

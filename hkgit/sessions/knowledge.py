"""Lines that a session has seen.

Known lines move with the hunks of the session's own edits, and with a line diff where others have
changed the file. Lines that others changed are no longer known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hkgit.edits import Read
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.text.document import Lines


KEPT = 8 * 2**20
"""Versions of files up to so many bytes are kept, so that what is known can be carried."""

Kept = Callable[[str], bytes | None]
"""Gives the bytes of a version; None where they are not kept."""

UNKEPT = ""
"""The version of a file that was too large to be kept: what is known must hold at its lines."""


@dataclass(frozen=True)
class FileKnowledge:
    """What is known of one file, as it was when its bytes had the SHA-256 `version`.

    `ranges` maps the lines that are known to their hash.
    """

    version: str
    ranges: Mapping[Lines, str]

    def receipts(self, path: str) -> tuple[Read, ...]:
        """Convert what is known to evidence."""
        return tuple(Read(path, *lines, each, "receipt") for lines, each in self.ranges.items())


NOTHING = FileKnowledge(UNKEPT, {})


def know_lines(data: bytes, lines: Iterable[Lines]) -> FileKnowledge:
    """Record lines of a file's bytes as known, joined where they touch."""
    from hkgit.text.line_map import join_lines

    document = Document(data)
    return FileKnowledge(
        digest(data), {each: document.range_hash(*each) for each in join_lines(lines)}
    )


def carry_knowledge(known: FileKnowledge, data: bytes, kept: Kept) -> FileKnowledge:
    """Carry knowledge to the file as it is now; changed lines drop out."""
    version = digest(data)
    if known.version == version:
        return known
    before = kept(known.version)
    if before is None:
        document = Document(data)
        held = {
            lines: each
            for lines, each in known.ranges.items()
            if 1 <= lines[0] <= lines[1] <= document.line_count
            and document.range_hash(*lines) == each
        }
        return FileKnowledge(version, held)
    # Few files change under a session.
    from hkgit.text.line_map import LineMap

    moved = LineMap.between(before, data)
    return know_lines(data, (part for lines in known.ranges for part in moved.keep(lines)))


def learn_lines(
    before: FileKnowledge, seen: Mapping[Lines, str], data: bytes | None, kept: Kept
) -> FileKnowledge:
    """Add lines that were read to what is known; `data` is None for a version that is not kept."""
    if data is None:
        return FileKnowledge(UNKEPT, {**before.ranges, **seen})
    return know_lines(data, [*carry_knowledge(before, data, kept).ranges, *seen])


def merge_knowledge(known: FileKnowledge, fresh: FileKnowledge, kept: Kept) -> FileKnowledge:
    """Add what is known of a later version of a file, or of the same one, to what is known."""
    return learn_lines(known, fresh.ranges, kept(fresh.version), kept) if fresh.ranges else known

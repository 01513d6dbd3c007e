"""Lines that a session has seen.

Known lines move with the hunks of the session's own edits, and with a line diff where others have
changed the file. Lines that others changed are no longer known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hkgit.edits import Read
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.text.document import Lines
    from hkgit.text.strict_json import Json


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


_Files = Mapping[str, FileKnowledge]


@dataclass(frozen=True)
class Knowledge:
    """What a session knows of files, by path.

    `fresh` is what calls of a `turn` of the model have shown: the other calls of that turn were
    written before, so it is known from the next one on.
    """

    known: _Files = field(default_factory=dict)
    fresh: _Files = field(default_factory=dict)
    turn: str = ""

    def write(self) -> Json:
        """Write it as JSON."""
        return [_write(self.known), _write(self.fresh), self.turn]

    @classmethod
    def read(cls, value: Json) -> Knowledge:
        """Read what `write` has written. Raises TypeError, ValueError."""
        known, fresh, turn = value
        return cls(_read(known), _read(fresh), turn)

    @property
    def versions(self) -> frozenset[str]:
        """The versions of files that it refers to."""
        return frozenset(each.version for each in (*self.known.values(), *self.fresh.values()))

    def merge(self, kept: Kept) -> _Files:
        """Join what is known and what is fresh."""
        fresh = self.fresh.items()
        merged = {x: merge_knowledge(self.known.get(x, NOTHING), each, kept) for x, each in fresh}
        return {**self.known, **merged}

    def begin_turn(self, turn: str, kept: Kept) -> Knowledge:
        """Count as known what earlier turns of the model have read: it has been shown that by now.

        What calls of this very `turn` have read it has not, whichever of them came first.
        """
        is_same = turn and turn == self.turn
        return self if is_same else Knowledge(self.merge(kept), turn=turn)

    def learn(
        self, path: str, seen: Mapping[Lines, str], data: bytes, kept: Kept, turn: str = ""
    ) -> Knowledge:
        """Add lines that a call has shown; with the `turn` of the model they are fresh."""
        before = self.begin_turn(turn, kept) if turn else self
        files = before.fresh if turn else before.known
        more = {**files, path: learn_lines(files.get(path, NOTHING), seen, data, kept)}
        return replace(before, fresh=more) if turn else replace(before, known=more)

    def follow(
        self, known: Mapping[str, FileKnowledge | None], left: Mapping[str, str], kept: Kept
    ) -> Knowledge:
        """Take in what a call has made known of files, None for nothing any more.

        What is fresh moves along to the versions that the call has `left`.
        """
        both = {**self.known, **known}
        datas = ((path, kept(left[path])) for path in self.fresh if path in left)
        moved = {
            path: carry_knowledge(self.fresh[path], data, kept)
            for path, data in datas
            if data is not None
        }
        return replace(
            self,
            known={path: each for path, each in both.items() if each is not None},
            fresh={**self.fresh, **moved},
        )


def _write(files: _Files) -> Json:
    return {
        path: [each.version, *([*lines, part] for lines, part in each.ranges.items())]
        for path, each in files.items()
    }


def _read(value: Json) -> _Files:
    return {
        path: FileKnowledge(version, {(first, last): part for first, last, part in parts})
        for path, (version, *parts) in value.items()
    }

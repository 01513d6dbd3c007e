"""Lines that a session has seen.

Known lines move with the hunks of the session's own edits, and with a line diff where others have
changed the file. Lines that others changed are no longer known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hkgit.edits import Read
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.text.document import Lines
    from hkgit.text.strict_json import Json


Kept = Callable[[str], bytes | None]
"""Gives the bytes of a version; None where they are not kept."""


@dataclass(frozen=True)
class FileKnowledge:
    """The lines of a file that are known, as it was when its bytes had the SHA-256 `version`."""

    version: str = ""
    lines: Sequence[Lines] = ()

    @classmethod
    def of(cls, data: bytes, lines: Iterable[Lines]) -> FileKnowledge:
        """Record lines of a file's bytes as known, joined where they touch."""
        from hkgit.text.diff import join_lines

        return cls(digest(data), join_lines(lines))

    def carry(self, data: bytes, kept: Kept) -> FileKnowledge:
        """Carry it to the file as it is now; changed lines drop out."""
        if self.version == digest(data):
            return self
        before = kept(self.version)
        if before is None:
            return FileKnowledge.of(data, ())
        # Few files change under a session.
        from hkgit.text.diff import LineMap

        moved = LineMap.between(before, data)
        return FileKnowledge.of(data, (part for lines in self.lines for part in moved.keep(lines)))

    def learn(self, seen: Iterable[Lines], data: bytes, kept: Kept) -> FileKnowledge:
        """Add lines that were read of the file as it is now."""
        return FileKnowledge.of(data, [*self.carry(data, kept).lines, *seen])

    def receipts(self, path: str, data: bytes, kept: Kept) -> Iterator[Read]:
        """Convert what is still known of the file as it is now to evidence."""
        document = Document(data)
        for lines in self.carry(data, kept).lines:
            yield Read(path, *lines, document.range_hash(*lines), "receipt")


NOTHING = FileKnowledge()


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
        """Join what is known and what is fresh, which is of a later version or of the same one."""
        merged = {**self.known}
        for path, fresh in self.fresh.items():
            data = kept(fresh.version) if fresh.lines else None
            if data is not None:
                merged[path] = merged.get(path, NOTHING).learn(fresh.lines, data, kept)
        return merged

    def begin_turn(self, turn: str, kept: Kept) -> Knowledge:
        """Count as known what earlier turns of the model have read: it has been shown that by now.

        What calls of this very `turn` have read it has not, whichever of them came first.
        """
        is_same = turn and turn == self.turn
        return self if is_same else Knowledge(self.merge(kept), turn=turn)

    def learn(
        self, path: str, seen: Iterable[Lines], data: bytes, kept: Kept, turn: str = ""
    ) -> Knowledge:
        """Add lines that a call has shown; with the `turn` of the model they are fresh."""
        before = self.begin_turn(turn, kept) if turn else self
        files = before.fresh if turn else before.known
        more = {**files, path: files.get(path, NOTHING).learn(seen, data, kept)}
        return replace(before, fresh=more) if turn else replace(before, known=more)

    def follow(
        self, known: Mapping[str, FileKnowledge | None], left: Mapping[str, str], kept: Kept
    ) -> Knowledge:
        """Take in what a call has made known of files, None for nothing any more.

        What is fresh moves along to the versions that the call has `left`.
        """
        both = {**self.known, **known}
        found = ((path, kept(left[path])) for path in self.fresh if path in left)
        moved = {
            path: self.fresh[path].carry(data, kept) for path, data in found if data is not None
        }
        return replace(
            self,
            known={path: each for path, each in both.items() if each is not None},
            fresh={**self.fresh, **moved},
        )


def _write(files: _Files) -> Json:
    return {path: [each.version, *each.lines] for path, each in files.items()}


def _read(value: Json) -> _Files:
    return {
        path: FileKnowledge(version, [(first, last) for first, last in lines])
        for path, (version, *lines) in value.items()
    }

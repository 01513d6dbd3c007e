"""showing.py: whether a change of a file shows what an entry did, and no other entry says it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from hkgit.edits import encode_text
from hkgit.evidence.ledger.entry import RecordedFile, RecordedHunk
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, hash_lines
from hkgit.values import dataclass

_TELLING = re.compile(rb"[0-9A-Za-z\x80-\xff]")
"""A line without one of these, as a closing brace, stands in any change."""


@dataclass(frozen=True, slots=True)
class MergedFile:
    """One file that a merge changes: lines that it `added`, stretches that it `removed`.

    What the entries in `recorded` write is not among them.
    """

    change: TreeChange
    before: Document
    after: Document
    added: Counter[bytes]
    removed: tuple[LineChange, ...]
    recorded: Sequence[RecordedFile]

    @classmethod
    def of(
        cls,
        repository: Repository,
        change: TreeChange,
        gone: bytes,
        recorded: Sequence[RecordedFile],
    ) -> MergedFile:
        """Pair a change with what entries that are new there say of the file.

        What is `gone` with other files may be here now: git knows no renames.
        """
        old = gone if change.old is None else repository.blob(change.old.id)
        new = b"" if change.new is None else repository.blob(change.new.id)
        before, after = Document(old), Document(new)
        written = Counter(line for hunk in _hunks(recorded) for line in _list_written(hunk))
        added = Counter(after.lines) - Counter(before.lines) - written
        return cls(
            change=change,
            before=before,
            after=after,
            added=added,
            removed=find_changes(before.lines, after.lines),
            recorded=recorded,
        )

    def shows(self, file: RecordedFile) -> bool:
        """Whether something that an entry did to a file is done here once more."""
        if self._makes(file) or self._removes(file) or self._changes_mode(file):
            return True
        if self.change.path not in (file.path, file.new_path) and not self._may_be_renamed(file):
            return False
        return any(self._writes(hunk) or self._cuts(hunk) for hunk in file.hunks)

    def _may_be_renamed(self, file: RecordedFile) -> bool:
        """Git carries a change along where a side has renamed the file."""
        return file.path is not None and file.new_path is not None

    def _makes(self, file: RecordedFile) -> bool:
        if self.change.old is not None or self.change.new is None or file.path == file.new_path:
            return False
        is_recorded = any(each.new_path == file.new_path != each.path for each in self.recorded)
        return self.change.path == file.new_path and not is_recorded

    def _removes(self, file: RecordedFile) -> bool:
        if self.change.old is None or self.change.new is not None or file.path == file.new_path:
            return False
        is_recorded = any(each.path == file.path != each.new_path for each in self.recorded)
        return self.change.path == file.path and not is_recorded

    def _changes_mode(self, file: RecordedFile) -> bool:
        if self.change.old is None or self.change.new is None or file.after is None:
            return False
        if file.before is None or file.before.mode == file.after.mode:
            return False
        is_turned = self.change.old.mode != self.change.new.mode == file.after.mode
        is_recorded = any(
            each.after and each.after.mode == file.after.mode for each in self.recorded
        )
        return self.change.path == file.new_path and is_turned and not is_recorded

    def _writes(self, hunk: RecordedHunk) -> bool:
        written = _list_written(hunk)
        telling = [line for line in written if _TELLING.search(line)] or written
        if not any(line in self.added for line in telling):
            return False
        block = b"".join(line + b"\n" for line in written)
        counts = [_count(block, each) for each in (self.before, self.after)]
        return not counts[0] >= counts[1] > 0

    def _cuts(self, hunk: RecordedHunk) -> bool:
        """Whether lines that an entry took away, and wrote nothing for, go once more."""
        if hunk.new_text or any(each.old_hash == hunk.old_hash for each in _hunks(self.recorded)):
            return False
        size = hunk.end_line - hunk.start_line + 1
        lines = self.before.lines
        return any(
            hash_lines(lines[at : at + size]) == hunk.old_hash
            for cut in self.removed
            for at in range(cut.old_start, cut.old_end - size + 1)
        )


def _hunks(files: Sequence[RecordedFile]) -> Iterator[RecordedHunk]:
    return (hunk for file in files for hunk in file.hunks)


def _list_written(hunk: RecordedHunk) -> Sequence[bytes]:
    return Document(encode_text(hunk.new_text)).lines


def _count(block: bytes, document: Document) -> int:
    """Count how often lines stand in a document, one after the other."""
    return b"".join((b"\n", *(line + b"\n" for line in document.lines))).count(b"\n" + block)

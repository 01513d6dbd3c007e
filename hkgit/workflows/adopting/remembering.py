"""remembering.py: what each conversation of a transcript was shown of files, and still knows."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.sessions.readings.knowledge import (
    NOTHING,
    FileKnowledge,
    KnownRange,
    carry_knowledge,
    know_lines,
    learn_lines,
    merge_knowledge,
)
from hkgit.sessions.storage.blobs import Blobs
from hkgit.text.document import Document
from hkgit.workflows.adopting.contents.texts import count_shown, is_shown_as
from hkgit.workflows.adopting.following import FollowedFiles
from hkgit.workflows.adopting.steps import LoggedReading, ShownPart, Step

_REMEMBERED = 40
"""So many versions of a file are asked whether they say what was read."""


class ReadingMemory:
    """Learns readings at once where a file is known, else when it comes to be."""

    def __init__(self, files: FollowedFiles, blobs: Blobs) -> None:
        self._files = files
        self._blobs = blobs
        self._known: dict[str, dict[str, FileKnowledge]] = {}
        self._fresh: dict[str, dict[str, FileKnowledge]] = {}
        self._turns: dict[str, str] = {}
        self._unplaced: dict[tuple[str, str], list[tuple[Step, LoggedReading]]] = {}

    def knowledge(self, session: str) -> dict[str, FileKnowledge]:
        """Return what a conversation knows of files, by path; to be changed in place."""
        return self._known.setdefault(session, {})

    def begin_turn(self, step: Step) -> None:
        """Count as known what earlier answers of the model have read: it has seen that by now."""
        if step.turn and self._turns.get(step.session) == step.turn:
            return
        self._turns[step.session] = step.turn
        known = self.knowledge(step.session)
        for path, fresh in self._fresh.pop(step.session, {}).items():
            known[path] = merge_knowledge(known.get(path, NOTHING), fresh, self._blobs.get)

    def follow(self, session: str, path: str, data: bytes) -> None:
        """Move what is fresh along with a file that an edit has changed."""
        fresh = self._fresh.get(session, {})
        if path in fresh:
            self._blobs.put(data)
            fresh[path] = carry_knowledge(fresh[path], data, self._blobs.get)

    def _find_place(self, step: Step) -> dict[str, FileKnowledge]:
        """Find where a step learns: other calls of its answer have not seen what it reads."""
        if step.turn and self._turns.get(step.session) == step.turn:
            return self._fresh.setdefault(step.session, {})
        return self.knowledge(step.session)

    def read(self, step: Step, reading: LoggedReading) -> None:
        """Learn what was shown, at once where the file is known, else when it comes to be."""
        path = reading.path
        if reading.whole is not None and not is_shown_as(self._files.read(path), reading.whole):
            self._files.arrive(path, self._files.restore(path, reading.whole))
        if not self._learn(step, reading, self._files.read(path)):
            self._unplaced.setdefault((step.session, path), []).append((step, reading))

    def settle(self, session: str, path: str, data: bytes) -> None:
        """Learn what was shown of a file before any version of it was known."""
        for step, reading in self._unplaced.pop((session, path), ()):
            if self._learn(step, reading, data):
                continue
            for kept in self._files.list_past(path, _REMEMBERED):
                if self._count(reading, kept):
                    self._recall(step, reading, kept, data)
                    break

    def _learn(self, step: Step, reading: LoggedReading, data: bytes | None) -> bool:
        """Whether a file says what was shown; then it is known from now on."""
        count = 0 if data is None else self._count(reading, data)
        if data is None or not count:
            return False
        document, first = Document(data), reading.start_line
        lines = first, first + count - 1
        seen = KnownRange(*lines, document.range_hash(*lines))
        known = self._find_place(step)
        before = known.get(reading.path)
        self._blobs.put(data)
        nothing = know_lines(data, ())
        known[reading.path] = learn_lines(before or nothing, seen, data, self._blobs.get)
        return True

    def _recall(self, step: Step, reading: LoggedReading, then: bytes, now: bytes) -> None:
        """Learn what an earlier version of a file showed, as far as it still stands."""
        lines = reading.start_line, reading.start_line + self._count(reading, then) - 1
        old = know_lines(then, [lines])
        carried = carry_knowledge(old, now, self._blobs.get)
        known = self._find_place(step)
        for each in carried.ranges:
            before = known.get(reading.path) or know_lines(now, ())
            known[reading.path] = learn_lines(before, each, now, self._blobs.get)

    def _count(self, reading: LoggedReading, data: bytes) -> int:
        """Count how many lines of a reading a file has, from the first on."""
        own = Document(data).lines
        if not reading.most:
            return count_shown(reading.lines, reading.start_line, own)
        return max((count_part(reading, own, at) for at in self._find_starts(reading)), default=0)

    def _find_starts(self, reading: LoggedReading) -> set[int]:
        """Find where a file may begin in an answer that shows others before it."""
        starts = {0}
        for part in reading.above:
            known = dict.fromkeys(self._files.list_known(part.path, _REMEMBERED))
            ends = {
                at + count
                for data in known
                for at in starts
                if (count := count_lines(reading.lines, part, Document(data).lines, at))
            }
            starts = ends
        return starts


def count_part(reading: LoggedReading, own: Sequence[bytes], at: int) -> int:
    """Count the lines of a file in an answer that shows several, where it shows all of them."""
    part = ShownPart(reading.path, reading.start_line, reading.most)
    return count_lines(reading.lines, part, own, at)


def count_lines(shown: Sequence[bytes], part: ShownPart, own: Sequence[bytes], at: int) -> int:
    """Count the lines of a part that an answer shows from `at` on; 0 unless it shows all."""
    wanted = [*own[part.start_line - 1 : part.start_line - 1 + part.most]]
    return len(wanted) if wanted and [*shown[at : at + len(wanted)]] == wanted else 0

"""replaying.py: the steps of transcripts, replayed on the files as they were, become journals.

Nothing of the checkout is read or written. What a file said before a call is what the log tells;
else what the calls before it left; else a version that the repository has. A call whose file is
known nowhere is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.applying.draft import Lines
from hkgit.applying.planner import Options
from hkgit.edits import (
    File,
    MappingSnapshot,
    Overlay,
)
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.ledger.canonical import digest
from hkgit.evidence.ledger.readings import ShownLines, ToolCall
from hkgit.sessions.drafting import CallPlan, plan_call
from hkgit.sessions.readings.knowledge import (
    FileKnowledge,
    KnownRange,
    carry_knowledge,
    know_lines,
    learn_lines,
)
from hkgit.sessions.storage.blobs import Blobs
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import RECOVERED, JournaledCall
from hkgit.sessions.writing import journal_spec, keep_versions
from hkgit.text.document import Document
from hkgit.values import dataclass, field
from hkgit.workflows.adopting.contents.results import (
    find_after,
    is_what_came,
    make_difference,
    makes_file,
    may_be_made_on,
    name_states,
    needs_text,
)
from hkgit.workflows.adopting.contents.texts import count_shown, is_shown_as, with_ends
from hkgit.workflows.adopting.steps import LoggedEdit, LoggedReading, Step

Versions = Callable[[str], Iterator[bytes]]
"""Versions of a file that a repository has, those that are likeliest first."""

_REMEMBERED = 40
"""So many versions of a file are asked whether they say what was read."""


@dataclass
class Replayed:
    """The journals of all conversations by name, and the step behind each call of each.

    `skipped` are the steps of edits that cannot be replayed, each with the reason.
    """

    journals: dict[str, SessionJournal] = field(default_factory=dict)
    steps: dict[tuple[str, int], Step] = field(default_factory=dict)
    skipped: list[tuple[Step, str]] = field(default_factory=list)


class TranscriptReplay:
    """Replays steps, oldest first, into journals below `home`; `recorded` are known changes.

    A change (path, SHA-256 before and after) that a session of the checkout has recorded already
    is followed, and not journalled again.
    """

    def __init__(
        self,
        home: Path,
        versions: Versions,
        recorded: frozenset[tuple[str, str | None, str | None]] = frozenset(),
    ) -> None:
        self.made = Replayed()
        self._home = home
        self._versions = versions
        self._recorded = recorded
        self._blobs = Blobs(home / "versions")
        self._files: dict[str, bytes | None] = {}
        self._history: dict[str, list[str]] = {}
        self._known: dict[str, dict[str, FileKnowledge]] = {}
        self._unplaced: dict[tuple[str, str], list[tuple[Step, LoggedReading]]] = {}
        self._shown: dict[str, list[ShownLines]] = {}
        self._time = 0

    def take(self, steps: Iterable[Step]) -> Replayed:
        """Replay steps; what cannot be is said in `skipped`. Raises GitRefused."""
        for step in steps:
            match step.did:
                case LoggedReading() as reading:
                    self._read(step, reading)
                case LoggedEdit() as edit:
                    try:
                        self._edit(step, edit)
                    except HkgitError as error:
                        self._lose(edit)
                        self.made.skipped.append((step, error.what))
        return self.made

    # Readings

    def _read(self, step: Step, reading: LoggedReading) -> None:
        """Learn what was shown, at once where the file is known, else when it comes to be."""
        now = self._files.get(reading.path)
        if reading.whole is not None and not is_shown_as(now, reading.whole):
            self._arrive(reading.path, self._as_stored(reading.path, reading.whole))
        if not self._learn(step, reading, self._files.get(reading.path)):
            key = step.session, reading.path
            self._unplaced.setdefault(key, []).append((step, reading))

    def _learn(self, step: Step, reading: LoggedReading, data: bytes | None) -> bool:
        """Whether a file says what was shown; then it is known from now on."""
        count = 0 if data is None else _count(reading, data)
        if data is None or not count:
            return False
        document, first = Document(data), reading.start_line
        lines = first, first + count - 1
        seen = KnownRange(*lines, document.range_hash(*lines))
        self._note_shown(step, reading.path, lines, data)
        known = self._known.setdefault(step.session, {})
        before = known.get(reading.path)
        self._blobs.put(data)
        nothing = know_lines(data, ())
        known[reading.path] = learn_lines(before or nothing, seen, data, self._blobs.get)
        return True

    def _settle_readings(self, session: str, path: str, data: bytes) -> None:
        """Learn what was shown of a file before any version of it was known."""
        for step, reading in self._unplaced.pop((session, path), ()):
            if self._learn(step, reading, data):
                continue
            for name in reversed(self._history.get(path, [])[-_REMEMBERED:]):
                kept = self._blobs.get(name)
                if kept is not None and _count(reading, kept):
                    self._recall(step, reading, kept, data)
                    break

    def _recall(self, step: Step, reading: LoggedReading, then: bytes, now: bytes) -> None:
        """Learn what an earlier version of a file showed, as far as it still stands."""
        lines = reading.start_line, reading.start_line + _count(reading, then) - 1
        self._note_shown(step, reading.path, lines, then)
        old = know_lines(then, [lines])
        carried = carry_knowledge(old, now, self._blobs.get)
        known = self._known.setdefault(step.session, {})
        for each in carried.ranges:
            before = known.get(reading.path) or know_lines(now, ())
            known[reading.path] = learn_lines(before, each, now, self._blobs.get)

    def _note_shown(self, step: Step, path: str, lines: Lines, data: bytes) -> None:
        call = ToolCall.of(step.tool, step.call)
        shown = ShownLines(path, *lines, version=digest(data), call=call, time=step.time)
        self._shown.setdefault(step.session, []).append(shown)

    # Edits

    def _edit(self, step: Step, edit: LoggedEdit) -> None:
        before = {path: self._find_before(path, edit) for path in edit.paths}
        for path, data in before.items():
            self._arrive(path, data)
            if data is not None:
                self._settle_readings(step.session, path, data)
        plan = self._plan(step, edit, before)
        changed = {path: None if file is None else file.data for path, file in plan.changed.items()}
        if not self._is_recorded(before, changed):
            self._journal(step, plan)
        for path, data in changed.items():
            self._arrive(path, data)
        known = self._known.setdefault(step.session, {})
        for path, now in plan.known.items():
            known.pop(path, None)
            known |= {} if now is None else {path: now}

    def _find_before(self, path: str, edit: LoggedEdit) -> bytes | None:
        """Find what a file said before a call. Raises InvalidInput where nothing tells it."""
        if edit.before is not None and path in edit.before:
            content = edit.before[path]
            return None if content is None else self._as_stored(path, content)
        is_here = path in self._files
        if not needs_text(edit, path):
            return self._files[path] if is_here else next(self._versions(path), None)
        if makes_file(edit, path, is_here=is_here):
            return None
        candidates = [self._files[path]] if is_here else []
        for data in (*candidates, *self._versions(path)):
            if data is not None and may_be_made_on(edit, path, data):
                return data
        raise _unknown([path], "nothing tells what the file said before the call")

    def _as_stored(self, path: str, text: bytes) -> bytes:
        """A text of a log with the line ends and the mark that its file has.

        Tools show files without a byte order mark, and lines without their carriage returns.
        """
        here = self._files.get(path)
        if here is None:
            here = next(self._versions(path), None)
        return here if here is not None and is_shown_as(here, text) else with_ends(text, here)

    def _plan(self, step: Step, edit: LoggedEdit, before: Mapping[str, bytes | None]) -> CallPlan:
        """The call as a plan on its files; as a diff where its words do not make the result."""
        files = Overlay(
            MappingSnapshot(),
            {path: None if data is None else File(data) for path, data in before.items()},
        )
        after = find_after(edit, before)
        known = self._known.setdefault(step.session, {})
        if edit.spec is not None and edit.is_final:
            plan = plan_call([edit.spec], files, Options(), (), known, self._blobs.get)
            if plan.is_ok and is_what_came(plan, before, after):
                return plan
        if after is None:
            raise _unknown(edit.paths, "the log does not say what the call made of it")
        spec = make_difference(before, after)
        plan = plan_call([spec], files, Options(), (), known, self._blobs.get)
        if not plan.is_ok:
            raise _unknown(edit.paths, "what the log says of the call cannot be replayed")
        return plan

    def _is_recorded(
        self, before: Mapping[str, bytes | None], changed: Mapping[str, bytes | None]
    ) -> bool:
        marks = name_states(before, changed)
        return bool(marks) and all(mark in self._recorded for mark in marks)

    def _journal(self, step: Step, plan: CallPlan) -> None:
        """Write a call into the journal of its conversation."""
        journal = self.made.journals.get(step.session)
        if journal is None:
            journal = SessionJournal(self._home / step.session)
            self.made.journals[step.session] = journal
        for each in plan.steps:
            keep_versions(journal.blobs, each.plan.files)
        # Calls are put in order by their time, so no two may have the same.
        self._time = max(step.time, self._time + 1)
        specs = tuple(journal_spec(each, Options()) for each in plan.steps)
        number = journal.state.last + 1
        call = JournaledCall(number, self._time, step.agent, specs, origin=RECOVERED)
        journal.show(self._shown.pop(step.session, ()))
        journal.begin(call)
        journal.end(number, {})
        self.made.steps[step.session, number] = step

    def _arrive(self, path: str, data: bytes | None) -> None:
        """Note what a file says from now on."""
        self._files[path] = data
        if data is not None:
            name = self._blobs.put(data)
            history = self._history.setdefault(path, [])
            if name not in history[-1:]:
                history.append(name)

    def _lose(self, edit: LoggedEdit) -> None:
        """Forget files that a call has changed in a way that cannot be told."""
        for path in edit.paths:
            self._files.pop(path, None)


def _unknown(paths: Sequence[str], what: str) -> InvalidInput:
    return InvalidInput(", ".join(paths), what)


def _count(reading: LoggedReading, data: bytes) -> int:
    """Count how many lines of a reading a file has, from the first on."""
    return count_shown(reading.lines, reading.start_line, Document(data).lines)

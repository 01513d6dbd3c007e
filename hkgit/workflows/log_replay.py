"""The calls of a log, replayed into entries.

A session goes on after a commit, and most often what it left at some moment is just what the
commit has. Then the edits up to that moment are meant, from the one that found the parent's file.

Nothing of the checkout is read or written. What a file said before a call is what the log tells;
else what the calls before it left; else a version that the repository has. A call whose file is
known nowhere is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hkgit.applying.planner import Options
from hkgit.edits import File, MappingSnapshot, Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.evidence.entry import digest
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.call_journal import PendingEdit, SessionJournal
from hkgit.sessions.call_plan import CallPlan, plan_call
from hkgit.sessions.journaled_call import RECOVERED, JournaledCall
from hkgit.sessions.writer import keep_versions
from hkgit.values import dataclass, field
from hkgit.workflows.log_memory import FollowedFiles, ReadingMemory, Versions, make_unknown
from hkgit.workflows.log_results import find_after, is_what_came, make_difference, name_states
from hkgit.workflows.log_steps import LoggedEdit, LoggedReading, Step

SLACK = 120_000
"""Milliseconds that a commit's clock may be behind that of its edits."""


def narrow(
    units: Sequence[PendingEdit],
    sides: tuple[Snapshot, Snapshot],
    paths: Iterable[str],
    author_time: int,
) -> list[PendingEdit]:
    """Select the edits that may be in a commit made at `author_time` (s); all in order of time."""
    kept: set[PendingEdit] = set()
    before, after = sides
    for path in paths:
        here = [unit for unit in units if path in unit.paths]
        kept.update(_narrow_path(here, path, before.get(path), after.get(path), author_time))
    return [unit for unit in units if unit in kept]


def _narrow_path(
    units: Sequence[PendingEdit],
    path: str,
    before: File | None,
    after: File | None,
    author_time: int,
) -> Sequence[PendingEdit]:
    wanted = None if after is None else digest(after.data)
    left = [at for at, unit in enumerate(units) if _states(unit, path)[1] == wanted]
    in_time = [at for at, unit in enumerate(units) if unit.call.time <= author_time * 1000 + SLACK]
    last = max(left or in_time, default=-1)
    found = None if before is None else digest(before.data)
    begun = [at for at in range(last + 1) if _states(units[at], path)[0] == found]
    return units[max(begun, default=0) : last + 1]


def _states(unit: PendingEdit, path: str) -> tuple[str | None, str | None]:
    """What a spec found at a path, and what it left there."""
    for change in unit.entry.files:
        if path in (change.path, change.new_path):
            before = change.before if change.path == path else None
            after = change.after if change.new_path == path else None
            return (
                None if before is None else before.sha256,
                None if after is None else after.sha256,
            )
    return "", ""


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
        self._recorded = recorded
        self._blobs = Blobs(home / "versions")
        self._files = FollowedFiles(versions, self._blobs)
        self._memory = ReadingMemory(self._files, self._blobs)
        self._time = 0

    def take(self, steps: Iterable[Step]) -> Replayed:
        """Replay steps; what cannot be is said in `skipped`. Raises GitRefused."""
        for step in steps:
            self._memory.begin_turn(step)
            match step.did:
                case LoggedReading() as reading:
                    self._memory.read(step, reading)
                case LoggedEdit() as edit:
                    self._try_edit(step, edit)
        return self.made

    def _try_edit(self, step: Step, edit: LoggedEdit) -> None:
        try:
            self._edit(step, edit)
        except HkgitError as error:
            self._files.lose(edit.paths)
            self.made.skipped.append((step, error.what))

    def _edit(self, step: Step, edit: LoggedEdit) -> None:
        before = {path: self._files.find_before(path, edit) for path in edit.paths}
        for path, data in before.items():
            self._files.arrive(path, data)
            if data is not None:
                self._memory.settle(step.session, path, data)
        plan = self._plan(step, edit, before)
        changed = {path: None if file is None else file.data for path, file in plan.changed.items()}
        if not self._is_recorded(before, changed):
            self._journal(step, plan)
        for path, data in changed.items():
            self._files.arrive(path, data)
            if data is not None:
                self._memory.follow(step.session, path, data)
        known = self._memory.knowledge(step.session)
        for path, now in plan.known.items():
            known.pop(path, None)
            known |= {} if now is None else {path: now}

    def _plan(self, step: Step, edit: LoggedEdit, before: Mapping[str, bytes | None]) -> CallPlan:
        """The call as a plan on its files; as a diff where its words do not make the result."""
        files = Overlay(
            MappingSnapshot(),
            {path: None if data is None else File(data) for path, data in before.items()},
        )
        after = find_after(edit, before)
        known = self._memory.knowledge(step.session)
        if edit.spec is not None and edit.is_final:
            plan = plan_call([edit.spec], files, Options(), (), known, self._blobs.get)
            if plan.is_ok and is_what_came(plan, before, after):
                return plan
        if after is None:
            raise make_unknown(edit.paths, "the log does not say what the call made of it")
        spec = make_difference(before, after)
        plan = plan_call([spec], files, Options(), (), known, self._blobs.get)
        if not plan.is_ok:
            raise make_unknown(edit.paths, "what the log says of the call cannot be replayed")
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
        number, entries = journal.state.last + 1, plan.make_entries(Options().settings)
        call = JournaledCall(number, self._time, step.agent, entries, origin=RECOVERED)
        journal.begin(call)
        journal.end(call, {})
        self.made.steps[step.session, number] = step

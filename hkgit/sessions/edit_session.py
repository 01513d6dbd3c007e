"""An agent's session in a checkout: read, edit, undo, status. Nothing is printed.

Two processes that open the same session see each other's calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from hkgit import dialects
from hkgit.applying.files import has_file, write_files
from hkgit.edits import File, Overlay, Read, Spec
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Stale
from hkgit.sessions import homes as places
from hkgit.sessions.answers import EditReport, UndoReport
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.file_lines import (
    MAX_LINES,
    Checkout,
    EditableCheckout,
    ReadableCheckout,
    Reading,
    read_snapshot,
)
from hkgit.sessions.writer import at_work, carry_out
from hkgit.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from hkgit.applying.planner import Options
    from hkgit.evidence.refusal_log import RefusalLog
    from hkgit.sessions.call_plan import CallPlan
    from hkgit.sessions.session_states import Status


_Files = Mapping[str, File | None]


@dataclass(frozen=True)
class EditSession:
    """A checkout's root, a session's name, and the name and version of the agent at work.

    `turn` is the answer of the model whose calls are told now, if that is known: what one of them
    reads, the others were written without.
    """

    root: Path
    session: str
    agent: str = "unknown"
    turn: str = ""

    @classmethod
    def open(cls, root: Path, session: str, *, agent: str = "unknown", turn: str = "") -> Self:
        """Open a session, new or not.

        Raises InvalidInput for a name that a session or an agent cannot have.
        """
        places.check_session(session)
        if not agent.strip() or not agent.isprintable():
            raise InvalidInput("agent", "is not one line of printable text", "Write name/version.")
        return cls(root, session, agent, turn)

    @cached_property
    def journal(self) -> SessionJournal:
        """The session's journal. Raises GitRefused when there is no place for it."""
        return SessionJournal(places.choose_folder(self.root, self.session))

    # Reading

    def read(
        self,
        path: str,
        start: int | None = None,
        end: int | None = None,
        *,
        hashline: bool = False,
        limit: int | None = MAX_LINES,
        before: str | None = None,
    ) -> Reading:
        """Read lines of a file, and keep a receipt of what is shown.

        Without an `end` at most `limit` lines are shown; the reading says where to go on. With
        `before` the file is read as it was just before that call: so a blind edit is fixed.
        Raises InvalidInput when there is no such file or line.
        """
        if before is not None:
            return self._read_before(before, path, start, end)
        files = ReadableCheckout(self.root)
        reading = read_snapshot(files, path, start, end, hashline=hashline, limit=limit)
        if reading.kind != "text" or (reading.file.line_count and not reading.raw_lines):
            return reading
        with at_work(self.root, self.journal):
            journal, lines = self.journal, (reading.start_line, reading.end_line)
            data = reading.file.data
            journal.blobs.put(data)
            known, kept = journal.knowledge, journal.blobs.get
            journal.update(knowledge=known.learn(path, [lines], data, kept, self.turn))
        return replace(reading, has_receipt=True)

    def _read_before(self, call: str, path: str, start: int | None, end: int | None) -> Reading:
        """Read lines as they were before a call, and keep a receipt for that call's edits."""
        # Few edits are blind.
        from hkgit.applying.evidence import LATE
        from hkgit.edits import MappingSnapshot

        journal = self.journal
        with at_work(self.root, journal):
            found = (x for x in journal.units if str(x.call.id) == call and path in x.paths)
            unit = next(found, None)
            if unit is None:
                fix = (
                    "Run this command outside the sandbox, or call the tool `read` of hkgit's"
                    f" server with path {path}, session {self.session} and before {call}."
                )
                places.expect_kept_here(self.root, journal.folder, fix)
                raise InvalidInput(f"call {call}", f"did not change {path}, or was undone")
            file = None if unit.change is None else journal.blobs.file(unit.change.before)
            files = MappingSnapshot({} if file is None else {path: file})
            reading = read_snapshot(files, path, start, end, limit=None)
            lines = reading.start_line, reading.end_line
            journal.mend(unit.call, unit.spec, Read(path, *lines, reading.range_hash, LATE))
        return replace(reading, has_receipt=True)

    # Editing

    def parse(self, text: str | bytes, format: str = "auto") -> Spec:
        """Parse a spec. Raises InvalidInput."""
        exists = partial(has_file, self.root)
        return dialects.parse(text, format, root=str(self.root), exists=exists)

    def edit_all(
        self,
        specs: Sequence[Spec],
        options: Options,
        *,
        expect: Sequence[Read] = (),
        dry_run: bool = False,
    ) -> EditReport:
        """Apply several specs in one call, each on what the one before it leaves.

        Refusals are in the outcomes. Raises GitRefused where a file cannot be written; then
        nothing has changed.
        """
        for spec in specs:
            if spec.dialect not in dialects.DIALECTS:
                raise InvalidInput("the spec", "is not in a known dialect", "Give the text of one.")
        # Where nothing may come of it, the git directory gets no session either.
        if dry_run:
            return self._answer(self._plan(specs, options, expect), None)
        if self._is_unnamed:
            plan = self._plan(specs, options, expect)
            if not plan.is_ok:
                return self._refuse(plan)
            try:
                places.choose_folder(self.root, self.session)
            except GitRefused:  # there is no place for a journal: it does without
                write_files(self.root, plan.changed, plan.found)
                return self._answer(plan, None)
        with at_work(self.root, self.journal):
            self.journal.begin_turn()
            plan = self._plan(specs, options, expect)
            if not plan.is_ok:
                return self._refuse(plan)
            call = self._keep_call(plan, options)
            known = {} if self._is_unnamed else plan.known
            call = carry_out(self.root, self.journal, call, plan.changed, known)
            if self._is_unnamed:
                self.journal.shorten()
        return self._answer(plan, call.id)

    def _refuse(self, plan: CallPlan) -> EditReport:
        """Note what was refused in the clone's own record, and say what of it is in conflict."""
        from hkgit.evidence.refusal_log import CONFLICTS, describe_conflicts, note_refused

        report, log, agent = EditReport(plan.outcomes), self._find_log(), plan.agent or self.agent
        if log is None:
            return report
        edits = (edit for step in plan.steps for edit in step.spec.edits)
        refused = note_refused(log, agent, "edit", edits, plan.outcomes)
        if not any(each.status in CONFLICTS for each in refused):
            return report
        # Few refusals are conflicts, and these open the repository.
        from hkgit.git.repository import Repository

        try:
            repository = Repository.discover(self.root)
        except HkgitError:  # no repository: there is nobody to be in conflict with
            return report
        conflicts = describe_conflicts(repository, log, agent, refused, "HEAD")
        return replace(report, conflicts=tuple(conflicts))

    def note_unread(self, call: str, error: InvalidInput) -> None:
        """Keep a spec that cannot be read, in the clone's own record."""
        from hkgit.evidence.refusal_log import note_unread

        log = self._find_log()
        if log is not None:
            note_unread(log, self.agent, call, error)

    def _find_log(self) -> RefusalLog | None:
        """Find the record of the checkout's clone; None without a repository."""
        from hkgit.evidence.refusal_log import RefusalLog
        from hkgit.git.facts import find_shared

        git_dir = places.find_git_dir(self.root)
        return None if git_dir is None else RefusalLog.of(Path(find_shared(git_dir)))

    @property
    def _is_unnamed(self) -> bool:
        return self.session == places.UNNAMED

    def _plan(self, specs: Sequence[Spec], options: Options, reads: Sequence[Read]) -> CallPlan:
        from hkgit.sessions.call_plan import plan_call  # what only reads plans nothing

        files = EditableCheckout(self.root)
        if self._is_unnamed:
            return plan_call(specs, files, options, reads, {}, lambda _: None)
        known = self.journal.load().knowledge.known
        return plan_call(specs, files, options, reads, known, self.journal.blobs.get)

    def _answer(self, plan: CallPlan, call: int | None) -> EditReport:
        if not plan.is_ok:
            return EditReport(plan.outcomes)
        from hkgit.sessions.call_plan import find_blind_edits

        blind = () if self._is_unnamed else tuple(find_blind_edits(plan, self.session, call))
        return EditReport(plan.outcomes, plan.changed, None if call is None else str(call), blind)

    def _keep_call(self, plan: CallPlan, options: Options) -> JournaledCall:
        """Make a call's record, and keep every version of its files. Raises GitRefused."""
        plan.keep_versions(self.journal.blobs)
        return JournaledCall(plan.agent or self.agent, plan.make_entries(options.threshold))

    def adopt(self, spec: Spec, before: _Files, when: int = 0) -> EditReport:
        """Record an edit that another tool has made; `before` are its files as they were.

        `when` is in milliseconds since 1970. Raises Stale where the spec does not lead from
        there to what is in the checkout.
        """
        from hkgit.applying.planner import Options
        from hkgit.sessions.call_plan import plan_call

        options = Options(shows_diff=False)
        with at_work(self.root, self.journal):
            self.journal.begin_turn(self.turn)
            checkout, known = Checkout(self.root), self.journal.knowledge.known
            files, kept = Overlay(checkout, before), self.journal.blobs.get
            plan = plan_call([spec], files, options, (), known, kept)
            if not plan.is_ok:
                return EditReport(plan.outcomes)
            for path, file in plan.changed.items():
                if checkout.get(path) != file:
                    fix = "The file is not what the call of another tool says."
                    raise Stale(path, "is different in the checkout", fix)
            call = self._keep_call(plan, options)
            call = self.journal.begin(replace(call, time=when or call.time))
            self.journal.end(call, plan.known)
        return self._answer(plan, call.id)

    # Undoing

    def undo(self, call: str | None = None, *, whole_session: bool = False) -> UndoReport:
        """Take back the last call, the one that is named, or all, and nothing that came after.

        A call whose edits are gone from the checkout changes nothing. Receipts from before the
        calls hold again. Raises InvalidInput when there is no such call, Conflict when
        later work is in the way.
        """
        from hkgit.sessions.undo_calls import undo_calls  # most calls undo nothing

        return undo_calls(self.root, self.journal, self.agent, call, whole_session=whole_session)

    def status(self) -> Status:
        """Collect the session's calls, the receipts that hold, and what is not in a commit yet."""
        from hkgit.sessions.session_states import collect_status
        from hkgit.sessions.waiting_edits import see_head

        see_head(self.root, [self.journal])
        return collect_status(self.session, self.journal, Checkout(self.root))


def open_session(root: Path, name: str | None) -> EditSession:
    """Open the session of that name; without one, that of the newest call that is not undone.

    Raises InvalidInput where no call can be undone.
    """
    if name is not None:
        return EditSession.open(root, name)
    from hkgit.sessions.waiting_edits import see_head  # few calls leave the session open

    journals = [SessionJournal(folder) for folder in places.find_folders(root)]
    see_head(root, journals)
    found = [(calls[-1].time, each.folder.name) for each in journals if (calls := each.standing)]
    if not found:
        fix = "hkgit edit keeps its calls in the git directory; so does --session elsewhere."
        raise InvalidInput("undo", "there is no call that can be undone", fix)
    return EditSession.open(root, max(found)[1])

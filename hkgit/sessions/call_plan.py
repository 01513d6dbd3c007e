"""Plan the specs of one call with the session's receipts. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hkgit.applying.evidence import is_blind, join_touched
from hkgit.applying.hunk import map_lines
from hkgit.applying.outcome import EditOutcome, FileChange, Plan, files_before
from hkgit.applying.planner import Options, PlannedSpec, Series, plan_spec
from hkgit.edits import CreateFile, File, Read, Snapshot, Spec, WriteFile
from hkgit.errors import NoMatch, Stale
from hkgit.evidence.claims import make_entry
from hkgit.evidence.entry import Entry
from hkgit.sessions.answers import UnreadEdit, render_mending_read
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.knowledge import FileKnowledge, Kept
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import replace


class CallPlan(Series):
    """The specs of a call, each planned with what the session knows once those before it apply.

    `reads` are what else is known of the files that it leaves. Of a file that is gone `known` says
    None; `kept` gives the versions that it refers to. In the end `changed` has no path that is as
    it was.
    """

    def __init__(
        self,
        files: Snapshot,
        reads: Sequence[Read],
        known: Mapping[str, FileKnowledge],
        kept: Kept,
    ) -> None:
        super().__init__(files)
        self.known: dict[str, FileKnowledge | None] = dict(known)
        self._reads = tuple(reads)
        self._kept = kept

    @property
    def agent(self) -> str | None:
        """The agent that the specs name, if one does."""
        return next((each.spec.agent for each in self.steps if each.spec.agent is not None), None)

    def make_entries(self, threshold: int) -> tuple[Entry, ...]:
        """Make the entry of each spec, on the files that those before it leave."""
        return tuple(make_entry(each, threshold) for each in self.steps)

    def keep_versions(self, blobs: Blobs) -> None:
        """Keep every version of the files that it changes. Raises GitRefused."""
        for each in self._changes:
            blobs.put_files((each.before, each.after))

    @property
    def found(self) -> dict[str, File | None]:
        """Every path that a spec changes, with the file that was there before all of them."""
        return files_before(self._changes)

    @property
    def _changes(self) -> Iterator[FileChange]:
        return (change for each in self.steps for change in each.plan.files)

    def plan_next(self, spec: Spec, options: Options) -> None:
        """Plan a spec on the files that those before it leave."""
        receipts, stale = self._list_receipts(spec)
        reads = (*self._reads, *receipts)
        planned = plan_spec(spec, self.files, options, reads)
        outcomes = tuple(_explain_stale(each, stale) for each in planned.outcomes)
        planned = Plan(outcomes, planned.files)
        if planned.ok:
            whole = {each.path for each in spec.edits if isinstance(each, WriteFile | CreateFile)}
            for change, before in [(x, self.known.get(x.path or "")) for x in planned.files]:
                is_whole = change.name in whole
                self.known |= _learn(change, before, self._kept, is_whole=is_whole)
            if self._reads:
                from hkgit.applying.carry import follow_reads  # most calls expect nothing

                self._reads = follow_reads(self._reads, planned)
        self.add(PlannedSpec(spec, planned, reads))

    def _list_receipts(self, spec: Spec) -> tuple[list[Read], dict[str, str]]:
        """The receipts of a spec's files that hold now; and, by path, why others do not."""
        receipts: list[Read] = []
        stale: dict[str, str] = {}
        for path, knowledge in self.known.items():
            # An edit may name a file by the end of its path alone.
            is_named = any(f"/{path}".endswith(f"/{edit.path}") for edit in spec.edits)
            if knowledge is None or not is_named:
                continue
            file = self.files.get(path)
            if file is None:
                stale[path] = "it was deleted since this session read it"
                continue
            if knowledge.version != digest(file.data):
                stale[path] = "it has changed since this session read it"
            receipts += knowledge.receipts(path, file.data, self._kept)
        return receipts, stale


def plan_call(
    specs: Sequence[Spec],
    files: Snapshot,
    options: Options,
    expects: Sequence[Read],
    known: Mapping[str, FileKnowledge],
    kept: Kept,
) -> CallPlan:
    """Plan specs; stops at the first in which an edit is refused.

    `expects` refer to the files as they are before all of the specs. `known` is what the session
    knows before, and `kept` gives the versions that it refers to.
    """
    # A file is judged as all of them leave it.
    alone = options if len(specs) == 1 else replace(options, syntax="ignore")
    plan = CallPlan(files, expects, known, kept)
    for spec in specs:
        plan.plan_next(spec, alone)
        if not plan.is_ok:
            return plan
    if alone.syntax != options.syntax:
        from hkgit.applying.syntax import check_syntax  # few calls have several

        plans = check_syntax([each.plan for each in plan.steps], options.syntax)
        plan.steps = [replace(x, plan=each) for x, each in zip(plan.steps, plans, strict=True)]
    plan.changed = {path: x for path, x in plan.changed.items() if files.get(path) != x}
    return plan


def _explain_stale(outcome: EditOutcome, stale: Mapping[str, str]) -> EditOutcome:
    """Turn `no match` into `stale` where somebody has changed the file since it was read."""
    error = outcome.error
    if not isinstance(error, NoMatch) or outcome.path not in stale:
        return outcome
    import shlex

    fix = f"Read it again and write the edit against that: hkgit read {shlex.quote(outcome.path)}"
    renewed = Stale(error.where, f"{error.what}; {stale[outcome.path]}", fix)
    return outcome.refuse(renewed)


def _learn(
    change: FileChange, before: FileKnowledge | None, kept: Kept, *, is_whole: bool
) -> dict[str, FileKnowledge | None]:
    """What the session knows of a file that it has changed itself."""
    learned: dict[str, FileKnowledge | None] = {}
    if change.path is not None and change.path != change.new_path:
        learned[change.path] = None
    if change.new_path is None or change.after is None:
        return learned
    document = Document(change.after.data)
    lines = [(1, document.line_count)]
    if not is_whole and change.before is not None:
        held = () if before is None else before.carry(change.before.data, kept).lines
        lines = map_lines(change.hunks).learn(held)
    learned[change.new_path] = FileKnowledge.of(change.after.data, lines)
    return learned


def find_blind_edits(plan: CallPlan, session: str, call: int | None) -> Iterator[UnreadEdit]:
    """Yield the blind edits of a call, each with the command that reads its lines after the fact.

    With `call` the command takes that back first: what is read after an edit is `late`.
    """
    for outcome in plan.outcomes:
        if outcome.error is None and is_blind(outcome.evidence.kind):
            lines = join_touched(outcome.base_lines)
            command = render_mending_read(outcome.path, outcome.base_lines, session, call)
            yield UnreadEdit(
                number=outcome.number,
                path=outcome.path,
                lines=lines,
                evidence=outcome.evidence.kind,
                command=command,
            )
            call = None  # it is taken back once

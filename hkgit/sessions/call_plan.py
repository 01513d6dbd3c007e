"""Plan the specs of one call with the session's receipts. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from hkgit.applying.evidence import is_blind
from hkgit.applying.hunk import map_lines
from hkgit.applying.outcome import EditOutcome, FileChange, Plan, files_before
from hkgit.applying.planner import Options, PlannedSpec, Series, plan_series, plan_spec
from hkgit.edits import CreateFile, File, Read, Snapshot, Spec, WriteFile
from hkgit.errors import NoMatch, Stale
from hkgit.evidence.claims import make_entry
from hkgit.evidence.entry import Entry
from hkgit.matching.place import Settings
from hkgit.sessions.answers import UnreadEdit, join_touched, render_mending_read
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.knowledge import FileKnowledge, Kept
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import dataclass, replace


@dataclass(frozen=True)
class CallPlan:
    """The specs of a call as they were planned, and what the session knows then.

    Of a file that is gone `known` says None.
    """

    series: Series
    known: Mapping[str, FileKnowledge | None]

    @property
    def steps(self) -> Sequence[PlannedSpec]:
        return self.series.steps

    @property
    def is_ok(self) -> bool:
        return self.series.is_ok

    @property
    def outcomes(self) -> tuple[EditOutcome, ...]:
        """The outcomes of all specs, numbered through."""
        return self.series.outcomes

    @property
    def agent(self) -> str | None:
        """The agent that the specs name, if one does."""
        return next((each.spec.agent for each in self.steps if each.spec.agent is not None), None)

    def make_entries(self, settings: Settings) -> tuple[Entry, ...]:
        """Make the entry of each spec, on the files that those before it leave."""
        return tuple(make_entry(each, settings) for each in self.steps)

    def keep_versions(self, blobs: Blobs) -> None:
        """Keep every version of the files that it changes. Raises GitRefused."""
        for each in (each for step in self.steps for each in step.plan.files):
            blobs.put_files((each.before, each.after))

    @cached_property
    def changed(self) -> dict[str, File | None]:
        """Every path that is another one in the end, with its file; None where it is gone.

        Asked first before anything is written: later the files below are the new ones.
        """
        start = self.series.start
        after = self.series.changed.items()
        return {path: file for path, file in after if start.get(path) != file}

    @property
    def found(self) -> dict[str, File | None]:
        """Every path that a spec changes, with the file that was there before all of them."""
        return files_before(change for each in self.steps for change in each.plan.files)


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
    planning = _CallPlanning(alone, kept, dict(known), tuple(expects))
    series = plan_series(specs, files, planning.plan_next)
    if alone != options and series.is_ok and options.syntax != "ignore":
        _check_syntax(series, options.syntax)
    return CallPlan(series, planning.known)


@dataclass
class _CallPlanning:
    """Plans one spec after the other, with what the session knows once earlier ones are applied."""

    options: Options
    kept: Kept
    known: dict[str, FileKnowledge | None]
    expects: tuple[Read, ...]

    def plan_next(self, spec: Spec, series: Series) -> PlannedSpec:
        """Plan a spec on the files that the series leaves."""
        receipts, stale = _receipts(spec, series.files, self.known, self.kept)
        reads = (*self.expects, *receipts)
        planned = plan_spec(spec, series.files, self.options, reads)
        planned = Plan(
            tuple(_explain_stale(each, stale) for each in planned.outcomes), planned.files
        )
        if planned.ok:
            self._learn_written(spec, planned)
            if self.expects:
                from hkgit.applying.carry import follow_reads  # most calls expect nothing

                self.expects = follow_reads(self.expects, planned)
        return PlannedSpec(spec, planned, reads)

    def _learn_written(self, spec: Spec, planned: Plan) -> None:
        """Take in what a plan writes: its author knows it."""
        whole = {each.path for each in spec.edits if isinstance(each, WriteFile | CreateFile)}
        known = [(change, self.known.get(change.path or "")) for change in planned.files]
        for change, before in known:
            self.known |= _learn(change, before, self.kept, is_whole=change.name in whole)


def _check_syntax(series: Series, mode: str) -> None:
    """Hold several specs to what all of them leave."""
    # Few calls have several.
    from hkgit.applying.syntax import check_syntax

    plans = check_syntax([each.plan for each in series.steps], mode)
    series.steps = [
        replace(each, plan=plan) for each, plan in zip(series.steps, plans, strict=True)
    ]


def _receipts(
    spec: Spec, files: Snapshot, known: Mapping[str, FileKnowledge | None], kept: Kept
) -> tuple[list[Read], dict[str, str]]:
    """The receipts of a spec's files that hold now; and, by path, why others do not."""
    receipts: list[Read] = []
    stale: dict[str, str] = {}
    for path, knowledge in known.items():
        if knowledge is None or not _speaks_of(spec, path):
            continue
        file = files.get(path)
        if file is None:
            stale[path] = "it was deleted since this session read it"
            continue
        if knowledge.version != digest(file.data):
            stale[path] = "it has changed since this session read it"
        receipts += knowledge.receipts(path, file.data, kept)
    return receipts, stale


def _speaks_of(spec: Spec, path: str) -> bool:
    """Whether an edit names a file, perhaps by the end of its path alone."""
    return any(path == edit.path or path.endswith(f"/{edit.path}") for edit in spec.edits)


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

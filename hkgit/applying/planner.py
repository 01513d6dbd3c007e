"""Plan specs: place their edits, each on the files that those before it leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkgit.applying.context import EditContext
from hkgit.applying.evidence import LATE, LATE_ABSENT, Evidence, read_holds
from hkgit.applying.outcome import (
    COUNTS,
    EditOutcome,
    Plan,
    expect_change,
    expect_hashes,
    files_after,
    number_outcomes,
    refuse_edit,
    refuse_spec,
)
from hkgit.applying.quotes import change_text
from hkgit.applying.syntax import expect_no_marks
from hkgit.applying.workspace import FileState, Workspace, refuse_made_and_removed, resolve_names
from hkgit.edits import (
    MAX_EDITS,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    Overlay,
    Read,
    RenameFile,
    ReplaceRange,
    SetMode,
    Snapshot,
    Spec,
    TagEdit,
    WriteFile,
    expected_hash_of,
)
from hkgit.errors import HkgitError, InvalidInput, Near, NoMatch, Stale, forget_frames
from hkgit.matching.place import FULL, THRESHOLD
from hkgit.text.document import Lines
from hkgit.values import dataclass, field, replace

_TELL_NEW_FILES = frozenset({"apply-patch"})
"""Dialects that say of every file whether it is there: no text is quoted from one that is new."""

_SYNTAX = {None: "guard", True: "refuse", False: "ignore"}
"""How syntax is checked, by what was asked; if nothing, only after edits that were not exact."""


@dataclass(frozen=True)
class Options:
    """How a plan is made: the ladder's threshold, and whether moved ranges may be followed.

    `syntax` is a mode of `check_syntax`, or `ignore`. `carried` maps the number of a range edit to
    the lines it was carried to.
    Without `allow_blind` an operation of the protocol on lines needs evidence, without `shows_diff`
    no outcome has a diff.
    """

    threshold: int = THRESHOLD
    relocate: bool = False
    syntax: str = "ignore"
    carried: Mapping[int, Lines] = field(default_factory=dict)
    allow_blind: bool = True
    shows_diff: bool = True

    @classmethod
    def of(
        cls,
        threshold: float,
        *,
        relocate: bool = False,
        check_syntax: bool | None = None,
        allow_blind: bool = False,
        notes: bool = True,
    ) -> Options:
        """Convert what agents and people ask; raise InvalidInput for a threshold outside 0 to 1.

        Without `notes` no time is taken to look at what exact edits do to a file.
        """
        if not 0 <= threshold <= 1:
            raise InvalidInput("threshold", f"is {threshold}", "Give a number from 0 to 1.")
        syntax = "loose" if check_syntax is None and not notes else _SYNTAX[check_syntax]
        return cls(round(threshold * FULL), relocate, syntax, allow_blind=allow_blind)


def plan(
    spec: Spec, snapshot: Snapshot, options: Options | None = None, reads: Sequence[Read] = ()
) -> Plan:
    """Place every edit of `spec` on the files of `snapshot`.

    Refusals are in the outcomes; when there is one, `files` is empty. Raises InvalidInput for
    more edits than one ledger entry may hold.
    """
    if len(spec.edits) > MAX_EDITS:
        what = f"{len(spec.edits)} edits are more than the {MAX_EDITS} edits of one ledger entry"
        raise InvalidInput("the spec", what, "Split it into several specs.")
    options = options or Options()
    planner = _Planner(spec, Workspace(snapshot), options, tuple(reads))
    outcomes = tuple(planner.outcome(at, edit) for at, edit in enumerate(spec.edits, 1))
    planned = Plan(outcomes, planner.workspace.changes())
    if planned.files and not options.allow_blind:
        planned = expect_hashes(planned, spec.dialect)
    if not planned.ok:
        return Plan(planned.outcomes, ())
    if options.syntax == "ignore":
        return planned
    # Replay never needs it.
    from hkgit.applying.syntax import check_syntax

    return check_syntax([planned], options.syntax)[0]


class _Planner:
    """A spec under way: its workspace, and the evidence of the edits placed so far."""

    def __init__(
        self, spec: Spec, workspace: Workspace, options: Options, reads: tuple[Read, ...]
    ) -> None:
        self.workspace = workspace
        self._spec = spec
        self._options = options
        self._reads = reads
        self._in_base = not spec.sequential
        self._evidence: dict[int, Evidence] = {}
        self._told = 0
        removals = (each.path for each in spec.edits if isinstance(each, DeleteFile | RenameFile))
        self._removed = frozenset(removals if self._in_base else ())

    def outcome(self, number: int, edit: AnyEdit) -> EditOutcome:
        """Place one edit, or say why not."""
        try:
            outcome = self._place(number, edit)
        except HkgitError as error:
            # What was read on the way there would stay as long as the refusal.
            forget_frames(error)
            return self._refuse(number, edit, error)
        self._evidence[number] = outcome.evidence
        if number in self._spec.miscounted:
            return replace(outcome, repairs=(*outcome.repairs, COUNTS))
        return outcome

    def _refuse(self, number: int, edit: AnyEdit, error: HkgitError) -> EditOutcome:
        """The outcome of an edit that has no place, with what its author needs to find one."""
        outcome = refuse_edit(number, edit.path, error)
        state = self._find(edit.path) if error.near else None
        if state is None:
            return outcome
        # Few calls need it, and it needs a dialect.
        from hkgit.applying import remedy

        here = EditContext(number=number, state=state, reads=(), in_base=self._in_base, earlier={})
        mended = remedy.add_remedy(outcome, here, error, self._spec.dialect)
        self._told += remedy.measure_size(mended)
        return mended if self._told <= remedy.MOST_IN_ALL else outcome

    def _place(self, number: int, edit: AnyEdit) -> EditOutcome:
        target = edit.new_path if isinstance(edit, RenameFile) else edit.path
        if isinstance(edit, CreateFile | RenameFile) and target in self._removed:
            raise refuse_made_and_removed(target)
        match edit:
            case CreateFile():
                return self._create(number, edit, edit.mode)
            case (
                WriteFile(expected_hash=None) | Edit(old_text="", anchors=(), expected_hash=None)
            ) if self._spec.dialect not in _TELL_NEW_FILES and self._find(edit.path) is None:
                return self._create(number, edit, REGULAR)
        context, dialect = self._find_context(number, edit), self._spec.dialect
        match edit:
            case (
                WriteFile()
                | DeleteFile()
                | RenameFile()
                | SetMode()
                | Edit(old_text="", anchors=(), at_end=False)
            ):
                from hkgit.applying.whole_files import change_file

                expect_no_marks(dialect, edit, context.document.data)
                return change_file(self.workspace, context, edit, dialect)
        state, outcome = self._change(context, edit)
        try:
            expect_no_marks(dialect, edit, context.document.data)
        except InvalidInput as error:
            places = outcome.base_lines if self._in_base else outcome.lines
            error.near = tuple(Near(*lines) for lines in places)
            raise
        self.workspace.put(state)
        return outcome

    def _create(self, number: int, edit: CreateFile | WriteFile | Edit, mode: int) -> EditOutcome:
        from hkgit.applying.whole_files import create  # edits of text need none

        expect_no_marks(self._spec.dialect, edit, b"")
        outcome = create(self.workspace, number, edit.path, edit.new_text, mode)
        is_late = any(read.kind == LATE and read.path == edit.path for read in self._reads)
        return replace(outcome, evidence=LATE_ABSENT) if is_late else outcome

    def _change(
        self, context: EditContext, edit: Edit | ReplaceRange | InsertAfter | TagEdit
    ) -> tuple[FileState, EditOutcome]:
        if isinstance(edit, Edit) and edit.old_text:
            return change_text(context, edit, self._options.threshold)
        from hkgit.applying import ranges  # most edits quote text

        match edit:
            case TagEdit():
                return ranges.change_tagged(context, edit)
            case Edit():
                return ranges.insert_text(context, edit)
        carried = self._options.carried.get(context.number)
        return ranges.change_lines(context, edit, carried, relocate=self._options.relocate)

    def _find(self, path: str) -> FileState | None:
        return self.workspace.find(path, in_base=self._in_base)

    def _find_context(self, number: int, edit: AnyEdit) -> EditContext:
        state = self._find(edit.path)
        if state is None:
            raise _missing(edit, self.workspace.namesakes(edit.path))
        reads = tuple(read for read in self._reads if read.path == state.origin)
        for read in reads:
            if read.kind == "hash" and not read_holds(state.draft.base, read):
                from hkgit.applying.ranges import refuse_stale_read

                raise refuse_stale_read(edit.path, state.draft.base, read)
        context = EditContext(
            number=number,
            state=state,
            reads=reads,
            in_base=self._in_base,
            earlier=self._evidence,
            shows_diff=self._options.shows_diff,
        )
        if self._in_base and state.is_closed:
            raise context.overlap(edit.path)
        return context


def _missing(edit: AnyEdit, namesakes: Sequence[str]) -> HkgitError:
    """The refusal of an edit whose file is not there: stale if a hash of it was expected."""
    fix = "Check the path; a new file needs an edit that creates it."
    if namesakes:
        fix = f"Did you mean {' or '.join(namesakes)}? {fix}"
    if expected_hash_of(edit) is not None:
        return Stale(edit.path, "there is no such file, but a hash of it was expected", fix)
    return NoMatch(edit.path, "there is no such file", fix)


@dataclass(frozen=True)
class PlannedSpec:
    """One spec, its plan, and the reads that held on the files that it was planned on."""

    spec: Spec
    plan: Plan
    reads: tuple[Read, ...]

    @property
    def files(self) -> dict[str, File | None]:
        """The changed files by path; None where one is gone."""
        return files_after(self.plan)


class Series:
    """Specs that were planned one after the other.

    `start` are the files before them, and `files` those that they leave. `changed` is every path
    that they touch, with its file then; None where it is gone.
    """

    def __init__(self, start: Snapshot) -> None:
        self.start = start
        self.files = start
        self.changed: dict[str, File | None] = {}
        self.steps: list[PlannedSpec] = []

    @property
    def is_ok(self) -> bool:
        """Whether every edit applied."""
        return all(step.plan.ok for step in self.steps)

    @property
    def outcomes(self) -> tuple[EditOutcome, ...]:
        """The outcomes of all specs, numbered through."""
        return number_outcomes((step.spec, step.plan) for step in self.steps)

    def add(self, step: PlannedSpec) -> None:
        """Take in the plan of the next spec."""
        self.steps.append(step)
        if step.plan.ok:
            self.changed |= step.files
            self.files = Overlay(self.start, dict(self.changed))


def plan_spec(spec: Spec, files: Snapshot, options: Options, reads: Sequence[Read] = ()) -> Plan:
    """Plan a spec with its loose names settled; refusals are in the outcomes."""
    try:
        return expect_change(plan(resolve_names(spec, files), files, options, reads))
    except HkgitError as error:
        return refuse_spec(spec, error)

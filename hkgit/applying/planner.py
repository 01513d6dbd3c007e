"""planner.py: places every edit of a spec, one after the other.

The one place where a refusal (an error) becomes an outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from hkgit.applying import ranges
from hkgit.applying.anchors import line_below
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import Evidence, read_holds
from hkgit.applying.file_edits import change_file, create
from hkgit.applying.line_ends import REPAIR as LINE_ENDS
from hkgit.applying.line_ends import StoresLf, as_given, as_stored
from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.applying.range_edits import change_lines, change_tagged
from hkgit.applying.site import Site
from hkgit.applying.syntax import checked
from hkgit.applying.text_edits import change_text
from hkgit.applying.workspace import Work, Workspace, made_and_removed
from hkgit.document import Document
from hkgit.edits import (
    MAX_EDITS,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    Read,
    RenameFile,
    ReplaceRange,
    SetMode,
    Snapshot,
    Spec,
    TagEdit,
    WriteFile,
    decoded,
    encoded,
)
from hkgit.errors import HkgitError, InvalidInput, NoMatch, Stale
from hkgit.matching.places import Settings

_TELL_NEW_FILES = frozenset({"apply-patch"})
"""Dialects that say of every file whether it is there: no text is quoted from one that is new."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is made: the ladder's settings, and whether moved ranges may be followed.

    `syntax` says what becomes of a Python or JSON file that can no longer be parsed: `ignore`,
    `report` (a note at the edit), `refuse`. `carried` maps the number of a range edit to the
    lines it was carried to. `stores_lf` says where git keeps new files with LF (see `line_ends`).
    """

    settings: Settings = field(default_factory=Settings)
    relocate: bool = False
    syntax: str = "ignore"
    carried: Mapping[int, Lines] = field(default_factory=dict)
    stores_lf: StoresLf = as_given

    @classmethod
    def of(cls, threshold: float, *, relocate: bool, check_syntax: bool) -> Options:
        """As agents and people ask. Raises InvalidInput for a threshold that is not from 0 to 1."""
        return cls(Settings.of(threshold), relocate, "refuse" if check_syntax else "report")


def plan(
    spec: Spec, snapshot: Snapshot, options: Options | None = None, reads: Sequence[Read] = ()
) -> Plan:
    """Place every edit of `spec` on the files of `snapshot`.

    Refusals stand in the outcomes; when there is one, `files` is empty. Raises InvalidInput for
    more edits than one ledger entry may hold.
    """
    if len(spec.edits) > MAX_EDITS:
        what = f"{len(spec.edits)} edits are more than the {MAX_EDITS} edits of one ledger entry"
        raise InvalidInput("the spec", what, "Split it into several specs.")
    planner = _Planner(spec, Workspace(snapshot), options or Options(), tuple(reads))
    outcomes = tuple(planner.outcome(at + 1, edit) for at, edit in enumerate(spec.edits))
    made = Plan(outcomes, planner.workspace.changes())
    if not made.ok:
        return Plan(outcomes, ())
    syntax = (options or Options()).syntax
    return made if syntax == "ignore" else checked(made, refuse=syntax == "refuse")


class _Planner:
    """A spec under way: its workspace, and the evidence of the edits placed so far."""

    def __init__(
        self, spec: Spec, workspace: Workspace, options: Options, reads: tuple[Read, ...]
    ) -> None:
        self.workspace = workspace
        self._dialect = spec.dialect
        self._creates = spec.dialect not in _TELL_NEW_FILES
        self._in_base = not spec.sequential
        self._options = options
        self._reads = reads
        self._evidence: dict[int, Evidence] = {}
        self._told = 0
        removals = (each.path for each in spec.edits if isinstance(each, DeleteFile | RenameFile))
        self._removed = frozenset(removals if self._in_base else ())

    def outcome(self, number: int, edit: AnyEdit) -> EditOutcome:
        """Place one edit, or say why not."""
        try:
            stored = as_stored(edit, self._before, self._options.stores_lf)
            outcome = self._placed(number, stored)
        except HkgitError as error:
            return self._refused(number, edit, error)
        self._evidence[number] = outcome.evidence
        if stored is not edit:
            return replace(outcome, repairs=(*outcome.repairs, LINE_ENDS))
        return outcome

    def _refused(self, number: int, edit: AnyEdit, error: HkgitError) -> EditOutcome:
        """The outcome of an edit that has no place, with what its author needs to find one."""
        outcome = EditOutcome(number, edit.path, error.status, error=error)
        work = self._find(edit.path) if error.near else None
        if work is None:
            return outcome
        # Few calls need it, and it needs a dialect.
        from hkgit.applying import remedy

        site = Site(number, work, (), self._in_base, {})
        mended = remedy.mended(outcome, site, error, self._dialect)
        self._told += remedy.size(mended)
        return mended if self._told <= remedy.MOST_IN_ALL else outcome

    def _before(self, path: str) -> bytes | None:
        work = self._find(path)
        return None if work is None or work.before is None else work.before.data

    def _placed(self, number: int, edit: AnyEdit) -> EditOutcome:
        made = edit.new_path if isinstance(edit, RenameFile) else edit.path
        if isinstance(edit, CreateFile | RenameFile) and made in self._removed:
            raise made_and_removed(made)
        match edit:
            case CreateFile():
                return create(self.workspace, number, edit.path, edit.new_text, edit.mode)
            case (
                WriteFile(expected_hash=None)
                | Edit(old_text="", anchors=(), expected_hash=None)
            ) if self._creates and self._find(edit.path) is None:
                return create(self.workspace, number, edit.path, edit.new_text, REGULAR)
            case WriteFile() | DeleteFile() | RenameFile() | SetMode():
                return change_file(self.workspace, self._site(number, edit), edit)
            case Edit(old_text="", anchors=(), at_end=False):
                site = self._site(number, edit)
                return change_file(self.workspace, site, _filling(site, edit))
        work, outcome = self._changed(self._site(number, edit), edit)
        self.workspace.put(work)
        return outcome

    def _changed(
        self, site: Site, edit: Edit | ReplaceRange | InsertAfter | TagEdit
    ) -> tuple[Work, EditOutcome]:
        options = self._options
        match edit:
            case TagEdit():
                return change_tagged(site, edit)
            case Edit(old_text=""):
                return change_lines(site, _inserting(site, edit), None, relocate=False)
            case Edit():
                return change_text(site, edit, options.settings)
            case ReplaceRange() | InsertAfter():
                carried = options.carried.get(site.number)
                return change_lines(site, edit, carried, relocate=options.relocate)
        assert_never(edit)

    def _find(self, path: str) -> Work | None:
        return self.workspace.find(path, in_base=self._in_base)

    def _site(self, number: int, edit: AnyEdit) -> Site:
        work = self._find(edit.path)
        if work is None:
            raise _missing(edit, self.workspace.namesakes(edit.path))
        reads = tuple(read for read in self._reads if read.path == work.origin)
        for read in reads:
            if read.kind == "hash" and not read_holds(work.draft.base, read):
                raise ranges.stale_read(edit.path, work.draft.base, read)
        site = Site(number, work, reads, self._in_base, self._evidence)
        if self._in_base and work.is_closed:
            raise site.overlap(edit.path)
        return site


def _missing(edit: AnyEdit, namesakes: Sequence[str]) -> HkgitError:
    """The refusal of an edit whose file is not there: stale if a hash of it was expected."""
    fix = "Check the path; a new file needs an edit that creates it."
    if namesakes:
        fix = f"There is {' and '.join(namesakes)}. {fix}"
    if getattr(edit, "expected_hash", None) is not None:
        return Stale(edit.path, "there is no such file, though a hash of it was expected", fix)
    return NoMatch(edit.path, "there is no such file", fix)


def _inserting(site: Site, edit: Edit) -> InsertAfter:
    """An edit without old text, at the end of the file or right below its anchors."""
    lines = tuple(map(decoded, Document(encoded(edit.new_text)).lines))
    after = site.document.line_count if edit.at_end else line_below(site.document, edit)
    return InsertAfter(edit.path, after, lines, edit.expected_hash)


def _filling(site: Site, edit: Edit) -> WriteFile:
    """An edit without old text or anchors: it may fill an empty file. Raises InvalidInput."""
    if site.document.line_count:
        raise InvalidInput(
            edit.path,
            "the old text is empty, but the file exists and is not empty",
            "Quote the lines that the new text replaces or follows.",
        )
    return WriteFile(edit.path, edit.new_text, edit.expected_hash)

"""planner.py: places every edit of a spec, one after the other, and settles its evidence.

The one place where a refusal (an error) becomes an outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hkgit import matching
from hkgit.applying import ranges
from hkgit.applying.diff import unified_diff
from hkgit.applying.draft import Draft, Lines
from hkgit.applying.evidence import (
    ABSENT,
    KINDS,
    NONE,
    Evidence,
    from_reads,
    holding,
    read_holds,
    stale_hash,
    whole,
)
from hkgit.applying.hunks import net_hunks
from hkgit.applying.outcome import APPLIED, EditOutcome, Plan
from hkgit.applying.workspace import Work, Workspace, check_text
from hkgit.document import Document, Splice
from hkgit.edits import (
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
from hkgit.matching.places import FULL, Located, Place, Settings


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is made: the ladder's settings, and whether moved ranges may be followed.

    `carried` maps the number of a range edit to the lines it was carried to.
    """

    settings: Settings = field(default_factory=Settings)
    relocate: bool = False
    carried: Mapping[int, Lines] = field(default_factory=dict)


def plan(
    spec: Spec, snapshot: Snapshot, options: Options | None = None, reads: Sequence[Read] = ()
) -> Plan:
    """Place every edit of `spec` on the files of `snapshot`.

    Refusals stand in the outcomes; when there is one, `files` is empty.
    """
    planner = _Planner(spec, Workspace(snapshot), options or Options(), tuple(reads))
    outcomes = tuple(planner.outcome(at + 1, edit) for at, edit in enumerate(spec.edits))
    made = Plan(outcomes, planner.workspace.changes())
    return made if made.ok else Plan(outcomes, ())


@dataclass(frozen=True, slots=True)
class _Site:
    """Where an edit works: its number, the file, and the reads that speak of that file."""

    number: int
    work: Work
    reads: tuple[Read, ...]

    @property
    def base(self) -> Document:
        return self.work.draft.base


class _Planner:
    def __init__(
        self, spec: Spec, workspace: Workspace, options: Options, reads: tuple[Read, ...]
    ) -> None:
        self.spec = spec
        self.workspace = workspace
        self.options = options
        self.reads = reads
        self._evidence: dict[int, Evidence] = {}

    def outcome(self, number: int, edit: AnyEdit) -> EditOutcome:
        """Place one edit, or say why not."""
        try:
            outcome = self._place(number, edit)
        except HkgitError as error:
            return EditOutcome(number, edit.path, error.status, error=error)
        self._evidence[number] = outcome.evidence
        return outcome

    def _place(self, number: int, edit: AnyEdit) -> EditOutcome:
        match edit:
            case TagEdit() | WriteFile() | SetMode() | DeleteFile(old_text=str()):
                raise InvalidInput(edit.path, f"a {type(edit).__name__} cannot be applied yet")
            case Edit(final_newline=bool()):
                raise InvalidInput(edit.path, "the last line's end cannot be set yet")
            case CreateFile() if edit.mode != REGULAR:
                raise InvalidInput(edit.path, "a file's mode cannot be set yet")
            case CreateFile():
                return self._create(number, edit.path, edit.new_text)
            case Edit(old_text=""):
                return self._fill(number, edit)
            case Edit():
                return self._text(self._site(number, edit.path, edit.expected_hash), edit)
            case ReplaceRange() | InsertAfter():
                return self._range(self._site(number, edit.path, edit.expected_hash), edit)
            case DeleteFile() | RenameFile():
                return self._file(self._site(number, edit.path, edit.expected_hash), edit)

    def _site(self, number: int, path: str, expected: str | None) -> _Site:
        work = self.workspace.find(path, in_base=not self.spec.sequential)
        if work is None:
            what = "there is no such file"
            fix = "Check the path; a new file needs an edit that creates it."
            if expected is not None:
                raise Stale(path, f"{what}, though a hash of it was expected", fix)
            raise NoMatch(path, what, fix)
        reads = tuple(read for read in self.reads if read.path == work.origin)
        for read in reads:
            if read.kind == "hash" and not read_holds(work.draft.base, read):
                lines = read.start_line or 1, read.end_line or 0
                raise ranges.stale_range(path, work.draft.base, lines, read.range_hash, [])
        return _Site(number, work, reads)

    def _create(self, number: int, path: str, text: str) -> EditOutcome:
        self.workspace.create(path, encoded(text), number)
        return EditOutcome(
            number, path, APPLIED, "file", FULL, FULL,
            evidence=ABSENT, lines=((1, 0),), base_lines=((1, 0),),
        )

    def _fill(self, number: int, edit: Edit) -> EditOutcome:
        """An edit without old text creates its file, or fills one that is empty."""
        work = self.workspace.find(edit.path, in_base=not self.spec.sequential)
        if work is None:
            return self._create(number, edit.path, edit.new_text)
        if work.draft.document.line_count:
            raise InvalidInput(
                edit.path,
                "the old text is empty, but the file exists and is not empty",
                "Quote the lines that the new text replaces or follows.",
            )
        site = self._site(number, edit.path, edit.expected_hash)
        insertion = InsertAfter(
            edit.path, 0, tuple(edit.new_text.splitlines()), edit.expected_hash
        )
        return self._range(site, insertion)

    def _file(self, site: _Site, edit: DeleteFile | RenameFile) -> EditOutcome:
        everything = whole(site.base)
        evidence = self._settled(site, (everything,), edit.expected_hash, ())
        if isinstance(edit, RenameFile):
            self.workspace.rename(site.work, edit.new_path)
        else:
            self.workspace.delete(site.work, site.number)
        return EditOutcome(
            site.number, edit.path, APPLIED, "file", FULL, FULL,
            evidence=evidence, lines=(everything,), base_lines=(everything,),
        )

    def _range(self, site: _Site, edit: ReplaceRange | InsertAfter) -> EditOutcome:
        check_text(edit.path, site.work)
        is_insertion = isinstance(edit, InsertAfter)
        lines, evidence = self._range_lines(site, edit, is_insertion=is_insertion)
        if evidence is None:
            evidence = self._read_evidence(site, (lines,))
        splice = ranges.written(site.base, lines, edit.new_lines)
        start = site.work.draft.present(splice.start)
        draft = site.work.draft.write(splice.start, splice.end, splice.new, site.number)
        if draft is None:
            raise InvalidInput(
                f"{edit.path}:{lines[0]}-{lines[1]}",
                "overlaps another edit of this spec",
                "Join the two edits into one.",
            )
        before = site.work.draft.document
        present = before.lines_of(start, start + splice.end - splice.start)
        self.workspace.put(replace(site.work, draft=draft))
        return EditOutcome(
            site.number, edit.path, APPLIED, "range", FULL, FULL,
            evidence=evidence, lines=(present,), base_lines=(lines,),
            is_relocated=lines != ranges.stated_lines(edit),
            matched_text=decoded(site.base.data[splice.start : splice.end]),
            diff=_diff(edit.path, site.base, (splice,)),
        )

    def _range_lines(
        self, site: _Site, edit: ReplaceRange | InsertAfter, *, is_insertion: bool
    ) -> tuple[Lines, Evidence | None]:
        """The lines where a range edit lands, and the evidence of its own hash if it has one."""
        lines = self.options.carried.get(site.number, ranges.stated_lines(edit))
        expected = edit.expected_hash
        if expected is None:
            ranges.check_inside(edit.path, site.base, lines)
            return lines, None
        hashed = ranges.hashed_lines(lines, site.base, is_insertion=is_insertion)
        evidence = ranges.evidence_at(site.base, hashed, expected, is_insertion=is_insertion)
        if evidence is not NONE:
            return lines, evidence
        found = ranges.find_hash(site.base, hashed[1] - hashed[0] + 1, expected)
        if not self.options.relocate or len(found) != 1:
            raise ranges.stale_range(edit.path, site.base, hashed, expected, found)
        shift = found[0] - hashed[0]
        hashed = hashed[0] + shift, hashed[1] + shift
        evidence = ranges.evidence_at(site.base, hashed, expected, is_insertion=is_insertion)
        return (lines[0] + shift, lines[1] + shift), evidence

    def _text(self, site: _Site, edit: Edit) -> EditOutcome:
        check_text(edit.path, site.work)
        draft = site.work.draft
        document = draft.document if self.spec.sequential else draft.base

        def touched(place: Place) -> Lines:
            if self.spec.sequential:
                return draft.base_lines(place.start, place.end)
            return document.lines_of(place.start, place.end)

        def holds(place: Place) -> bool:
            expected = edit.expected_hash
            return expected is None or holding(draft.base, [touched(place)], expected) is not None

        holds_or_none = None if edit.expected_hash is None else holds
        located = matching.locate(document, edit, self.options.settings, holds_or_none)
        splices = matching.transfer(document, edit, located)
        base_lines = tuple(touched(place) for place in located.places)
        writers = tuple(
            number
            for place in located.places
            for number in (draft.writers(place.start, place.end) if self.spec.sequential else ())
        )
        evidence = self._settled(site, base_lines, edit.expected_hash, writers)
        if evidence is NONE and _is_quote(document, located):
            evidence = Evidence("quote")
        self._write(site, edit.path, splices)
        places = located.places
        return EditOutcome(
            site.number, edit.path, APPLIED, located.tier,
            located.similarity, located.confidence, located.runner_up, located.repairs,
            evidence, tuple(document.lines_of(place.start, place.end) for place in places),
            base_lines,
            matched_text=decoded(document.data[places[0].start : places[0].end]),
            diff=_diff(edit.path, document, splices),
        )

    def _write(self, site: _Site, path: str, splices: Sequence[Splice]) -> None:
        """Put splices, which speak of the present or of the base, into the draft."""
        draft: Draft | None = site.work.draft
        for splice in sorted(splices, key=lambda each: each.start, reverse=True):
            if draft is None:
                break
            change = draft.replace if self.spec.sequential else draft.write
            draft = change(splice.start, splice.end, splice.new, site.number)
        if draft is None:
            raise InvalidInput(path, "overlaps another edit of this spec", "Join the two edits.")
        self.workspace.put(replace(site.work, draft=draft))

    def _settled(
        self, site: _Site, touched: tuple[Lines, ...], expected: str | None, writers: Sequence[int]
    ) -> Evidence:
        """The evidence of an edit whose place is known. Raises Stale for a hash that fails."""
        if expected is not None:
            own = holding(site.base, touched, expected)
            if own is None:
                raise stale_hash(site.base, site.work.origin or "", touched, expected)
            return own
        if writers and all(first > last for first, last in touched):
            kinds = [self._evidence[number] for number in writers]
            return Evidence(max(kinds, key=lambda each: KINDS.index(each.kind)).kind)
        return self._read_evidence(site, touched)

    def _read_evidence(self, site: _Site, touched: tuple[Lines, ...]) -> Evidence:
        """The evidence that reads give. Raises Stale when a hash was promised and none holds."""
        found = from_reads(site.base, touched, site.reads)
        if found is not None:
            return found
        for read in site.reads:
            if read.kind == "hash" and read.start_line is None:
                raise stale_hash(site.base, read.path, touched, read.range_hash)
        return NONE


def _is_quote(document: Document, located: Located) -> bool:
    """Whether the old text stands there byte for byte in whole lines, once."""
    place = located.places[0]
    text = document.data[place.start : place.end]
    rest = document.data[place.end : place.end + 2]
    ends_line = text.endswith(b"\n") or rest.startswith((b"\n", b"\r\n"))
    begins_line = document.offsets[document.line_at(place.start) - 1] == place.start
    is_once = document.data.find(text, document.data.find(text) + 1) < 0
    is_literal = located.tier == "exact" and not located.repairs
    return is_literal and begins_line and ends_line and is_once


def _diff(path: str, document: Document, splices: Sequence[Splice]) -> str:
    """The change of one edit as a unified diff."""
    draft = Draft.of(document.data)
    for splice in sorted(splices, key=lambda each: each.start, reverse=True):
        draft = draft.replace(splice.start, splice.end, splice.new, 0)
    return unified_diff(path, path, document.data, net_hunks(draft))

"""Recorded edits on other files than those that they were made on.

A call may have found changes of others that no commit has. Its edits must land on the files of the
commit's parent at the lines that a line diff maps theirs to. What was read holds line by line: when
somebody changes one line of a range, the others are still known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_blind
from hkgit.applying.hunk import apply_hunks
from hkgit.applying.line_map import LineMap
from hkgit.applying.outcome import FileChange, Plan, files_after
from hkgit.edits import File, Overlay, Read, Snapshot
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.evidence.claims import list_read_lines, mark
from hkgit.evidence.derivation import plain_hunk
from hkgit.evidence.entry import FileMark, RecordedFile, RecordedHunk
from hkgit.sessions.call_journal import PendingEdit
from hkgit.text.diff import find_changes, follow
from hkgit.text.document import Document
from hkgit.values import cached_property, dataclass, field, replace

StoresLf = Callable[[str, bytes, bytes | None], bool]
"""Whether git stores a path's new bytes with LF, given the old ones."""

_FIRST = "Commit what it depends on first, then this."
_LINES = "the lines of this edit are not those of the commit's parent"


@dataclass(frozen=True)
class Step:
    """Edits of one entry, and what they make of files.

    `reads` are the lines of these files that the edits are tied to. With `is_whole` the entry
    itself leads from the files before to those after.
    """

    units: tuple[PendingEdit, ...]
    changes: tuple[FileChange, ...]
    reads: tuple[Read, ...]
    is_whole: bool = False

    @cached_property
    def files(self) -> dict[str, File | None]:
        """What becomes of each path."""
        return files_after(Plan((), self.changes))


@dataclass
class Built:
    """The files after all edits, the steps that lead there, and the edits that have no place."""

    files: Overlay
    steps: list[Step] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)

    def add(self, step: Step | None, refused: dict[PendingEdit, HkgitError]) -> None:
        """Take in the next step, and what of its entry has no place."""
        self.refused |= refused
        if step is not None:
            self.files = Overlay(self.files.below, {**self.files.files, **step.files})
            self.steps.append(step)

    def merge(self, other: Built) -> None:
        """Take in what was built of other files."""
        self.files = Overlay(self.files.below, {**self.files.files, **other.files.files})
        self.steps += other.steps
        self.refused |= other.refused


Placed = tuple[Step | None, dict[PendingEdit, HkgitError]]


@dataclass(frozen=True)
class CommitBuilder:
    """Puts edits on the files of a commit's parent, in the order in which they were made.

    `known` keeps where the edits of an entry were placed, by those edits and the files on which
    they were, so that none is placed there again.
    """

    before: Snapshot
    stores_lf: StoresLf
    known: dict[tuple[object, ...], Placed] = field(default_factory=dict)

    def build(self, units: Sequence[PendingEdit]) -> Built:
        """Place edits, entry by entry; those that have no place are left out."""
        built = Built(Overlay(self.before))
        for entry, group in groupby(units, key=lambda unit: unit.key):
            own = tuple(group)
            paths = {path for unit in own for path in unit.paths}
            here = frozenset((path, built.files.get(path)) for path in paths)
            key = entry, tuple(unit.number for unit in own), here
            if key not in self.known:
                self.known[key] = place(own, built.files, self.stores_lf)
            built.add(*self.known[key])
        return built


def place(units: tuple[PendingEdit, ...], files: Snapshot, stores_lf: StoresLf) -> Placed:
    """Place edits of one entry; answers with the errors of those that have no place."""
    entry, numbers = units[0].entry, {unit.number for unit in units}
    if len(numbers) == len(entry.edits):
        changes = _take_whole(units[0], files, stores_lf)
        if changes is not None:
            return Step(units, changes, tuple(list_read_lines(entry, numbers)), is_whole=True), {}
    found: list[FileChange] = []
    reads: list[Read] = []
    refused: dict[int, HkgitError] = {}
    for file in entry.files:
        here = (each.id for each in entry.edits if each.path in (file.path, file.new_path))
        own = numbers.intersection(here)
        try:
            change, moved = _place_file(units[0], file, own, files, stores_lf, refused)
        except HkgitError as error:
            refused |= dict.fromkeys(own, error)
            continue
        if change.before != change.after or change.path != change.new_path:
            found.append(change)
        for read in list_read_lines(entry, own - refused.keys()):
            if file.path is not None and read.path in (file.path, file.new_path):
                reads += carry_read(replace(read, path=file.path), moved)
    kept = tuple(unit for unit in units if unit.number not in refused)
    errors = {unit: refused[unit.number] for unit in units if unit.number in refused}
    return (Step(kept, tuple(found), tuple(reads)) if kept else None), errors


def _take_whole(
    unit: PendingEdit, files: Snapshot, stores_lf: StoresLf
) -> tuple[FileChange, ...] | None:
    """Return what an entry makes of the very files that it was made on; None for others."""
    if any(mark(files.get(path)) != state for path, state in unit.entry.needs):
        return None
    changes = []
    for file in unit.entry.files:
        before, data = files.get(file.name), unit.version(file.after)
        is_lost = data is None and file.after is not None
        if is_lost or _is_converted(file.name, data or b"", before, stores_lf):
            return None
        after = None if file.after is None or data is None else File(data, file.after.mode)
        changes.append(_make_change(file, file.new_path, before, after, file.hunks))
    return tuple(changes)


def _make_change(
    file: RecordedFile,
    new_path: str | None,
    before: File | None,
    after: File | None,
    hunks: Iterable[RecordedHunk],
) -> FileChange:
    plain = tuple(map(plain_hunk, hunks))
    return FileChange(path=file.path, new_path=new_path, before=before, after=after, hunks=plain)


def _is_converted(path: str, data: bytes, there: File | None, stores_lf: StoresLf) -> bool:
    return b"\r\n" in data and stores_lf(path, data, None if there is None else there.data)


def _place_file(
    unit: PendingEdit,
    file: RecordedFile,
    own: AbstractSet[int],
    files: Snapshot,
    stores_lf: StoresLf,
    refused: dict[int, HkgitError],
) -> tuple[FileChange, LineMap | None]:
    """Place edits of one file, by number; `refused` gets those whose lines are not there.

    Answers also with where the lines that they were made on are, None for where they were. Raises
    Stale where the file itself is another one.
    """
    there = files.get(file.name)
    before, after = (_read_version(unit, each) for each in (file.before, file.after))
    hunks: Sequence[RecordedHunk] = file.hunks
    if _is_converted(file.name, after or before, there, stores_lf):
        before, after = (data.replace(b"\r\n", b"\n") for data in (before, after))
        hunks = [replace(each, new_text=each.new_text.replace("\r\n", "\n")) for each in hunks]
    edits = [each for each in unit.entry.edits if each.path in (file.path, file.new_path)]
    # What is no change of lines is of those edits that are in no hunk.
    in_hunks = {number for hunk in hunks for number in hunk.edits}
    is_all = len(own) == len(edits)
    is_of_file = is_all or not in_hunks.issuperset(own)
    new_path = file.new_path if is_of_file else file.path
    is_same = (there is None) == (file.before is None) and (there is None or there.data == before)
    is_text = file.before is not None and file.after is not None
    is_in_way = new_path not in (None, file.name) and files.get(new_path or "") is not None
    if there is None is not file.before or is_in_way or not (is_text or (is_all and is_same)):
        raise Stale(file.name, "the commit's parent has another version of the file", _FIRST)
    if there is None or file.before is None or file.after is None:
        made = None if file.after is None else File(after, file.after.mode)
        return _make_change(file, file.new_path, there, made, hunks), None
    moved = None if is_same else LineMap.between(before, there.data)
    blind = {each.id for each in edits if is_blind(each.evidence)}
    placed: list[RecordedHunk] = []
    for hunk in hunks:
        if not own & {*hunk.edits}:
            continue
        is_free = blind.issuperset(hunk.edits)
        lines = _find_lines(hunk, before, there.data, moved, is_free=is_free)
        above = placed[-1].end_line if placed else 0
        if lines is None or lines[0] <= above or not own >= {*hunk.edits}:
            refused |= dict.fromkeys(own & {*hunk.edits}, Stale(file.name, _LINES, _FIRST))
        else:
            placed.append(replace(hunk, start_line=lines[0], end_line=lines[1]))
    while (
        lost := {n for each in placed for n in each.edits if refused.keys() & {*each.edits}}
        - refused.keys()
    ):
        refused |= dict.fromkeys(lost, Stale(file.name, _LINES, _FIRST))
    placed = [each for each in placed if not refused.keys() & {*each.edits}]
    document = Document(there.data)
    reaches_end = bool(placed) and placed[-1].end_line == document.line_count
    is_said = reaches_end or (is_all and is_same)
    is_terminated = file.final_newline if is_said else document.is_terminated
    data = apply_hunks(document, map(plain_hunk, placed), is_terminated=is_terminated)
    is_set = is_of_file and file.before.mode != file.after.mode
    made = File(data, file.after.mode if is_set else there.mode)
    return _make_change(file, new_path, there, made, placed), moved


def _find_lines(
    hunk: RecordedHunk, before: bytes, there: bytes, moved: LineMap | None, *, is_free: bool
) -> Lines | None:
    """Find the lines that a hunk replaces; a free one replaces what is in their place."""
    first, last = hunk.start_line, hunk.end_line
    if moved is None:
        return first, last
    found = moved.carry((first, last))
    if found is not None or not is_free:
        return found
    first, last = follow(find_changes(Document(before).lines, Document(there).lines), (first, last))
    return min(first, last + 1), last


def carry_read(read: Read, moved: LineMap | None) -> Iterator[Read]:
    """Carry a read to another version of its file, line by line."""
    if moved is None:
        yield read
        return
    for number in range(read.start_line or 1, (read.end_line or 0) + 1):
        if number in moved.lines:
            line = moved.lines[number]
            yield replace(read, start_line=line, end_line=line)


def _read_version(unit: PendingEdit, side: FileMark | None) -> bytes:
    data = b"" if side is None else unit.version(side)
    if data is None:
        raise InvalidInput(unit.edit.path, "the version that was edited is no longer stored")
    return data


def read_contents(files: Snapshot, paths: Iterable[str]) -> list[File | None]:
    """Read some files of a snapshot, in order."""
    return [files.get(path) for path in paths]

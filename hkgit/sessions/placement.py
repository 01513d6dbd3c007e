"""Which recorded edits a commit takes, and where they are on its parent's files.

A call may have found changes of others that no commit has. Its edits must land on the files of the
commit's parent at the lines that a line diff maps theirs to. What was read holds line by line: when
somebody changes one line of a range, the others are still known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import TypeVar

from hkgit.applying.evidence import is_blind
from hkgit.applying.file_diff import compare
from hkgit.applying.hunk import Hunk, apply_hunks
from hkgit.applying.outcome import FileChange, Plan, files_after
from hkgit.edits import File, MappingSnapshot, Overlay, Read, Snapshot
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.evidence.claims import list_read_lines, mark
from hkgit.evidence.entry import FileMark, RecordedFile
from hkgit.sessions.call_journal import PendingEdit
from hkgit.text.diff import LineMap, find_changes
from hkgit.text.document import Document, Lines, split_raw
from hkgit.values import cached_property, dataclass, field, replace

StoresLf = Callable[[str, bytes, bytes | None], bool]
"""Whether git stores a path's new bytes with LF, given the old ones."""

_FIRST = "Commit what it depends on first, then this."
_LINES = "the lines of this edit are not those of the commit's parent"


@dataclass(frozen=True)
class PlacedEdits:
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

    files: Overlay = field(default_factory=lambda: Overlay(MappingSnapshot()))
    steps: list[PlacedEdits] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)


Placed = tuple[PlacedEdits | None, dict[PendingEdit, HkgitError]]


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
            step, refused = self.known[key]
            built.refused |= refused
            if step is not None:
                built.files = Overlay(self.before, {**built.files.files, **step.files})
                built.steps.append(step)
        return built


def place(units: tuple[PendingEdit, ...], files: Snapshot, stores_lf: StoresLf) -> Placed:
    """Place edits of one entry; answers with the errors of those that have no place."""
    entry, numbers = units[0].entry, {unit.number for unit in units}
    changes: list[FileChange] = []
    reads: list[Read] = []
    refused: dict[int, HkgitError] = {}
    for file in entry.files:
        names = dict(file.needs)
        edits = [each for each in entry.edits if each.path in names]
        own = numbers & {each.id for each in edits}
        free = {each.id for each in edits if is_blind(each.evidence)}
        try:
            found, lost = _select(units[0], file, own, len(edits), files, stores_lf)
            settled = _settle_conflicts(found, files, own) if len(own) == len(edits) else found
            carried = carry_change(settled, files, free)
        except HkgitError as error:
            refused |= dict.fromkeys(own, error)
            continue
        lost |= {number for hunk, _ in carried.refused for number in hunk.edits}
        refused |= dict.fromkeys(lost & own, Stale(file.name, _LINES, _FIRST))
        change, moved = carried.change, carried.moved
        if settled is not found:
            moved = LineMap.between(Document.of(found.before).data, Document.of(change.before).data)
        if change.before != change.after or change.path != change.new_path:
            changes.append(change)
        for read in list_read_lines(entry, own - lost):
            if file.path is not None and read.path in names:
                reads += _carry_read(replace(read, path=file.path), moved)
    kept = tuple(unit for unit in units if unit.number not in refused)
    errors = {unit: refused[unit.number] for unit in units if unit.number in refused}
    placed = PlacedEdits(kept, tuple(changes), tuple(reads))
    if len(kept) == len(entry.edits):
        after = Overlay(files, placed.files)
        sides = ((files, entry.needs), (after, entry.leaves))
        is_whole = all(mark(here.get(path)) == each for here, side in sides for path, each in side)
        placed = replace(placed, is_whole=is_whole)
    return (placed if kept else None), errors


_CONFLICT = re.compile(
    # Behind one that does not end none does, so that no text takes long.
    rb"^<{7} [^\n]*\n(?:(?>(.*?)^={7}\r?\n).*?^>{7} [^\n]*\n|.*)",
    re.DOTALL | re.MULTILINE,
)
_BASE = re.compile(rb"^\|{7}.*", re.DOTALL | re.MULTILINE)


def without_marks(data: bytes) -> bytes:
    """Replace each marked conflict in a file by the first parent's side."""

    def side(found: re.Match[bytes]) -> bytes:
        return found[0] if found[1] is None else _BASE.sub(b"", found[1])

    return _CONFLICT.sub(side, data)


def _settle_conflicts(change: FileChange, files: Snapshot, numbers: Collection[int]) -> FileChange:
    """Tell a change of a file in which git has marked conflicts as one of their first side.

    That a commit has, as where they come of a rebase, a cherry-pick or a stash.
    """
    before, after, there = change.before, change.after, files.get(change.name)
    if before is None or after is None or there is None or without_marks(there.data) != there.data:
        return change
    old, new = (replace(each, data=without_marks(each.data)) for each in (before, after))
    if old == before:
        return change
    hunks = compare(change.path, old, change.new_path, new).hunks
    own = (replace(each, edits=tuple(sorted(numbers))) for each in hunks)
    return replace(change, before=old, after=new, hunks=tuple(own))


def _select(
    unit: PendingEdit,
    file: RecordedFile,
    own: AbstractSet[int],
    count: int,
    files: Snapshot,
    stores_lf: StoresLf,
) -> tuple[FileChange, set[int]]:
    """Select what some of the edits of a file, by number, have changed of it, as git stores that.

    Answers also with those that wrote beside edits that are left out. Raises InvalidInput where
    the versions are not kept, or only all edits together tell.
    """
    before, after = (_read_version(unit, each) for each in (file.before, file.after))
    hunks = [each.plain for each in file.hunks if own & {*each.edits}]
    data = b"" if after is None else after.data
    there = files.get(file.name)
    if stores_lf(file.name, data, None if there is None else there.data):
        before, after = _to_lf(before), _to_lf(after)
        hunks = [replace(each, new=each.new.replace(b"\r\n", b"\n")) for each in hunks]
    lost = {number for hunk in hunks for number in hunk.edits if not own >= {*hunk.edits}}
    hunks = [each for each in hunks if own >= {*each.edits}]
    new_path = file.new_path
    if len(own) < count:
        if before is None or after is None:
            raise InvalidInput(file.name, "only a part of the edits that made it is here", _FIRST)
        document = Document(before.data)
        reaches_end = bool(hunks) and hunks[-1].end_line == document.line_count
        is_terminated = file.final_newline if reaches_end else document.is_terminated
        data = apply_hunks(document, hunks, is_terminated=is_terminated)
        after = replace(after, data=data)
        # What is no change of lines is of those edits that are in no hunk.
        if own <= {number for hunk in file.hunks for number in hunk.edits}:
            after, new_path = replace(after, mode=before.mode), file.path
    change = FileChange(
        path=file.path, new_path=new_path, before=before, after=after, hunks=tuple(hunks)
    )
    return change, lost


@dataclass(frozen=True)
class CarriedChange:
    """A change on another version of its file, and the hunks that have no place there.

    Each of these has the lines that are in its place. `moved` maps the lines that the change was
    made on to those that are there.
    """

    change: FileChange
    moved: LineMap = LineMap(())
    refused: tuple[tuple[Hunk, Lines], ...] = ()


def carry_change(change: FileChange, files: Snapshot, free: Collection[int] = ()) -> CarriedChange:
    """Make a change of another version of its file, by lines.

    A hunk has its place where the lines that it replaces are still the same. One whose edits are
    all `free` replaces what is in their place. Raises Stale where the file itself is another one.
    """
    there, before, after = files.get(change.name), change.before, change.after
    target = None if change.new_path == change.path else change.new_path
    here = None if there is None else there.data
    is_same = here == (None if before is None else before.data)
    if not is_same and None in (there, before, after):
        raise Stale(change.name, "the file is another one there", _FIRST)
    if target is not None and files.get(target) is not None:
        raise Stale(target, "there is a file of this name already", _FIRST)
    if there is None or before is None or after is None:
        return CarriedChange(replace(change, before=there))
    base, document = Document(before.data), Document(there.data)
    moved = LineMap(()) if is_same else LineMap.between(before.data, there.data)
    placed: list[tuple[Hunk, Lines]] = []
    refused: list[tuple[Hunk, Lines]] = []
    for hunk in change.hunks:
        lines, is_sure = _find_place(hunk, moved)
        is_above = not placed or placed[-1][1][1] < lines[0]
        is_placed = is_above and (is_sure or {*hunk.edits} <= {*free})
        (placed if is_placed else refused).append((hunk, lines))
    # What an edit wrote goes with it, also what others wrote beside it.
    numbers = {number for hunk, _ in refused for number in hunk.edits}
    while lost := [each for each in placed if numbers & {*each[0].edits}]:
        placed = [each for each in placed if each not in lost]
        refused += lost
        numbers |= {number for hunk, _ in lost for number in hunk.edits}
    hunks = tuple(replace(hunk, start_line=a, end_line=b) for hunk, (a, b) in placed)
    is_kept = document.is_terminated != base.is_terminated
    ends = document if is_kept else Document(after.data)
    data = after.data
    if not is_same:
        data = apply_hunks(document, hunks, is_terminated=ends.is_terminated)
    made = File(data, after.mode if there.mode == before.mode else there.mode)
    change = replace(change, before=there, after=made, hunks=hunks)
    return CarriedChange(change, moved, tuple(refused))


def _find_place(hunk: Hunk, moved: LineMap) -> tuple[Lines, bool]:
    """Find the lines that a hunk replaces, and whether they are the same as where it was made."""
    first, last = hunk.start_line, hunk.end_line
    found = moved.carry((first, last))
    if found is None and first > last:  # the line below may be the same
        below = moved.carry((first, first))
        found = None if below is None else (below[0], below[0] - 1)
    if found is not None:
        return found, True
    first, last = moved.follow((first, last))
    return (min(first, last + 1), last), False


def _carry_read(read: Read, moved: LineMap) -> Iterator[Read]:
    """Carry a read to another version of its file, as far as its lines are left."""
    if read.start_line is not None and read.end_line is not None:
        for first, last in moved.keep((read.start_line, read.end_line)):
            yield replace(read, start_line=first, end_line=last)


def _read_version(unit: PendingEdit, side: FileMark | None) -> File | None:
    file = unit.version(side)
    if file is None and side is not None:
        raise InvalidInput(unit.edit.path, "the version that was edited is no longer stored")
    return file


def _to_lf(file: File | None) -> File | None:
    return None if file is None else replace(file, data=file.data.replace(b"\r\n", b"\n"))


Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""With more edits, all are taken to be staged, instead of trying each."""

_COMPARED = 2**18
"""Up to so many bytes are compared byte by byte; of more all are counted."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    effective: Sequence[Item],
) -> list[Item]:
    """Choose the edits whose result is nearest to what is staged; `make` gives the files they make.

    `effective` are the edits that nobody is known to have taken back; where they alone give what is
    staged, they are chosen.
    """
    kept, apart = _find_nearest(effective, make, staged)
    if apart and len(effective) < len(items):
        others, nearer = _find_nearest(items, make, staged)
        return others if nearer < apart else kept
    return kept


def _find_nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last first, as long as the result comes nearer; return its distance."""
    kept = list(items)
    nearest = _measure(make(kept), staged)
    for item in reversed(items if len(items) <= TRIED else ()):
        if nearest == 0:
            break
        fewer = [each for each in kept if each is not item]
        apart = _measure(make(fewer), staged)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _measure(left: Contents, right: Contents) -> int:
    return sum(map(measure_distance, left, right))


def measure_distance(left: File | None, right: File | None) -> int:
    """Measure how far two files are apart: bytes to remove or add, and one for another mode.

    A file that is not there is equally far from every file: no edit of lines removes one.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    if left.data == right.data:
        return int(left.mode != right.mode)
    from rapidfuzz.distance import Indel

    old, new = split_raw(left.data), split_raw(right.data)
    apart = int(left.mode != right.mode)
    for change in find_changes(old, new):
        gone = b"".join(old[change.old_start : change.old_end])
        came = b"".join(new[change.new_start : change.new_end])
        size = len(gone) + len(came)
        apart += int(Indel.distance(gone, came)) if size <= _COMPARED else size
    return apart

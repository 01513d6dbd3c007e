"""The spec of an entry, read and located again.

What replay alone cannot show: that the edits' own text says what the hunks do, and that tier,
similarity and confidence are what the ladder answers.

A file that is here with another text is built again from what is known of it: the lines of the
recorded hunks at their lines, what was quoted byte for byte around them, and between them the file
as it is now. In some file that fits its record the spec must make just the recorded hunks, in order
and number. So a hunk neither takes away nor writes a line more or less than the edits say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, pairwise

from hkgit.applying.hunk import Hunk
from hkgit.applying.outcome import FileChange, Plan, reads_used
from hkgit.applying.planner import Options, plan
from hkgit.applying.ranges import find_hash, lines_of_edit, lines_of_hash
from hkgit.edits import (
    AnyEdit,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    Overlay,
    Read,
    RenameFile,
    ReplaceRange,
    Snapshot,
    Spec,
    TagEdit,
    WriteFile,
    encode_text,
)
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.anchors import anchor_hunks
from hkgit.evidence.claims import mark, read_recorded_spec, record_edit
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.verdict import Finding
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.diff import LineMap
from hkgit.text.document import MOST_LINES, Document, Lines, find_line_end, hash_lines, terminate
from hkgit.values import replace

_RATED = ("tier", "similarity", "confidence", "repairs")
"""What a ladder says of an edit, and another one may say otherwise."""
_FIX = "Let hkgit apply the spec again; only hkgit writes its record."

_UNKNOWN = b"\x1a\n"
"""A line of which nothing is known; the character represents one that cannot be shown."""


def is_rated_here(entry: Entry) -> bool:
    """Whether an entry's tiers and confidences are those of the ladder that is here."""
    return entry.ladder == LADDER_VERSION


def recompute(
    entry: Entry, files: Snapshot, base_of: Callable[[Entry], Snapshot | None]
) -> list[Finding] | None:
    """Read and locate the spec again, and find every difference from the record.

    `base_of` finds the files that the spec was written against, where they are here. None where
    the base is missing that would show why an edit landed on other lines than it names. Of an
    entry of another ladder the tiers and confidences are not compared.
    """
    try:
        spec = read_recorded_spec(entry)
        planned = _plan(spec, files, plan_options(entry), entry.reads)
    except HkgitError as error:
        return [_refuse(error)]
    # Few edits have moved, and only those ask for the base.
    has_moved = any(edit.relocated for edit in entry.edits)
    base_files = base_of(entry) if has_moved else None
    moved = [*_find_unexplained(entry, spec, files, base_files)] if has_moved else []
    if moved and base_files is None:
        return None
    what = "edit {} names other lines, and nothing shows that they moved here"
    return [
        *(Finding("decoy", edit.where, what.format(edit.id), _FIX) for edit in moved),
        *_edit_findings(entry, spec, planned),
        *_read_findings(entry, planned),
        *_file_findings(entry, planned, is_rebuilt=False),
    ]


def _find_unexplained(
    entry: Entry, spec: Spec, files: Snapshot, base_files: Snapshot | None
) -> Iterator[RecordedEdit]:
    """Find the relocated edits that nothing ties to the lines they changed.

    Two things do: the edit's own hash holds at that place and nowhere else, or the line diff from
    the base leads there.
    """
    moved = [
        (edit, requested)
        for edit, requested in zip(entry.edits, spec.edits, strict=True)
        if edit.relocated and not _is_only_place(requested, edit, files)
    ]
    if not moved:
        return
    carried = {} if base_files is None else _carry_edits(entry, spec, files, base_files)
    for edit, _ in moved:
        if carried.get(edit.id) != edit.base_lines[0]:
            yield edit


def _is_only_place(requested: AnyEdit, edit: RecordedEdit, files: Snapshot) -> bool:
    file = files.get(requested.path)
    if file is None or not isinstance(requested, ReplaceRange | InsertAfter):
        return False
    document, is_insertion = Document(file.data), isinstance(requested, InsertAfter)
    first, last = lines_of_hash(edit.base_lines[0], document, is_insertion=is_insertion)
    expected = requested.expected_hash
    return expected is not None and find_hash(document, last - first + 1, expected) == [first]


def _carry_edits(
    entry: Entry, spec: Spec, files: Snapshot, base_files: Snapshot
) -> dict[int, Lines | None]:
    """Where the line diff from the base leads each edit."""
    options = Options(entry.threshold, relocate=True)
    carried = {}
    for outcome in plan(spec, base_files, options).outcomes:
        old, new = base_files.get(outcome.path), files.get(outcome.path)
        if outcome.error is None and old is not None and new is not None:
            lines = LineMap.between(old.data, new.data).carry(outcome.base_lines[0])
            carried[outcome.number] = lines
    return carried


def find_unrequested(entry: Entry, files: Snapshot) -> list[Finding]:
    """Find what an entry does and its edits do not say.

    Asked of an entry that is derived of these files, or reanchored in them.
    """
    try:
        spec = read_recorded_spec(entry)
        pairs = [*zip(entry.edits, spec.edits, strict=True)]
        for edit, requested in pairs:
            if edit.path != requested.path:
                what = f"edit {edit.id} is about {requested.path}"
                return [Finding("decoy", edit.path, what, _FIX)]
        home = Overlay(files, dict(_rebuild_files(entry, spec, files)))
        planned = _plan_believed(entry, spec, home)
    except HkgitError as error:
        return [_refuse(error)]
    return [*_file_findings(entry, planned, is_rebuilt=True)]


def plan_options(entry: Entry) -> Options:
    """Return how an entry's spec was planned."""
    carried = {edit.id: edit.base_lines[0] for edit in entry.edits if edit.relocated}
    return Options(entry.threshold, carried=carried, shows_diff=False)


def _plan(spec: Spec, files: Snapshot, options: Options, reads: Sequence[Read]) -> Plan:
    """Plan a recorded spec. Raises the refusal of its first edit that has no place."""
    planned = plan(spec, files, options, reads)
    if planned.first_error is not None:
        raise planned.first_error
    return planned


def _refuse(error: HkgitError) -> Finding:
    return Finding("decoy", error.where, f"the recorded spec is refused: {error.what}", _FIX)


def _read_findings(entry: Entry, planned: Plan) -> Iterator[Finding]:
    used = set(reads_used(entry.reads, planned))
    for read in entry.reads:
        if read not in used:
            yield Finding("forged", read.path, "records a read that no edit uses", _FIX)


def _edit_findings(entry: Entry, spec: Spec, planned: Plan) -> Iterator[Finding]:
    for edit, outcome in zip(entry.edits, planned.outcomes, strict=True):
        again = record_edit(spec.dialect, edit.edit, outcome)
        if edit == again:
            continue
        for name in RecordedEdit.__match_args__:
            if name in _RATED and not is_rated_here(entry):
                continue
            here, there = getattr(edit, name), getattr(again, name)
            if here != there:
                shown, found = str(here)[:60], str(there)[:60]
                what = f"edit {edit.id} records {name} {shown}, recomputed {found}"
                yield Finding("forged", edit.where, what, _FIX)


def _file_findings(entry: Entry, planned: Plan, *, is_rebuilt: bool) -> Iterator[Finding]:
    """Compare what the spec does with files that were derived, so that all their hashes hold."""
    recorded = {file.name: file for file in entry.files}
    again = {change.name: change for change in planned.files}
    for name in sorted(recorded.keys() | again.keys()):
        file, change = recorded.get(name), again.get(name)
        made = [] if change is None else [*map(_describe_hunk, change.hunks)]
        hunks = [] if file is None else [_describe_hunk(hunk.plain) for hunk in file.hunks]
        if hunks != made or not _is_same_file(file, change, is_rebuilt=is_rebuilt):
            other = (f":{hunk[0]}-{hunk[1]}" for hunk in hunks if hunk not in made)
            what = "the spec does not match what the hunks do"
            yield Finding("decoy", f"{name}{next(other, '')}", what, _FIX)


def _describe_hunk(hunk: Hunk) -> tuple[object, ...]:
    """What a hunk does, whichever ends the lines around give to its own."""
    return hunk.start_line, hunk.end_line, hunk.new_lines, hunk.edits


def _is_same_file(
    file: RecordedFile | None, change: FileChange | None, *, is_rebuilt: bool
) -> bool:
    """Whether a file has the same names, and the same bytes unless it was rebuilt."""
    if (
        file is None
        or change is None
        or (file.path, file.new_path) != (change.path, change.new_path)
    ):
        return False
    if is_rebuilt or file.after is None or change.after is None:
        return (file.after and file.after.mode) == (change.after and change.after.mode)
    is_terminated = Document(change.after.data).is_terminated
    return file.after == mark(change.after) and file.final_newline is is_terminated


def _plan_believed(entry: Entry, spec: Spec, home: Snapshot) -> Plan:
    """Plan the spec as if all files had been read: whether they were, nobody can tell."""
    options = plan_options(entry)
    found = {edit.path: home.get(edit.path) for edit in entry.edits}
    documents = {path: Document.of(file) for path, file in found.items()}
    edits = tuple(
        _believe(edit, recorded, documents[edit.path], options.carried.get(recorded.id))
        for edit, recorded in zip(spec.edits, entry.edits, strict=True)
    )
    reads = [
        Read(
            path=path,
            start_line=1,
            end_line=document.line_count,
            range_hash=document.whole_hash,
            kind="receipt",
        )
        for path, document in documents.items()
    ]
    return _plan(replace(spec, edits=edits), home, options, reads)


def _believe(
    edit: AnyEdit, recorded: RecordedEdit, base: Document, carried: Lines | None
) -> AnyEdit:
    """An edit that is believed its hash, and which of several equal places it means.

    What it read, and the lines far above that tell its place, may not be there any more.
    """
    match edit:
        case ReplaceRange() | InsertAfter() if edit.expected_hash is not None:
            is_insertion = isinstance(edit, InsertAfter)
            lines = lines_of_hash(carried or lines_of_edit(edit), base, is_insertion=is_insertion)
            return replace(edit, expected_hash=base.range_hash(*lines))
        case Edit() if edit.old_text and not edit.replace_all:
            first = recorded.lines[0][0]
            return replace(edit, expected_hash=None, anchors=(), heading="", line_hint=first)
        case Edit() | TagEdit() | WriteFile() | DeleteFile() | RenameFile():
            return replace(edit, expected_hash=None)
    return edit


# The files that an entry was made on


def _rebuild_files(entry: Entry, spec: Spec, files: Snapshot) -> Iterator[tuple[str, File]]:
    """Build the files again that are here with another text than the entry was made on."""
    for file in entry.files:
        found = None if file.path is None else files.get(file.path)
        if file.path is not None and found is not None and mark(found) != file.before:
            pairs = zip(entry.edits, spec.edits, strict=True)
            edits = [(edit, asked) for edit, asked in pairs if edit.path in file.paths]
            yield file.path, replace(found, data=_rebuild_text(file, Document(found.data), edits))


def _rebuild_text(
    file: RecordedFile, found: Document, edits: Sequence[tuple[RecordedEdit, AnyEdit]]
) -> bytes:
    """Build the lines that hunks and edits refer to, where they were; nothing is known of others.

    `found` is what has become of the file since. Raises InvalidInput where it had too many lines.
    """
    around = [
        (hunk.start_line - len(hunk.before), hunk.end_line + len(hunk.after)) for hunk in file.hunks
    ]
    spoken = [*around, *(lines for edit, _ in edits for lines in edit.base_lines)]
    size = max((last for _, last in spoken), default=0)
    if size > MOST_LINES:
        raise InvalidInput(file.name, f"had more than {MOST_LINES} lines", _FIX)
    is_spoken_of = bytearray(size + 1)
    for first, last in spoken:
        is_spoken_of[max(first, 0) : last + 1] = b"\1" * (last + 1 - max(first, 0))
    pairs = zip(file.hunks, anchor_hunks(found.data, file.hunks), strict=True)
    shifts = [place.start_line - hunk.start_line for hunk, place in pairs] or [0]
    # A line has moved as far as the nearest hunk has.
    middles = [(one[1] + other[0]) // 2 for one, other in pairwise(around)]
    now, lines = terminate(found).raw_lines, [_UNKNOWN] * size
    for start, stop, shift in zip([1, *middles], [*middles, size + 1], shifts, strict=True):
        for number in compress(range(start, stop), is_spoken_of[start:stop]):
            if 1 <= number + shift <= len(now):
                lines[number - 1] = now[number + shift - 1]
    gone = {number for hunk in file.hunks for number in range(hunk.start_line, hunk.end_line + 1)}
    context: dict[int, str] = {}
    for hunk in file.hunks:
        context |= enumerate(hunk.before, hunk.start_line - len(hunk.before))
        context |= enumerate(hunk.after, hunk.end_line + 1)
    end = find_line_end(now[0]) if now else b"\n"
    for number, text in _list_quoted(file, edits, lines):
        is_free = 1 <= number <= size and number not in gone
        if is_free and context.get(number) in (None, hash_lines([text])):
            lines[number - 1] = text + end
    return found.bom + b"".join(lines)


def _list_quoted(
    file: RecordedFile, edits: Sequence[tuple[RecordedEdit, AnyEdit]], lines: Sequence[bytes]
) -> Iterator[tuple[int, bytes]]:
    """The lines that edits say the file had, by number.

    A quotation may begin and end within a line, of which it says a part.
    """
    for edit, asked in edits:
        match asked:
            case Edit() if edit.tier == "exact":
                text = Document(encode_text(asked.old_text)).lines
                for first, last in edit.base_lines:
                    if last - first + 1 == len(text) and first >= 1 and last <= len(lines):
                        inside = range(first + 1, last)
                        for number, line in enumerate(text, first):
                            if number in inside or line not in lines[number - 1]:
                                yield number, line
            case WriteFile():
                yield from _list_kept(file, Document(encode_text(asked.new_text)).lines)


def _list_kept(file: RecordedFile, text: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file's new text that its hunks have not written."""
    number, done = 1, 0
    for hunk in file.hunks:
        size = hunk.start_line - number
        yield from enumerate(text[done : done + size], number)
        done += size + len(Document(encode_text(hunk.new_text)).lines)
        number = hunk.end_line + 1
    yield from enumerate(text[done:], number)

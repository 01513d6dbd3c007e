"""The spec of an entry, read and located again.

What replay alone cannot show: that the edits' own text says what the hunks do, and that tier,
similarity and confidence are what the ladder answers.

A file that is here with another text is built again from what is known of it: the old text of the
recorded hunks at their lines, what was quoted byte for byte around them, and between them the file
as it is now. In some file that fits its record the spec must make just the recorded hunks, in order
and number. So a hunk neither takes away nor writes a line more or less than the edits say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.hunk import CONTEXT
from hkgit.applying.outcome import FileChange, Plan, reads_used
from hkgit.applying.planner import Options, plan
from hkgit.applying.quotes import REPAIR as LINE_ENDS
from hkgit.applying.ranges import lines_of_edit, lines_of_hash
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
from hkgit.evidence.claims import mark, read_recorded_spec, record_edit, record_file
from hkgit.evidence.derivation import find_unexplained, plain_hunk
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.verdict import Finding
from hkgit.matching.place import LADDER_VERSION, Settings
from hkgit.text.document import MOST_LINES, Document, find_line_end, hash_lines, terminate
from hkgit.values import dataclass, replace

_RATED = ("tier", "similarity", "confidence", "repairs")
"""What a ladder says of an edit, and another one may say otherwise."""
_FIX = "Let hkgit apply the spec again; only hkgit writes its record."


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
        planned = plan(spec, files, plan_options(entry), entry.reads)
    except HkgitError as error:
        return [Finding("decoy", error.where, f"the recorded spec is refused: {error.what}", _FIX)]
    error_found = planned.first_error
    if error_found is not None:
        what = f"the recorded spec does not apply: {error_found.what}"
        return [Finding("decoy", error_found.where, what, _FIX)]
    # Few edits have moved, and only those ask for the base.
    has_moved = any(edit.relocated for edit in entry.edits)
    base_files = base_of(entry) if has_moved else None
    moved = [*find_unexplained(entry, spec, files, base_files)] if has_moved else []
    if moved and base_files is None:
        return None
    what = "edit {} names other lines, and nothing shows that they moved here"
    return [
        *(Finding("decoy", edit.where, what.format(edit.id), _FIX) for edit in moved),
        *_edit_findings(entry, spec, planned),
        *_read_findings(entry, planned),
        *_file_findings(entry, planned),
    ]


def plan_options(entry: Entry) -> Options:
    """Return how an entry's spec was planned."""
    carried = {edit.id: edit.base_lines[0] for edit in entry.edits if edit.relocated}
    stored = {edit.path for edit in entry.edits if LINE_ENDS in edit.repairs}
    return Options(
        Settings(entry.threshold),
        carried=carried,
        stores_lf=lambda path, *_: path in stored,
        shows_diff=False,
    )


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


def _file_findings(entry: Entry, planned: Plan) -> Iterator[Finding]:
    """Compare what the spec does with files that were derived, so that all their hashes hold."""
    recorded = {file.name: file for file in entry.files}
    again = {change.name: change for change in planned.files}
    for name in sorted(recorded.keys() | again.keys()):
        file, change = recorded.get(name), again.get(name)
        made = () if change is None else change.hunks
        hunks = () if file is None else tuple(map(plain_hunk, file.hunks))
        if file is None or change is None or hunks != made or not _ends_alike(file, change):
            other = (f":{hunk.start_line}-{hunk.end_line}" for hunk in hunks if hunk not in made)
            what = "the spec does not match what the hunks do"
            yield Finding("decoy", f"{name}{next(other, '')}", what, _FIX)


def _ends_alike(file: RecordedFile, change: FileChange) -> bool:
    """Whether a file is under the same names and has the same mark and end as is recorded."""
    after = change.after
    is_terminated = after is None or Document(after.data).is_terminated
    here = (file.path, file.new_path, file.after, file.final_newline)
    return here == (change.path, change.new_path, mark(after), is_terminated)


_AGAIN = "Let hkgit apply the spec again, on this base."

_UNKNOWN = b"\x1a\n"
"""A line of which nothing is known; the character stands for one that cannot be shown."""


def find_unrequested(entry: Entry, files: Snapshot) -> list[Finding]:
    """Find what an entry does and its edits do not say.

    Asked of an entry that is derived of these files, or reanchored in them.
    """
    findings: list[Finding] = []
    # Between its hunks a file may have got another copy of what was quoted, which was the only one.
    for is_bare in (False, True):
        found = _compare(entry, files, is_bare=is_bare)
        if not found:
            return []
        findings = findings or found
    return findings


def _compare(entry: Entry, files: Snapshot, *, is_bare: bool) -> list[Finding]:
    """Locate the spec in files built again, and find where it makes other hunks."""
    try:
        spec = read_recorded_spec(entry)
        home = Overlay(files, dict(_rebuild_files(entry, spec, files, is_bare=is_bare)))
        for edit, requested in zip(entry.edits, spec.edits, strict=True):
            if edit.path != requested.path:
                what = f"edit {edit.id} is about {requested.path}"
                return [Finding("decoy", edit.path, what, _AGAIN)]
        planned = _locate(entry, spec, home)
    except HkgitError as error:
        what = f"the recorded spec is refused: {error.what}"
        return [Finding("decoy", error.where, what, _AGAIN)]
    if planned.first_error is not None:
        what = f"the recorded spec does not apply: {planned.first_error.what}"
        return [Finding("decoy", planned.first_error.where, what, _AGAIN)]
    return [*_find_differing(entry, planned)]


def _locate(entry: Entry, spec: Spec, home: Snapshot) -> Plan:
    """Plan the spec as if all files had been read: whether they were, nobody can tell."""
    options = plan_options(entry)
    found = {edit.path: home.get(edit.path) for edit in entry.edits}
    documents = {path: Document(b"" if file is None else file.data) for path, file in found.items()}
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
    return plan(replace(spec, edits=edits), home, options, reads)


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


def _find_differing(entry: Entry, planned: Plan) -> Iterator[Finding]:
    """Find files to which the spec does something else than is recorded."""
    recorded = {file.name: file for file in entry.files}
    again = {change.name: record_file(change) for change in planned.files}
    for name in sorted(recorded.keys() | again.keys()):
        here, there = recorded.get(name), again.get(name)
        if _describe(here) != _describe(there):
            hunks = () if there is None else _describe_hunks(there)
            pairs = () if here is None else zip(here.hunks, _describe_hunks(here), strict=True)
            other = (f":{h.start_line}-{h.end_line}" for h, each in pairs if each not in hunks)
            what = "the spec does not match what the hunks do"
            yield Finding("decoy", f"{name}{next(other, '')}", what, _AGAIN)


def _describe(file: RecordedFile | None) -> object:
    """What a record says of a file but for what is around its hunks."""
    if file is None:
        return None
    mode = None if file.after is None else file.after.mode
    return file.path, file.new_path, mode, _describe_hunks(file)


def _describe_hunks(file: RecordedFile) -> list[tuple[int, int, str, str]]:
    return [(each.start_line, each.end_line, each.old_hash, each.new_hash) for each in file.hunks]


# The files that an entry was made on


def _rebuild_files(
    entry: Entry, spec: Spec, files: Snapshot, *, is_bare: bool
) -> Iterator[tuple[str, File]]:
    """Build the files again that are here with another text than the entry was made on."""
    for file in entry.files:
        found = None if file.path is None else files.get(file.path)
        if file.path is not None and found is not None and mark(found) != file.before:
            names = (file.path, file.new_path)
            pairs = zip(entry.edits, spec.edits, strict=True)
            edits = [(edit, asked) for edit, asked in pairs if edit.path in names]
            data = _Rebuilding(file, Document(found.data), edits).build(is_bare=is_bare)
            yield file.path, replace(found, data=data)


@dataclass(frozen=True)
class _Rebuilding:
    """A file that an entry was made on; `found` is what has become of it since."""

    file: RecordedFile
    found: Document
    edits: Sequence[tuple[RecordedEdit, AnyEdit]]

    def build(self, *, is_bare: bool) -> bytes:
        """Build its text; `is_bare` leaves out what no hunk and no edit says anything about.

        Raises InvalidInput where it had too many lines.
        """
        lines = self._arrange()
        gone = {number for hunk in self.file.hunks for number in _lines_of(hunk)}
        around = {number: digest for hunk in self.file.hunks for number, digest in _context(hunk)}
        end = find_line_end(lines[0]) if lines else b"\n"
        for number, text in self._list_quoted(lines):
            is_free = 1 <= number <= len(lines) and number not in gone
            if is_free and around.get(number) in (None, hash_lines([text])):
                lines[number - 1] = text + end
        if is_bare:
            is_named = bytearray(len(lines) + 1)
            for number in filter(lambda at: at <= len(lines), {*gone, *around}):
                is_named[number] = 1
            for first, last in (each for edit, _ in self.edits for each in edit.base_lines):
                stop = min(last, len(lines)) + 1
                is_named[first:stop] = b"\1" * (stop - first)
            lines = [line if is_named[at] else _UNKNOWN for at, line in enumerate(lines, 1)]
        return self.found.bom + b"".join(lines)

    def _arrange(self) -> list[bytes]:
        """The lines of the file as it is now, moved so that each hunk is where it was made."""
        now = terminate(self.found).raw_lines
        lines: list[bytes] = []
        done = 0
        size: int | None = None
        for hunk, place in zip(
            self.file.hunks, anchor_hunks(self.found.data, self.file.hunks), strict=True
        ):
            lines += self._fit(now[done : place.start_line - 1], hunk.start_line - 1 - len(lines))
            lines += now[place.start_line - 1 : place.end_line]
            done = place.end_line
            size = len(hunk.after) if len(hunk.after) < CONTEXT else None
        for edit, asked in self.edits:
            if isinstance(asked, WriteFile):
                size = edit.base_lines[-1][1] - len(lines)
        return lines + self._fit(now[done:], len(now) - done if size is None else size)

    def _fit(self, lines: list[bytes], size: int) -> list[bytes]:
        """So many lines: without those in the middle, or with unknown ones there."""
        if size > MOST_LINES:
            raise InvalidInput(self.file.name, f"had more than {MOST_LINES} lines", _AGAIN)
        kept = max(min(size, len(lines)), 0)
        top = kept // 2
        return [
            *lines[:top],
            *[_UNKNOWN] * (size - kept),
            *lines[len(lines) - (kept - top) :],
        ]

    def _list_quoted(self, lines: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """The lines that edits say the file had, by number.

        A quotation may begin and end within a line, of which it says a part.
        """
        for edit, asked in self.edits:
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
                    yield from self._list_kept(Document(encode_text(asked.new_text)).lines)

    def _list_kept(self, text: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """The lines of a file's new text that its hunks have not written."""
        number, done = 1, 0
        for hunk in self.file.hunks:
            size = hunk.start_line - number
            yield from enumerate(text[done : done + size], number)
            done += size + len(Document(encode_text(hunk.new_text)).lines)
            number = hunk.end_line + 1
        yield from enumerate(text[done:], number)


def _lines_of(hunk: RecordedHunk) -> range:
    return range(hunk.start_line, hunk.end_line + 1)


def _context(hunk: RecordedHunk) -> Iterator[tuple[int, str]]:
    """The hashes of the lines around a hunk, by number."""
    yield from enumerate(hunk.before, hunk.start_line - len(hunk.before))
    yield from enumerate(hunk.after, hunk.end_line + 1)

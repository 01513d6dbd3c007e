"""What the hunks of an entry make of files, where they were recorded or moved.

Bytes come from the recorded hunks alone, never from the ladder, so every hkgit can derive an entry
of every ladder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import CHECKED, covers, is_empty, vouches
from hkgit.applying.hunk import apply_hunks
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    File,
    InsertAfter,
    ReplaceRange,
    Snapshot,
    Spec,
)
from hkgit.errors import HkgitError
from hkgit.evidence.anchors import HunkNotPlaced, reanchor_file
from hkgit.evidence.claims import mark, record_hunk
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.verdict import Finding
from hkgit.matching.place import Settings
from hkgit.text.document import (
    MOST_LINES,
    Document,
    Lines,
    has_too_many_lines,
    hash_lines,
    read_document,
)
from hkgit.text.line_map import LineMap
from hkgit.text.paths import check_new_path, check_path


def find_unexplained(
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
    from hkgit.applying.ranges import find_hash, lines_of_hash  # few commits are moved

    document, is_insertion = Document(file.data), isinstance(requested, InsertAfter)
    first, last = lines_of_hash(edit.base_lines[0], document, is_insertion=is_insertion)
    expected = requested.expected_hash
    return expected is not None and find_hash(document, last - first + 1, expected) == [first]


def _carry_edits(
    entry: Entry, spec: Spec, files: Snapshot, base_files: Snapshot
) -> dict[int, Lines | None]:
    """Where the line diff from the base leads each edit."""
    from hkgit.applying.planner import Options, plan  # few commits are moved

    options = Options(Settings(entry.threshold), relocate=True)
    carried = {}
    for outcome in plan(spec, base_files, options).outcomes:
        old, new = base_files.get(outcome.path), files.get(outcome.path)
        if outcome.error is None and old is not None and new is not None:
            lines = LineMap.between(old.data, new.data).carry(outcome.base_lines[0])
            carried[outcome.number] = lines
    return carried


class Wrong(HkgitError):
    """A finding, raised by the check that made it."""

    def __init__(self, rule: str, where: str, what: str, fix: str = "") -> None:
        super().__init__(where, what, fix or "Read the file again and let hkgit apply the spec.")
        self.rule = rule


def derive(entry: Entry, files: Snapshot) -> tuple[dict[str, File | None], list[Finding]]:
    """Derive the files that an entry changes, and find what is wrong.

    Nothing is derived of a file in which something is wrong.
    """
    findings = [*whole_findings(entry), *_find_too_long(entry, files)]
    if any(each.rule == "budget" for each in findings):
        return {}, findings
    return _derive(entry, files, findings, moved=[])


def _derive(
    entry: Entry, files: Snapshot, findings: list[Finding], moved: Sequence[RecordedFile]
) -> tuple[dict[str, File | None], list[Finding]]:
    """Derive each file, those that have moved by their anchors, and check each edit's evidence."""
    changed: dict[str, File | None] = {}
    for file in entry.files:
        try:
            changed.update(_derive_file(entry, file, files, is_moved=file in moved))
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
    gone = {path for file in moved for path in (file.path, file.new_path)}
    # The lines of a file are read once, however many edits refer to it.
    by_path = {edit.path: edit for edit in entry.edits if edit.path not in gone}
    bases = {path: find_base(entry, edit, files) for path, edit in by_path.items()}
    for edit in entry.edits:
        try:
            check_evidence(edit, bases.get(edit.path))
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
    return changed, findings


def _find_too_long(entry: Entry, files: Snapshot) -> Iterator[Finding]:
    """Find files of so many lines that judging them would exhaust the machine."""
    named = (file.path for file in entry.files if file.path is not None)
    for path in sorted({*named, *(edit.path for edit in entry.edits)}):
        file = files.get(path)
        if file is not None and has_too_many_lines(file.data):
            what = f"has more than {MOST_LINES} lines, which no entry may edit"
            yield Finding.at("budget", path, what, "Split the file, or commit it by hand.")


def whole_findings(entry: Entry) -> Iterator[Finding]:
    """Find what is wrong with an entry, whatever the files."""
    if not entry.files:
        yield Finding("surplus", "ledger entry", "it changes nothing", "Remove it.")
    if len(entry.files) < 2:
        return
    old = Counter(file.path for file in entry.files)
    new = Counter(file.new_path for file in entry.files)
    for path, count in (*old.items(), *new.items()):
        if path is not None and count > 1:
            fix = "Let hkgit apply the spec again."
            yield Finding("path", path, "two files of one entry have this path", fix)


def _derive_file(
    entry: Entry, file: RecordedFile, files: Snapshot, *, is_moved: bool
) -> dict[str, File | None]:
    """Derive one file, under its old path and its new one, at its anchors if it has moved.

    Raises Wrong.
    """
    check_file(file, files)
    before = files.get(file.path) if file.path is not None else None
    if not is_moved and mark(before) != file.before:
        what = "the file differs from the one that the entry was made on"
        raise Wrong("before", file.name, what)
    base = read_document(before.data if before is not None else b"")
    data = _reanchor(file, base) if is_moved else _bytes(file, base)
    for hunk in file.hunks:
        if is_moved:
            holds = hash_lines(hunk.plain.new_lines) == hunk.new_hash
        else:
            holds = record_hunk(base, hunk.plain) == hunk
        if not holds:
            raise Wrong("hash", _where(file, hunk), "a hash of this hunk does not match")
        check_coverage(entry, file, hunk)
    changed = _place(file, data)
    after = changed.get(file.new_path or "")
    if is_moved and after == before and file.path == file.new_path:
        raise Wrong("surplus", file.name, "the entry does not change it", "Remove it.")
    if file.new_path is not None and (mark(after) == file.after) is is_moved:
        if is_moved:
            raise Wrong("before", file.name, "the file differs from the one that it records")
        raise Wrong("after", file.new_path, "the hunks do not produce the bytes that it records")
    return changed


def _place(file: RecordedFile, data: bytes) -> dict[str, File | None]:
    """What is under the old path and the new one of a file with these bytes. Raises Wrong."""
    changed: dict[str, File | None] = {}
    if file.path is not None and file.path != file.new_path:
        changed[file.path] = None
    if file.new_path is not None and file.after is not None:
        changed[file.new_path] = File(data, file.after.mode)
    elif read_document(data).line_count:
        raise Wrong("after", file.name, "the file is deleted, but its hunks leave text")
    return changed


def check_file(file: RecordedFile, files: Snapshot) -> None:
    """Raise Wrong where a file may not be changed so, whatever its text."""
    if file.path == file.new_path and file.before == file.after:
        raise Wrong("surplus", file.name, "the entry does not change it", "Remove it.")
    _check_paths(file, files)
    for each in (file.before, file.after):
        if each is not None and each.mode not in (REGULAR, EXECUTABLE):
            raise Wrong("mode", file.name, f"mode {each.mode:06o} is not a regular file's")


def _check_paths(file: RecordedFile, files: Snapshot) -> None:
    try:
        for path in (file.path, file.new_path):
            if path is not None:
                check_path(path)
        if file.new_path is not None and file.new_path != file.path:
            check_new_path(file.new_path)
    except HkgitError as error:
        raise Wrong("path", error.where, error.what, error.fix) from error
    if file.new_path is not None and file.new_path != file.path:
        if files.get(file.new_path) is not None:
            raise Wrong("before", file.new_path, "already exists")
    elif file.path is None:
        raise Wrong("path", "ledger entry", "a file without a path")


def _bytes(file: RecordedFile, base: Document) -> bytes:
    try:
        hunks = [hunk.plain for hunk in file.hunks]
        return apply_hunks(base, hunks, is_terminated=file.final_newline)
    except IndexError as error:
        what = f"{error} are outside the file or out of order"
        raise Wrong("hunk", file.name, what) from error


def _reanchor(file: RecordedFile, base: Document) -> bytes:
    try:
        return reanchor_file(base.data, file.hunks, final_newline=file.final_newline)
    except HunkNotPlaced as error:
        found = {0: "nowhere", 1: "out of order"}.get(len(error.places), "in more than one place")
        what = f"the file has changed, and the hunk with its context is {found} in it"
        raise Wrong("anchor", _where(file, error.hunk), what, _AGAIN) from error


def _where(file: RecordedFile, hunk: RecordedHunk) -> str:
    return f"{file.name}:{hunk.start_line}-{hunk.end_line}"


def check_coverage(entry: Entry, file: RecordedFile, hunk: RecordedHunk) -> None:
    """Raise Wrong unless a hunk writes whole lines, and edits account for every line it touches."""
    where = _where(file, hunk)
    if hunk.new_text and not hunk.new_text.endswith("\n"):  # it would run into the next line
        raise Wrong("hunk", where, "its last line has no line end")
    ranges = [lines for edit in accountable(entry, file, hunk) for lines in edit.base_lines]
    if not _is_covered(hunk, ranges):
        raise Wrong("coverage", where, "no edit of the spec explains these lines")


def accountable(entry: Entry, file: RecordedFile, hunk: RecordedHunk) -> Iterator[RecordedEdit]:
    """List the edits that a hunk names, without those that change what another edit wrote."""
    for edit in entry.edits:
        is_within_other = edit.expected_hash is None and edit.evidence != "none" and _is_point(edit)
        is_here = edit.id in hunk.edits and edit.path in (file.path, file.new_path)
        if is_here and (file.before is None or not is_within_other):
            yield edit


def _is_point(edit: RecordedEdit) -> bool:
    return all(map(is_empty, edit.base_lines))


def _is_covered(hunk: RecordedHunk, ranges: Sequence[Lines]) -> bool:
    if hunk.start_line > hunk.end_line:
        return any(first <= hunk.start_line <= last + 1 for first, last in ranges)
    lines = range(hunk.start_line, hunk.end_line + 1)
    done = hunk.start_line
    for first, last in sorted(ranges):
        if first <= done <= last:
            done = last + 1
    return done >= lines.stop


def find_base(entry: Entry, edit: RecordedEdit, files: Snapshot) -> Document:
    """Find the base of the file that an edit names, old name or new; a new file's is empty."""
    found = files.get(edit.path)
    if found is None:
        moved = (f.path for f in entry.files if f.new_path == edit.path and f.path is not None)
        found = next(map(files.get, moved), None)
    return read_document(b"" if found is None else found.data)


def check_evidence(edit: RecordedEdit, base: Document | None) -> None:
    """Check that an expected hash holds where the entry says, and covers what the edit touches.

    Without a base, as that of a file that has moved, its lines are no more. Raises Wrong.
    """
    if edit.evidence not in CHECKED:
        return
    if edit.expected_hash is None and not _is_point(edit):
        raise Wrong("hash", edit.where, f"evidence {edit.evidence} without a hash")
    if edit.expected_hash is None or base is None:
        return
    for lines in _lines_of_hash(edit):
        if lines[1] > base.line_count or base.range_hash(*lines) != edit.expected_hash:
            what = f"the expected hash of lines {lines[0]}-{lines[1]} does not match"
            raise Wrong("hash", edit.where, what)
    if not _vouches(edit, base):
        what = "the expected hash is for other lines than the edit touches"
        raise Wrong("hash", edit.where, what)


def _lines_of_hash(edit: RecordedEdit) -> tuple[Lines, ...]:
    """The base lines of which an edit's hash is."""
    if edit.evidence_lines is not None:
        return (edit.evidence_lines,)
    return tuple(lines for lines in edit.base_lines if not is_empty(lines))


def _vouches(edit: RecordedEdit, base: Document) -> bool:
    if edit.evidence_lines is None:
        return bool(_lines_of_hash(edit))
    covered = all(covers(edit.evidence_lines, lines) for lines in edit.base_lines)
    return covered and vouches(base, edit.evidence_lines)


_AGAIN = "Let hkgit apply the spec again, on this base."


def is_moved(entry: Entry, files: Snapshot) -> bool:
    """Whether a file that the entry was made on is here with another text, and the same mode."""
    return any(_has_moved(file, files) for file in entry.files)


def _has_moved(file: RecordedFile, files: Snapshot) -> bool:
    found = None if file.path is None else files.get(file.path)
    if found is None or file.before is None or found.mode != file.before.mode:
        return False
    return mark(found) != file.before


def reanchor(entry: Entry, files: Snapshot) -> tuple[dict[str, File | None], list[Finding]]:
    """Derive an entry's files with its hunks at their places on another base; find what is wrong.

    A file that has not moved is derived as ever. Of one that has, the hashes of the evidence
    refer to lines that are no more; the hunks' own hashes hold instead, each at its only place.
    """
    moved = [file for file in entry.files if _has_moved(file, files)]
    return _derive(entry, files, [*whole_findings(entry)], moved)

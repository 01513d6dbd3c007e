"""What the hunks of an entry make of files, where they were recorded or moved.

Bytes come from the recorded hunks alone, never from the ladder, so every hkgit can derive an entry
of every ladder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hkgit.applying.evidence import CHECKED, covers, is_empty, vouches
from hkgit.applying.hunk import apply_hunks
from hkgit.edits import EXECUTABLE, REGULAR, File, Snapshot
from hkgit.errors import HkgitError
from hkgit.evidence.anchors import HunkNotPlaced, reanchor_file
from hkgit.evidence.claims import mark, record_hunk
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.verdict import Finding
from hkgit.text.document import (
    MOST_LINES,
    Document,
    Lines,
    has_too_many_lines,
    hash_lines,
    read_document,
)
from hkgit.text.paths import check_new_path, check_path
from hkgit.values import dataclass

_AGAIN = "Let hkgit apply the spec again, on this base."


class Wrong(HkgitError):
    """A finding, raised by the check that made it."""

    def __init__(self, rule: str, where: str, what: str, fix: str = "") -> None:
        super().__init__(where, what, fix or "Read the file again and let hkgit apply the spec.")
        self.rule = rule


@dataclass(frozen=True)
class Derived:
    """What an entry makes of files, by path, and what is wrong with it.

    It `has_moved` where a file that it was made on is here with another text.
    """

    files: Mapping[str, File | None]
    findings: Sequence[Finding]
    has_moved: bool = False


def derive(entry: Entry, files: Snapshot) -> Derived:
    """Derive the files that an entry changes, and find what is wrong.

    Of a file that has moved, the hashes of the evidence refer to lines that are no more. The
    hunks' own hashes hold instead, each at its only place. Nothing is derived of a file in which
    something is wrong.
    """
    findings = [*_whole_findings(entry), *_find_too_long(entry, files)]
    if any(each.rule == "budget" for each in findings):
        return Derived({}, findings)
    changed: dict[str, File | None] = {}
    moved: set[str] = set()
    for file in entry.files:
        before = None if file.path is None else files.get(file.path)
        found, recorded = mark(before), file.before
        is_here = found is not None and recorded is not None and found.mode == recorded.mode
        is_moved = is_here and found != recorded
        if is_moved:
            moved.update(file.paths)
        try:
            _check_file(file, files)
            if found != recorded and not is_moved:
                raise _refuse_other(file)
            changed |= _derive_file(entry, file, before, is_moved=is_moved)
        except Wrong as wrong:
            if wrong.rule == "anchor":
                findings.append(Finding.of("before", _refuse_other(file)))
            findings.append(Finding.of(wrong.rule, wrong))
    # The lines of a file, by its old name or its new one, are read once for all its edits.
    old_names = {file.new_path: file.path for file in entry.files if file.path is not None}
    bases = {
        path: Document.of(files.get(path) or files.get(old_names.get(path, path)))
        for path in {edit.path for edit in entry.edits} - moved
    }
    for edit in entry.edits:
        try:
            _check_evidence(edit, bases.get(edit.path))
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
    return Derived(changed, findings, bool(moved))


def _refuse_other(file: RecordedFile) -> Wrong:
    return Wrong("before", file.name, "the file differs from the one that the entry was made on")


def _find_too_long(entry: Entry, files: Snapshot) -> Iterator[Finding]:
    """Find files of so many lines that judging them would exhaust the machine."""
    named = (file.path for file in entry.files if file.path is not None)
    for path in sorted({*named, *(edit.path for edit in entry.edits)}):
        file = files.get(path)
        if file is not None and has_too_many_lines(file.data):
            what = f"has more than {MOST_LINES} lines, which no entry may edit"
            yield Finding.at("budget", path, what, "Split the file, or commit it by hand.")


def _whole_findings(entry: Entry) -> Iterator[Finding]:
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
    entry: Entry, file: RecordedFile, before: File | None, *, is_moved: bool
) -> dict[str, File | None]:
    """Derive one file, under its old path and its new one, at its anchors if it has moved.

    Raises Wrong.
    """
    base = Document.of(before)
    data = _reanchor(file, base) if is_moved else _bytes(file, base)
    for hunk in file.hunks:
        if is_moved:
            holds = hash_lines(hunk.plain.new_lines) == hunk.new_hash
        else:
            holds = record_hunk(base, hunk.plain) == hunk
        if not holds:
            raise Wrong("hash", _where(file, hunk), "a hash of this hunk does not match")
        _check_coverage(entry, file, hunk)
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


def _check_file(file: RecordedFile, files: Snapshot) -> None:
    """Raise Wrong where a file may not be changed so, whatever its text."""
    if file.path == file.new_path and file.before == file.after:
        raise Wrong("surplus", file.name, "the entry does not change it", "Remove it.")
    try:
        for path in file.paths:
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
    for each in (file.before, file.after):
        if each is not None and each.mode not in (REGULAR, EXECUTABLE):
            raise Wrong("mode", file.name, f"mode {each.mode:06o} is not a regular file's")


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


def _check_coverage(entry: Entry, file: RecordedFile, hunk: RecordedHunk) -> None:
    """Raise Wrong unless a hunk writes whole lines, and edits account for every line it touches."""
    where = _where(file, hunk)
    if hunk.new_text and not hunk.new_text.endswith("\n"):  # it would run into the next line
        raise Wrong("hunk", where, "its last line has no line end")
    ranges = [lines for edit in _list_editors(entry, file, hunk) for lines in edit.base_lines]
    if not _is_covered(hunk, ranges):
        raise Wrong("coverage", where, "no edit of the spec explains these lines")


def _list_editors(entry: Entry, file: RecordedFile, hunk: RecordedHunk) -> Iterator[RecordedEdit]:
    """List the edits that a hunk names, without those that change what another edit wrote."""
    for edit in entry.edits:
        is_within_other = edit.expected_hash is None and edit.evidence != "none" and _is_point(edit)
        is_here = edit.id in hunk.edits and edit.path in file.paths
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


def _check_evidence(edit: RecordedEdit, base: Document | None) -> None:
    """Check that an expected hash holds where the entry says, and covers what the edit touches.

    Without a base, as that of a file that has moved, its lines are no more. Raises Wrong.
    """
    if edit.evidence not in CHECKED:
        return
    if edit.expected_hash is None and not _is_point(edit):
        raise Wrong("hash", edit.where, f"evidence {edit.evidence} without a hash")
    if edit.expected_hash is None or base is None:
        return
    evidence = edit.evidence_lines
    named = [lines for lines in edit.base_lines if not is_empty(lines)]
    for lines in named if evidence is None else [evidence]:
        if lines[1] > base.line_count or base.range_hash(*lines) != edit.expected_hash:
            what = f"the expected hash of lines {lines[0]}-{lines[1]} does not match"
            raise Wrong("hash", edit.where, what)
    if evidence is None:
        is_covered = bool(named)
    else:
        is_covered = all(covers(evidence, lines) for lines in edit.base_lines)
        is_covered = is_covered and vouches(base, evidence)
    if not is_covered:
        what = "the expected hash is for other lines than the edit touches"
        raise Wrong("hash", edit.where, what)

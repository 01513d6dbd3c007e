"""moved.py: what an entry makes of files that are not those it was made on: a moved base."""

from __future__ import annotations

from hkgit.applying.evidence import CHECKED, is_empty
from hkgit.applying.hunks import Hunk
from hkgit.edits import File, Snapshot, encode_text
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.ledger.recording import mark
from hkgit.evidence.replay.derive import (
    Wrong,
    check_coverage,
    check_evidence,
    check_file,
    derive_file,
    find_base,
    whole_findings,
)
from hkgit.evidence.replay.findings import Finding
from hkgit.evidence.replay.reanchoring.anchors import HunkNotPlaced, reanchor_file
from hkgit.text.document import Document, hash_lines

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
    speak of lines that are no more; the hunks' own hashes hold instead, each at its only place.
    """
    changed: dict[str, File | None] = {}
    findings = [*whole_findings(entry)]
    moved: set[str | None] = set()
    for file in entry.files:
        try:
            if _has_moved(file, files):
                moved |= {file.path, file.new_path}
                changed.update(_derive_moved_file(entry, file, files))
            else:
                changed.update(derive_file(entry, file, files))
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
    for edit in entry.edits:
        try:
            _check_evidence(entry, edit, files, is_moved=edit.path in moved)
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
    return changed, findings


def _derive_moved_file(entry: Entry, file: RecordedFile, files: Snapshot) -> dict[str, File | None]:
    check_file(file, files)
    before = files.get(file.path or "")
    data = b"" if before is None else before.data
    try:
        after = reanchor_file(data, file.hunks, final_newline=file.final_newline)
    except HunkNotPlaced as error:
        raise _report_unplaced(file, error) from error
    result = File(after, file.after.mode) if file.after is not None else None
    if result == before and file.path == file.new_path:
        raise Wrong("surplus", file.name, "the entry does not change it", "Take it out.")
    for hunk in file.hunks:
        check_coverage(entry, file, hunk)
        if hash_lines(_new_lines(hunk)) != hunk.new_hash:
            raise Wrong("hash", _where(file, hunk), "a hash of this hunk does not hold")
    changed: dict[str, File | None] = {}
    if file.path is not None and file.path != file.new_path:
        changed[file.path] = None
    if file.new_path is not None:
        changed[file.new_path] = result
        if mark(result) == file.after:  # of another text the hunks make another one
            raise Wrong("before", file.name, "the file is not the one that it records")
    elif Document(after).line_count:
        raise Wrong("after", file.name, "the file is gone, but its hunks leave text", _AGAIN)
    return changed


def _new_lines(hunk: RecordedHunk) -> tuple[bytes, ...]:
    return Hunk(hunk.start_line, hunk.end_line, encode_text(hunk.new_text), hunk.edits).new_lines


def _where(file: RecordedFile, hunk: RecordedHunk) -> str:
    return f"{file.name}:{hunk.start_line}-{hunk.end_line}"


def _report_unplaced(file: RecordedFile, error: HunkNotPlaced) -> Wrong:
    hunk: RecordedHunk = error.hunk
    count = len(error.places)
    found = {0: "nowhere", 1: "out of order"}.get(count, "in more than one place")
    what = f"the file has changed, and the hunk with its context stands {found} in it"
    return Wrong("anchor", _where(file, hunk), what, _AGAIN)


def _check_evidence(entry: Entry, edit: RecordedEdit, files: Snapshot, *, is_moved: bool) -> None:
    if not is_moved:
        check_evidence(edit, find_base(entry, edit, files))
        return
    is_bare = edit.expected_hash is None and not all(map(is_empty, edit.base_lines))
    if edit.evidence in CHECKED and is_bare:
        raise Wrong("hash", edit.where, f"evidence {edit.evidence} without a hash")

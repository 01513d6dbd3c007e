"""moved.py: what an entry makes of files that are not those it was made on: a moved base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import HASHED, is_empty
from hkgit.applying.hunks import Hunk
from hkgit.edits import AnyEdit, File, Snapshot, encode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.ledger.recording import mark
from hkgit.evidence.replay.derive import (
    Wrong,
    accountable,
    check_coverage,
    check_evidence,
    check_file,
    derive_file,
    find_base,
    whole_findings,
)
from hkgit.evidence.replay.findings import Finding
from hkgit.evidence.replay.reanchoring.anchors import HunkNotPlaced, anchor_hunks, reanchor_file
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


def find_unrequested(entry: Entry, files: Snapshot) -> list[Finding]:
    """Find what an entry does and its edits do not say, told without the ladder (see `said`).

    Asked of an entry that is derived of these files, or reanchored in them.
    """
    findings = []
    for file in entry.files:
        try:
            _check_requested(entry, file, files)
        except Wrong as wrong:
            findings.append(Finding.of(wrong.rule, wrong))
        except InvalidInput as error:
            what = f"the recorded spec is refused: {error.what}"
            findings.append(Finding("decoy", file.name, what, _AGAIN))
    return findings


def _check_requested(entry: Entry, file: RecordedFile, files: Snapshot) -> None:
    # Only here are the dialects needed.
    from hkgit.evidence.replay.reanchoring.unclaimed import (
        changes_text,
        find_unrequested_change,
        parse_edits,
    )

    own = parse_edits(edit for edit in entry.edits if edit.path in (file.path, file.new_path))
    fate = find_unrequested_change(own, file)
    if fate is not None:
        raise Wrong("decoy", file.name, f"{fate}, and no edit of the spec says so", _AGAIN)
    for hunk, old in zip(file.hunks, _lines_replaced(file, files), strict=True):
        edits = [*filter(changes_text, parse_edits(accountable(entry, file, hunk)))]
        what = _beside_words(edits, old, _new_lines(hunk))
        if what is not None:
            raise Wrong("decoy", _where(file, hunk), what, _AGAIN)


def _beside_words(
    edits: Sequence[AnyEdit], old: Sequence[bytes], new: Sequence[bytes]
) -> str | None:
    """Describe what a hunk changes that its edits do not ask for; None where they ask for all."""
    from hkgit.evidence.replay.reanchoring.unclaimed import (
        find_unquoted_lines,
        find_unrequested_lines,
    )

    if not edits:
        return "no edit of the spec says this"
    for line in find_unrequested_lines(edits, old, new):
        return f"no edit of the spec says {_show_line(line)}"
    for line in find_unquoted_lines(edits, old, new):
        return f"takes {_show_line(line)} away, which no edit of the spec quotes"
    return None


def _show_line(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))


def _lines_replaced(file: RecordedFile, files: Snapshot) -> Iterator[Sequence[bytes]]:
    """List the old lines that each hunk of a file replaces, without their ends."""
    found = None if file.path is None else files.get(file.path)
    data = b"" if found is None else found.data
    places = anchor_hunks(data, file.hunks) if _has_moved(file, files) else file.hunks
    for place in places:
        yield Document(data).lines[place.start_line - 1 : place.end_line]


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
    if edit.evidence in HASHED and is_bare:
        raise Wrong("hash", edit.where, f"evidence {edit.evidence} without a hash")

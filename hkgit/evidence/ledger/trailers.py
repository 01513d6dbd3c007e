"""trailers.py: write and read the trailers that show evidence in a commit message.

An unverified view: the record is the ledger entry. How messages are read: `footers`.
"""

from __future__ import annotations

from collections import Counter

from hkgit.applying.evidence import KINDS, LATE
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.matching.places import format_confidence
from hkgit.text.paths import quote_path

MAX_EDIT_LINES = 10


def render_trailers(entry: Entry, entry_id: str) -> tuple[str, ...]:
    """Write the trailers of one entry, `Hkgit-Edit` at most ten times."""
    named = [f"Hkgit-Entry: sha256:{entry_id}"]
    if entry.base is not None:
        named.append(f"Hkgit-Base: {entry.base}")
    edits = entry.edits
    kinds = Counter(edit.evidence for edit in edits)
    told = (kind for kind in KINDS if kind != LATE or kinds[kind])
    counts = " ".join(f"{kind}={kinds[kind]}" for kind in told)
    tiers = Counter(edit.tier for edit in edits)
    named += [
        f"Hkgit-Agent: {entry.agent}",
        f"Hkgit-Evidence: edits={len(edits)} {counts} files={len(entry.files)}",
        "Hkgit-Tiers: " + " ".join(f"{tier}={count}" for tier, count in tiers.items()),
    ]
    sure = format_confidence(min(edit.confidence for edit in edits), "Hkgit-Confidence: ")
    named += [sure] if sure else []
    files = {file.path: file for file in entry.files if file.path is not None}
    for edit in edits[:MAX_EDIT_LINES]:
        named.append(f"Hkgit-Edit: {_edit_line(edit, files.get(edit.path))}")
    return tuple(named)


def _edit_line(edit: RecordedEdit, file: RecordedFile | None) -> str:
    """One edit on one line: path, base range, hash, tier, confidence below 1.00."""
    digits = "-" if edit.expected_hash is None else edit.expected_hash[:12]
    where = f"{quote_path(edit.path)}:{_range(edit, file)}"
    return f"{where} {digits} {edit.tier}{format_confidence(edit.confidence, ' ')}"


def _range(edit: RecordedEdit, file: RecordedFile | None) -> str:
    if edit.tier == "file":
        if file is None:
            return "new"
        if file.new_path is None:
            return "gone"
        if file.new_path != edit.path:
            return f"-> {quote_path(file.new_path)}"
    first, last = edit.base_lines[0][0], edit.base_lines[-1][1]
    return f"{first}-{last}" if first <= last else f"{last}+"

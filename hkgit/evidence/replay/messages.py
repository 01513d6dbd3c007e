"""messages.py: what a commit message says of hkgit, held against the entries the commit adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.evidence.ledger.footers import read_trailers
from hkgit.evidence.ledger.trailers import render_trailers
from hkgit.evidence.replay.findings import CandidateCommit, Entries, Finding


def message_findings(
    candidate: CandidateCommit, entries: Entries, *, is_strict: bool
) -> Iterator[Finding]:
    """Check that trailers name entries that the commit adds, and say of one what is true."""
    trailers = read_trailers(candidate.message or b"")
    for name in _not_added(trailers.entries, entries):
        what = f"Hkgit-Entry names {name[:12]}, which this commit does not add"
        yield Finding("trailer", "message", what, "Take the trailer out.")
    if is_strict and entries:
        true = {line for name, entry in entries for line in render_trailers(entry, name)}
        for line in sorted(set(trailers.lines) - true):
            what = f"the entry does not say {line[:80]!r}"
            yield Finding("trailer", "message", what, "Take the trailer out, or put it right.")


def find_stray_trailers(candidate: CandidateCommit, entries: Entries = ()) -> tuple[str, ...]:
    """List what a message shows of hkgit's keys that stands for nothing."""
    trailers = read_trailers(candidate.message or b"")
    missing = (
        f"the message names entry {name[:12]}, which the commit does not add"
        for name in _not_added(trailers.entries, entries)
    )
    return (*trailers.faults, *missing)


def _not_added(names: Sequence[str], entries: Entries) -> list[str]:
    ids = {entry_id for entry_id, _ in entries}
    return [name for name in names if name not in ids]

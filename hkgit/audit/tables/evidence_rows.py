"""evidence_rows.py: the rows of refusals and of reads, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from hkgit.applying.evidence import covers
from hkgit.audit.commits import AuditedCommit, fold_agent
from hkgit.edits import Read
from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.refusals import RefusedAttempt
from hkgit.text.escaping import to_json_text, visible

Row = dict[str, Any]
Rows = dict[str, list[Row]]
"""Rows by the name of their table. Of a commit: exactly one in `commits`."""


_MOST = 10**9


def list_refusals(commit: AuditedCommit) -> Iterator[Row]:
    """List the refusals that its entries claim; a claim may be anything."""
    for _, entry in commit.ruling.judged.entries:
        claimed = entry.claims.get("refusals")
        for each in claimed if isinstance(claimed, list) else ():
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                yield _claim(commit.id, entry, each)


def _claim(commit: str, entry: Entry, claim: dict[str, Any]) -> Row:
    time, tries = claim.get("time"), claim.get("tries")
    return {
        "refusal": visible(claim["id"]),
        "commit": commit,
        "landed": commit,
        "source": "ledger",
        "time": to_moment(time) if isinstance(time, int) else None,
        "agent": fold_agent(visible(entry.agent)),
        "call": None,
        "path": to_json_text(str(claim.get("path", ""))),
        "status": visible(str(claim.get("status", ""))),
        "reason": None,
        "tries": tries if isinstance(tries, int) and 0 < tries < _MOST else 1,
    }


def make_rows_of_clone(attempts: Iterable[RefusedAttempt]) -> list[Row]:
    """Make the rows of the refusals that a clone has noted; no commit carries them."""
    return [
        {
            "refusal": visible(each.id),
            "commit": None,
            "landed": each.landed,
            "source": "clone",
            "time": to_moment(each.time),
            "agent": fold_agent(visible(each.agent)),
            "call": visible(each.call),
            "path": to_json_text(each.path),
            "status": visible(each.status),
            "reason": visible(each.reason),
            "tries": each.tries,
        }
        for each in attempts
    ]


def list_reads(commit: AuditedCommit) -> Iterator[Row]:
    for name, entry in commit.ruling.judged.entries:
        for number, each in enumerate(entry.reads):
            yield {
                "commit": commit.id,
                "entry": name,
                "read": number,
                "path": to_json_text(each.path),
                "first_line": each.start_line,
                "last_line": each.end_line,
                "range_hash": each.range_hash,
                "kind": each.kind,
                "hunks_covered": _count_covered(entry, each),
            }


def _count_covered(entry: Entry, read: Read) -> int:
    """Count how many net hunks of its file a reading covers."""
    hunks = (hunk for file in entry.files if file.path == read.path for hunk in file.hunks)
    if read.start_line is None or read.end_line is None:
        return sum(1 for _ in hunks)
    seen = read.start_line, read.end_line
    return sum(covers(seen, (each.start_line, each.end_line)) for each in hunks)


def to_moment(seconds: float) -> str | None:
    """Write a moment in UTC, as DuckDB reads it; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()
    except (ValueError, OverflowError, OSError):
        return None

"""Results of a session as JSON (`hkgit schema read`, `answer`, `status`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hkgit.sessions.answers import EditReport, Status
from hkgit.sessions.knowledge import Reading
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import JsonObject

if TYPE_CHECKING:
    from hkgit.sessions.end import SessionState


def reading_json(reading: Reading) -> JsonObject:
    """Write lines of a file as JSON; keys without a value are left out."""
    fields: JsonObject = {
        "path": to_json_text(reading.path),
        "start_line": reading.start_line,
        "end_line": reading.end_line,
        "total_lines": reading.total_lines,
        "range_hash": reading.range_hash,
        "range_lines": reading.lines,
    }
    more: JsonObject = {"mime": reading.mime, "next_line": reading.next_line}
    if reading.kind != "text":
        more["kind"] = reading.kind
    if reading.has_receipt:
        more["has_receipt"] = True
    if reading.tags is not None:
        more["tagged_lines"] = reading.shown
    return fields | {name: value for name, value in more.items() if value is not None}


def call_json(answer: EditReport) -> JsonObject:
    """Write what a session keeps of a call of `edit`: its name, a waiting batch, blind edits."""
    blind = [
        {
            "number": each.number,
            "path": to_json_text(each.path),
            "lines": [*each.lines],
            "read": to_json_text(each.command),
        }
        for each in answer.blind
    ]
    files = sorted(to_json_text(path) or "" for path in answer.files)
    return {"call": answer.call, "batch": answer.batch, "files": files, "blind": blind}


def session_json(state: SessionState) -> JsonObject:
    """Write one session of a checkout as JSON."""
    return {
        "session": state.name,
        "agents": list(state.agents),
        "call_count": state.calls,
        "waiting": state.waiting,
        "waiting_blind": state.blind,
        "last_used": state.last_used,
        "ended": state.is_ended,
        "expires": state.expires,
        "damage": state.damage,
    }


def status_json(status: Status) -> JsonObject:
    """Write the status of a session as JSON."""
    calls = [
        {
            "call": each.id,
            "time": each.time,
            "agent": each.agent,
            "edits": each.edits,
            "blind": each.blind,
            "committed": each.committed,
            "files": [to_json_text(path) for path in each.files],
            "undone": each.is_undone,
        }
        for each in status.calls
    ]
    receipts = [
        {
            "path": to_json_text(read.path),
            "start_line": read.start_line,
            "end_line": read.end_line,
            "range_hash": read.range_hash,
        }
        for read in status.receipts
    ]
    return {
        "session": status.session,
        "calls": calls,
        "receipts": receipts,
        "uncommitted": status.uncommitted,
        "blind": status.blind,
        "coverage": status.coverage,
        "batches": list(status.batches),
    }

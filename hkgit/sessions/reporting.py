"""reporting.py: what a desk answers, as the published JSON (`hkgit schema read` and `answer`)."""

from __future__ import annotations

from typing import Any

from hkgit.applying.reporting import shown_text
from hkgit.sessions.answers import Answer
from hkgit.sessions.reading import Reading


def reading_json(reading: Reading) -> dict[str, Any]:
    """Lines of a file as JSON; what there is nothing to say of is left out."""
    said: dict[str, Any] = {
        "path": shown_text(reading.path),
        "start_line": reading.start_line,
        "end_line": reading.end_line,
        "total_lines": reading.total_lines,
        "range_hash": reading.range_hash,
        "range_lines": reading.lines,
    }
    more: dict[str, Any] = {"mime": reading.mime, "next_line": reading.next_line}
    if reading.kind != "text":
        more["kind"] = reading.kind
    if reading.has_receipt:
        more["has_receipt"] = True
    if reading.tags is not None:
        more["tagged_lines"] = reading.shown
    return said | {name: value for name, value in more.items() if value is not None}


def kept_json(answer: Answer) -> dict[str, Any]:
    """What a session keeps of a call of `edit`: its name, a batch that waits, blind edits."""
    blind = [
        {
            "number": each.number,
            "path": shown_text(each.path),
            "lines": [*each.lines],
            "read": shown_text(each.command),
        }
        for each in answer.blind
    ]
    files = sorted(shown_text(path) or "" for path in answer.files)
    return {"call": answer.call, "batch": answer.batch, "files": files, "blind": blind}

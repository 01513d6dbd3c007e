"""plain.py: a log in hkgit's own plain form, for whatever else keeps one.

One JSON object a line: `{"file": path, "before": text or null, "call": spec, "after": text}`.
`call` is what was sent, as text in any dialect or as the JSON it was; `after` is what the file
said then, null where the tool refused, left out where that is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from hkgit.agents.transcripts.events import Called
from hkgit.agents.transcripts.fields import Line, Record, text


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return {"file", "before", "call"} <= set(record)


def events(lines: Sequence[Line]) -> Iterator[Called]:
    """Yield every call; each has all that is known of it."""
    for line in lines:
        record = line.record
        path, call = text(record.get("file")), record.get("call")
        if path is None or call is None:
            continue
        spec = call if isinstance(call, str) else json.dumps(call)
        after = text(record.get("after"))
        yield Called(
            where=line.where,
            tool=text(record.get("tool")) or "call",
            spec=spec,
            dialect="auto",
            root=text(record.get("root")),
            before={path: text(record.get("before"))},
            after=None if after is None else {path: after},
            applied=None if "after" not in record else after is not None,
        )

"""attached.py: find the files that Claude Code shows its model without a call of a tool.

Files of the prompt (`@file`) and instructions (CLAUDE.md) are attachments in its transcript. Those
that stand behind the answer which asks for a call were not there yet when that was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from hkgit.agents.events import END, ToolReading
from hkgit.agents.shown.turns import read_backwards
from hkgit.text.json_nodes import JsonObject

_KINDS = (b'"file"', b'"instructions"', b'"nested_memory"')


def find_attached(transcript: Path) -> list[ToolReading]:
    """Find what was attached before the last answer of the model, with the lines that it shows."""
    found: list[ToolReading] = []
    answer: object = None
    for line in read_backwards(transcript):
        is_attached = b'"attachment"' in line and any(kind in line for kind in _KINDS)
        if not is_attached and b'"assistant"' not in line:
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        if record.get("type") == "assistant":
            name = _table(record.get("message")).get("id")
            answer = answer or name
            if name == answer:
                found.clear()
        elif is_attached:
            found += list_attached(record)
    return found


def list_attached(record: JsonObject) -> Iterator[ToolReading]:
    """List the files that one line of a transcript attaches."""
    attached = _table(record.get("attachment"))
    match attached.get("type"):
        case "file":
            file = _table(_table(attached.get("content")).get("file"))
            yield from _read(file.get("filePath"), file.get("content"), file.get("startLine"))
        case "nested_memory":
            yield from _read(attached.get("path"), _table(attached.get("content")).get("content"))
        case "instructions":
            files = attached.get("files")
            for each in map(_table, files if isinstance(files, list) else ()):
                yield from _read(each.get("path"), each.get("content"))


def _read(path: object, content: object, first: object = 1) -> Iterator[ToolReading]:
    if isinstance(path, str) and isinstance(content, str) and isinstance(first, int):
        yield ToolReading(path, max(first, 1), END, content)


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}

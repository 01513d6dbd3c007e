"""claude_code.py: the sessions that Claude Code keeps, one JSON object a line.

A call is a block `tool_use` of an assistant's message; its result is a block `tool_result` of a
later user's message, beside which `toolUseResult` tells of the file: `originalFile` (of MultiEdit
`originalFileContents`) is what it said before, `file` what was read of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from hkgit.agents.transcripts.events import Called, Event, Files, Ran, Seen
from hkgit.agents.transcripts.fields import Line, Record, inside, table, tables, text
from hkgit.values import dataclass

DIALECT = "text-editor"
EDITS = ("Edit", "MultiEdit", "Write")
COMMANDS = ("Bash", "BashOutput", "Task")


@dataclass(frozen=True, slots=True)
class _Result:
    """What came of a call: whether it failed, and what the log tells of the file."""

    is_error: bool
    detail: Record


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    is_kind = record.get("type") in ("user", "assistant", "summary", "file-history-snapshot")
    return is_kind and ("sessionId" in record or "uuid" in record or "leafUuid" in record)


def events(lines: Sequence[Line]) -> Iterator[Event]:
    """Yield what happened, call by call; a call whose result is not in the log is left out."""
    results = dict(_results(lines))
    for line in lines:
        root = text(line.record.get("cwd"))
        for block in _blocks(line, "tool_use"):
            result = results.get(block.get("id"))
            if result is not None:
                yield from _call(line.where, root, block, result)


def _results(lines: Sequence[Line]) -> Iterator[tuple[object, _Result]]:
    for line in lines:
        for block in _blocks(line, "tool_result"):
            is_error = block.get("is_error") is True
            detail = table(line.record.get("toolUseResult"))
            yield block.get("tool_use_id"), _Result(is_error, detail)


def _blocks(line: Line, kind: str) -> Iterator[Record]:
    blocks = tables(table(line.record.get("message")).get("content"))
    return (block for block in blocks if block.get("type") == kind)


def _call(where: str, root: str | None, block: Record, result: _Result) -> Iterator[Event]:
    tool, sent = block.get("name"), table(block.get("input"))
    if tool in COMMANDS:
        yield Ran()
    path = text(sent.get("file_path"))
    if path is None or tool not in (*EDITS, "Read"):
        return
    known = inside(path, root)
    if tool == "Read":
        yield from [] if known is None else _read(known, result)
        return
    before = _before(str(tool), known, result)
    after = None if known is None else _after(known, sent, before, result)
    yield Called(
        where=where,
        tool=str(tool),
        spec=json.dumps(sent),
        dialect=DIALECT,
        root=root,
        before=before,
        after=after,
        applied=not result.is_error,
        hindrance=None if known is not None else "the file is outside the directory of the session",
    )


def _read(path: str, result: _Result) -> Iterator[Seen]:
    """Read the content of a file that was read from its first line to its last."""
    file = table(result.detail.get("file"))
    content = text(file.get("content"))
    is_whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
    if content is not None and is_whole:
        yield Seen(path, content)


def _before(tool: str, path: str | None, result: _Result) -> Files | None:
    """What the file said, where the result tells; a file that was made was not there."""
    detail = result.detail
    if path is None or not detail:
        return None
    content = text(detail.get("originalFile")) or text(detail.get("originalFileContents"))
    if content is not None:
        return {path: content}
    is_new = tool == "Write" and detail.get("type") == "create"
    return {path: None} if is_new else None


def _after(path: str, sent: Record, before: Files | None, result: _Result) -> Files | None:
    """What the file said then; None where a person changed it first, or it cannot be told."""
    if result.is_error or result.detail.get("userModified") is True:
        return None
    if "content" in sent:
        return {path: text(sent["content"])}
    content = None if before is None else before[path]
    for edit in [*tables(sent.get("edits"))] or [sent]:
        old, new = text(edit.get("old_string")), text(edit.get("new_string"))
        if content is None or not old or new is None or old not in content:
            return None
        content = content.replace(old, new, -1 if edit.get("replace_all") is True else 1)
    return {path: content}

"""The sessions of Claude Code, `~/.claude/projects/*/*.jsonl`.

A call is told once its result is: a block `tool_result`, beside which `toolUseResult` tells of
the file. Lines of sub-agents name them (`agentId`); a session that was resumed repeats the lines of
the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from hkgit.agents.events import Shell
from hkgit.agents.lookups import list_attached
from hkgit.agents.transcripts.claude_stream import ClaudeStream
from hkgit.agents.transcripts.json_fields import Line, Record, parse_time, table, tables, text
from hkgit.agents.transcripts.log_diffs import structured_diff
from hkgit.agents.transcripts.logged_call import (
    EditCall,
    LoggedCall,
    ReadCall,
    parse_numbered,
)

NAME = "claude-code"
_KINDS = ("user", "assistant", "summary", "system", "attachment", "progress")


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    is_kind = record.get("type") in (*_KINDS, "file-history-snapshot", "queue-operation")
    names = {"sessionId", "uuid", "leafUuid", "messageId", "session_id"}
    return is_kind and not names.isdisjoint(record)


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record, str]] = {}
    stream = ClaudeStream()
    for each in lines:
        line = stream.unify(each)
        side = text(line.record.get("agentId")) or ""
        if line.record.get("isSidechain") is True and not side:
            continue  # which sub-agent has seen it is not told
        yield from _list_attached(line, side)
        for block in tables(table(line.record.get("message")).get("content")):
            if block.get("type") == "tool_use":
                pending[block.get("id")] = line, block, side
            elif block.get("type") == "tool_result" and block.get("tool_use_id") in pending:
                asked = pending.pop(block.get("tool_use_id"))
                yield from _call(*asked, line.record, block)


def _call(
    asked: Line, block: Record, own: str, answer: Record, result: Record
) -> Iterator[LoggedCall]:
    if result.get("is_error") is True:
        return
    did = _did(str(block.get("name")), table(block.get("input")), answer, result)
    if did is None:
        return
    record = asked.record
    session = text(record.get("sessionId")) or "unnamed"
    yield LoggedCall(
        time=parse_time(answer.get("timestamp") or record.get("timestamp")),
        conversation=f"{session[:18]}-{own}" if own else session,
        agent=f"claude-code/{text(record.get('version')) or 'unknown'}",
        directory=text(record.get("cwd")) or "",
        where=asked.where,
        id=str(block.get("id")),
        tool=str(block.get("name")),
        did=did,
        turn=text(table(record.get("message")).get("id")) or "",
    )


def _list_attached(line: Line, side: str) -> Iterator[LoggedCall]:
    """List the files that the model was shown without a call: `@file`, CLAUDE.md."""
    record = line.record
    if record.get("type") != "attachment":
        return
    session = text(record.get("sessionId")) or "unnamed"
    for number, read in enumerate(list_attached(record)):
        yield LoggedCall(
            time=parse_time(record.get("timestamp")),
            conversation=f"{session[:18]}-{side}" if side else session,
            agent=f"claude-code/{text(record.get('version')) or 'unknown'}",
            directory=text(record.get("cwd")) or "",
            where=line.where,
            id=f"{text(record.get('uuid')) or line.where}.{number}",
            tool="attachment",
            did=ReadCall(read.path, read.start_line, tuple((read.answer or "").split("\n"))),
        )


def _did(
    tool: str, sent: Record, answer: Record, result: Record
) -> ReadCall | EditCall | Shell | None:
    detail = answer.get("toolUseResult")
    if isinstance(detail, str) and detail.startswith("Error"):
        return None
    details, name = table(detail), text(sent.get("file_path"))
    if details.get("staged") is True:
        return None  # held for somebody's review: the file is as it was
    if tool == "Bash":
        changed = _shell_edit(table(details.get("bashEditDiff")))
        if changed is not None:
            return changed
        return Shell(text(sent.get("command")) or "", said_in(result.get("content")))
    if tool == "NotebookEdit":
        return _notebook(sent, details)
    if name is None:
        return None
    match tool:
        case "Read":
            return _read(name, details, said_in(result.get("content")))
        case "Write":
            return _write(name, sent, details)
        case "Edit" | "MultiEdit" | "Update":
            return _edit(name, sent, details)
    return None


def said_in(content: object) -> str:
    """Return the text of a result, whether it is one string or blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block.get("text")) or "" for block in tables(content))


def _read(name: str, details: Record, output: str) -> ReadCall | None:
    """What was shown of a file: as the log tells it beside the result, else from the result."""
    file = table(details.get("file"))
    content, start = text(file.get("content")), file.get("startLine")
    if content is None or not isinstance(start, int):
        return parse_numbered(name, output)
    lines = tuple(content.split("\n"))
    count = file.get("numLines")
    if isinstance(count, int) and 0 <= count < len(lines):
        lines = lines[:count]
    is_whole = start == 1 and count == file.get("totalLines")
    return ReadCall(name, max(start, 1), lines, content if is_whole else None)


def _write(name: str, sent: Record, details: Record) -> EditCall | None:
    content = text(sent.get("content"))
    if content is None:
        return None
    before = text(details.get("originalFile"))
    is_new = details.get("type") == "create" and before is None
    known = {name: before} if before is not None or is_new else None
    spec = json.dumps({"file_path": name, "content": content})
    if details.get("userModified") is True:
        return EditCall(
            names=(name,), text=spec, dialect="text-editor", before=known, is_final=False
        )
    return EditCall(
        names=(name,), text=spec, dialect="text-editor", before=known, after={name: content}
    )


def _edit(name: str, sent: Record, details: Record) -> EditCall | None:
    """Read a replacement, as the tool made it: what was sent may have been quoted loosely."""
    replaced = _find_replacements(sent, details)
    if not replaced:
        return None
    edits = [
        {"old_string": old, "new_string": new} | ({"replace_all": True} if is_all else {})
        for old, new, is_all in replaced
    ]
    one = {"file_path": name}
    spec = json.dumps(one | edits[0] if len(edits) == 1 else one | {"edits": edits})
    before = text(details.get("originalFile"))
    before = before if before is not None else text(details.get("originalFileContents"))
    is_final = details.get("userModified") is not True
    # The new text is told as it was sent; what was written (other quotes) only the diff tells.
    hunks = structured_diff(details.get("structuredPatch")) if is_final else ()
    return EditCall(
        names=(name,),
        text=spec,
        dialect="text-editor",
        before=None if before is None else {name: before},
        replacements=replaced,
        is_final=is_final,
        hunks={name: hunks} if hunks else None,
    )


def _find_replacements(sent: Record, details: Record) -> tuple[tuple[str, str, bool], ...]:
    """Find old texts, new texts and whether all places are meant; nothing if one is missing."""
    parts = [*tables(sent.get("edits"))]
    if "edits" not in sent:
        old = details.get("oldString", sent.get("old_string"))
        new = details.get("newString", sent.get("new_string"))
        parts = [{"old_string": old, "new_string": new, "replace_all": sent.get("replace_all")}]
    found = [
        (old, new, part.get("replace_all") is True)
        for part in parts
        if (old := text(part.get("old_string"))) is not None
        if (new := text(part.get("new_string"))) is not None
    ]
    return tuple(found) if len(found) == len(parts) else ()


def _shell_edit(diff: Record) -> EditCall | None:
    """What a command has changed; files of which the log tells no more are changed, too."""
    files = {
        name: file for file in tables(diff.get("files")) if (name := text(file.get("filePath")))
    }
    listed = diff.get("changedFiles")
    others = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = tuple(dict.fromkeys([*files, *others]))
    if not names:
        return None
    created = {name: None for name, file in files.items() if file.get("created") is True}
    gone = {name: None for name, file in files.items() if file.get("deleted") is True}
    hunks = {
        name: structured_diff(file.get("hunks")) for name, file in files.items() if name not in gone
    }
    return EditCall(
        names=names,
        text=None,
        dialect="text-editor",
        before=created or None,
        after=gone or None,
        hunks=hunks,
    )


def _notebook(sent: Record, details: Record) -> EditCall | None:
    name = text(sent.get("notebook_path")) or text(details.get("notebook_path"))
    before, after = text(details.get("original_file")), text(details.get("updated_file"))
    if name is None or before is None or after is None:
        return None
    return EditCall(
        names=(name,), text=None, dialect="text-editor", before={name: before}, after={name: after}
    )

"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl`.

A message repeats, with the calls that it has got since; each tells the file before and after. The
directory stands in the first message, else in a hash of the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import PurePath

from hkgit.agents.events import Editing, Shell, ToolReading
from hkgit.agents.hooks import gemini, qwen
from hkgit.agents.transcripts.json_fields import Line, Record, parse_time, table, tables, text
from hkgit.agents.transcripts.logged_call import EditCall, LoggedCall, ReadCall

NAME = "gemini-cli"

_WORKSPACE = re.compile(r"Workspace Directories:\*\*\s*\n\s*- (.+)")
_CUT = re.compile(r"Showing lines (\d+)-(\d+) of \d+ total lines")
_MARK = "--- FILE CONTENT (truncated) ---\n"
_SHELL = re.compile(
    r"(?:\A|\n)Output: (.*?)"
    r"(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): .*)?"
    r"(?:\n</untrusted_context>\s*)?\Z",
    re.DOTALL,
)


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "projectHash" in record and "sessionId" in record


class _Chat:
    """What a log has said of its session so far."""

    def __init__(self) -> None:
        self.id = "unnamed"
        self.project: str | None = None
        self.directory = ""

    def hear(self, record: Record) -> None:
        """Take what a line says of the session."""
        self.id = text(record.get("sessionId")) or self.id
        self.project = text(record.get("projectHash")) or self.project
        if not self.directory and record.get("type") == "user":
            words = "\n".join(
                text(part.get("text")) or "" for part in tables(record.get("content"))
            )
            found = _WORKSPACE.search(words)
            self.directory = found[1].strip() if found is not None else ""

    def place(self, name: str | None) -> str:
        """Where the agent worked; `name` is a path in it, which the hash of its root confirms."""
        if not self.directory and name is not None and self.project is not None:
            above = PurePath(name).parents
            hashes = (str(root) for root in above if _hash(str(root)) == self.project)
            self.directory = next(hashes, "")
        return self.directory


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    chat = _Chat()
    for line in lines:
        chat.hear(line.record)
        later = table(line.record.get("$set")).get("messages")
        for record in (line.record, *tables(later)):
            chat.hear(record)
            done = (each for each in tables(record.get("toolCalls")) if _has_succeeded(each))
            turn = text(record.get("id")) or ""
            yield from (logged for call in done for logged in _call(line, chat, call, turn))


def _has_succeeded(call: Record) -> bool:
    return call.get("status") == "success"


def _call(line: Line, chat: _Chat, call: Record, turn: str) -> Iterator[LoggedCall]:
    sent, shown = table(call.get("args")), call.get("resultDisplay")
    did = read_call(str(call.get("name")), sent, _said(call), shown)
    if did is None:
        return
    name = text(table(shown).get("filePath")) or text(sent.get("file_path"))
    yield LoggedCall(
        time=parse_time(call.get("timestamp")),
        conversation=chat.id,
        agent=NAME,
        directory=chat.place(name),
        where=line.where,
        id=str(call.get("id")),
        tool=str(call.get("name")),
        did=did,
        turn=turn,
    )


def _said(call: Record) -> str:
    """What the model was told of a call."""
    parts = (table(part.get("functionResponse")) for part in tables(call.get("result")))
    return "\n".join(text(table(part.get("response")).get("output")) or "" for part in parts)


def read_call(
    tool: str, sent: Record, output: str, shown: object
) -> ReadCall | EditCall | Shell | None:
    """Parse a call of one of its tools; `shown` is what people were shown of it."""
    name = text(sent.get("file_path")) or text(sent.get("absolute_path"))
    match tool:
        case "run_shell_command":
            return Shell(text(sent.get("command")) or "", shell_output(output))
        case "read_file" if name is not None:
            return _read(name, sent, output)
        case "write_file" | "replace" | "edit" if name is not None:
            did = (gemini.EDITS | qwen.EDITS)[tool]({**sent, "file_path": name}, None)
            words = did.text if isinstance(did, Editing) else None
            is_new = "new file" in output.partition("\n")[0]
            is_changed = sent.get("modified_by_user") is True
            return _edit(name, words, table(shown), is_new=is_new, is_final=not is_changed)
    return None


def shell_output(output: str) -> str:
    """Return what a command has printed, without what the tool says of it."""
    found = _SHELL.search(output.removeprefix("<untrusted_context>\n"))
    return found[1] if found is not None else output


def _read(name: str, sent: Record, output: str) -> ReadCall:
    cut = _CUT.search(output.partition(_MARK)[0]) if _MARK in output else None
    if cut is not None:
        return ReadCall(name, int(cut[1]), tuple(output.partition(_MARK)[2].split("\n")))
    is_part = not {"start_line", "end_line", "offset", "limit"}.isdisjoint(sent)
    asked = gemini.LOOKS["read_file"](sent, output)
    first = asked.start_line if isinstance(asked, ToolReading) else 1
    return ReadCall(name, first, tuple(output.split("\n")), None if is_part else output)


def _edit(
    name: str, words: str | None, shown: Record, *, is_new: bool, is_final: bool
) -> EditCall | None:
    """A call as its log shows it: the whole file before and after."""
    before, after = text(shown.get("originalContent")), text(shown.get("newContent"))
    if after is None:
        return None
    is_new = shown.get("isNewFile") is True or before is None or (is_new and not before)
    found = {name: None if is_new else before}
    by_person = [
        table(shown.get("diffStat")).get(f"user_{kind}_lines") for kind in ("added", "removed")
    ]
    is_final = is_final and not any(by_person)
    left = {name: after} if is_final else None
    return EditCall(
        names=(name,),
        text=words,
        dialect="text-editor",
        before=found,
        after=left,
        is_final=is_final,
    )


def _hash(path: str) -> str:
    return sha256(path.encode("utf-8", "surrogatepass")).hexdigest()

"""cline_tasks.py: Cline, Roo Code and Kilo Code in an editor.

Each task has its messages in `tasks/ID/api_conversation_history.json`. A call stands in tags in
what the model answers (`<write_to_file>`), or is a part of its own. What came of it begins the next
message: `[write_to_file for 'a.py'] Result:`. Older tasks have no times. See
github.com/cline/cline, `src/core/prompts/responses.ts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.agents.transcripts.fields import Line, Record, join_texts, parse_value, tables, text
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ReadCall, ShellCall
from hkgit.values import dataclass

NAME = "cline"
FILE = "api_conversation_history.json"
EXTENSIONS = {
    "saoudrizwan.claude-dev": NAME,
    "rooveterinaryinc.roo-cline": "roo",
    "kilocode.kilo-code": "kilo",
}
"""Folders of editors in which they keep their tasks, and who they are."""

_BLOCKS = ("replace_in_file", "apply_diff")
_TOOLS = (*_BLOCKS, "write_to_file", "read_file", "execute_command")
_CALL = re.compile(rf"<({'|'.join(_TOOLS)})>(.*?)</\1>", re.DOTALL)
_PARAMETER = re.compile(r"<(path|command)>(.*?)</\1>|<(diff|content)>(.*)</\3>", re.DOTALL)
_DIRECTORY = re.compile(r"# Current Work(?:ing|space) Directory \((.+?)\) Files")
_RESULT = re.compile(r"\[(\w+)(?: for .*?)?\] Result:(?:\n|\Z)", re.DOTALL)
_SAVED = ("successfully saved to", "<operation>", '"operation":')
_TOUCHED = (
    "applied the following auto-formatting",
    "user made the following updates",
    "user_edits",
)
"""How they say that the file is not as the model has written it."""

_FINAL = re.compile(r'<final_file_content path="[^"]*">\n(.*)\n</final_file_content>', re.DOTALL)
_SHOWN = re.compile(
    r"<path>(?P<path>[^<]+)</path>\n"
    r'<content(?: lines="(?P<first>\d+)-\d+")?>\n?(?P<text>.*?)</content>',
    re.DOTALL,
)
_NUMBERED = re.compile(r" *\d+ \| ?(.*)\Z", re.DOTALL)
_DETAILS = "<environment_details>"


@dataclass(frozen=True, slots=True)
class _Call:
    id: str
    tool: str
    sent: Record
    turn: str


def read_task(path: Path) -> Iterator[Line]:
    """Read the messages of a task. Raises OSError."""
    messages = parse_value(path.read_bytes())
    if not isinstance(messages, list):
        raise OSError("its messages are cut short")
    owners = (EXTENSIONS[part] for part in path.parts if part in EXTENSIONS)
    about: Record = {"agent": next(owners, NAME), "task": path.absolute().parent.name}
    yield Line(f"{path.name}:1", about | {"cline_task": messages})


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "cline_task" in record


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a task whose result it holds, in order."""
    for line in lines:
        directory, waiting = "", list[_Call]()
        for number, message in enumerate(tables(line.record.get("cline_task")), 1):
            if message.get("role") == "assistant":
                waiting = [*_list_calls(message, number)]
                continue
            told = _DIRECTORY.search("\n".join(_texts(message)))
            directory = directory if told is None else told[1]
            for call, result in _pair(message, waiting):
                yield from _log(line, message, directory, call, result)


def _texts(message: Record) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    yield from (part["text"] for part in tables(content) if isinstance(part.get("text"), str))


def _list_calls(message: Record, number: int) -> Iterator[_Call]:
    """List the calls of an answer: parts of their own, and those in tags."""
    for part in tables(message.get("content")):
        sent = part.get("input")
        if part.get("type") == "tool_use" and isinstance(sent, dict):
            yield _Call(str(part.get("id")), str(part.get("name")), sent, str(number))
    found = _CALL.finditer("\n".join(_texts(message)))
    for at, (tool, body) in enumerate(each.groups() for each in found):
        sent = {each[1] or each[3]: each[2] or each[4] or "" for each in _PARAMETER.finditer(body)}
        words = {name: _unwrap(value) for name, value in sent.items()}
        yield _Call(f"{number}.{at}", tool, words, str(number))


def _unwrap(value: str) -> str:
    """A parameter without the line ends beside its tags."""
    return value.removeprefix("\n").removesuffix("\n")


def _pair(message: Record, waiting: list[_Call]) -> Iterator[tuple[_Call, str]]:
    """Pair the results in a message with the calls that wait for them."""
    for part in tables(message.get("content")):
        call = next((c for c in waiting if c.id == part.get("tool_use_id")), None)
        if call is not None:
            content = part.get("content")
            yield call, content if isinstance(content, str) else join_texts(content)
            waiting.remove(call)
    texts = [each for each in _texts(message) if not each.startswith(_DETAILS)]
    for at, said in enumerate(texts):
        head = _RESULT.match(said)
        call = next((c for c in waiting if head is not None and c.tool == head[1]), None)
        if head is not None and call is not None:
            yield call, said[head.end() :] or "".join(texts[at + 1 : at + 2])
            waiting.remove(call)


def _log(
    line: Line, message: Record, directory: str, call: _Call, result: str
) -> Iterator[LoggedCall]:
    time, about = message.get("ts"), line.record
    for number, did in enumerate(_did(call, result.partition(f"\n\n{_DETAILS}")[0])):
        yield LoggedCall(
            time=time if isinstance(time, int) else 0,
            conversation=f"{about.get('agent')}-{about.get('task')}",
            agent=str(about.get("agent")),
            directory=directory,
            where=line.where,
            id=f"{call.id}{f'.{number}' if number else ''}",
            tool=call.tool,
            did=did,
            turn=call.turn,
        )


def _did(call: _Call, result: str) -> Iterator[ReadCall | EditCall | ShellCall]:
    name = text(call.sent.get("path"))
    if call.tool == "execute_command":
        yield ShellCall(text(call.sent.get("command")) or "", result.partition("Output:\n")[2])
    elif call.tool == "read_file":
        yield from _read(name, result)
    elif name and any(each in result for each in _SAVED):
        edit = _edit(name, call)
        if edit is not None:
            yield _add_result(edit, result)


def _edit(name: str, call: _Call) -> tuple[str, str, str] | None:
    """The file of an edit, its words and their dialect."""
    if call.tool in _BLOCKS:
        return name, f"{name}\n{text(call.sent.get('diff')) or ''}\n", "search-replace"
    if call.tool == "write_to_file":
        content = text(call.sent.get("content")) or ""
        return name, json.dumps({"file_path": name, "content": content}), "text-editor"
    return None


def _add_result(edit: tuple[str, str, str], result: str) -> EditCall:
    """An edit with what its file says after it, where they tell."""
    name, words, dialect = edit
    final = _FINAL.search(result)
    return EditCall(
        (name,),
        words,
        dialect,
        after=None if final is None else {name: final[1]},
        is_final=not any(each in result for each in _TOUCHED),
    )


def _read(name: str | None, result: str) -> Iterator[ReadCall]:
    """Files that were shown: several between tags, or one without."""
    shown = [*_SHOWN.finditer(result)]
    for each in shown:
        yield ReadCall(each["path"], int(each["first"] or 1), tuple(_split(each["text"])))
    if not shown and name is not None:
        yield ReadCall(name, 1, tuple(_split(result)))


def _split(shown: str) -> Iterator[str]:
    """Lines of a file without the numbers before them."""
    for line in shown.split("\n"):
        found = _NUMBERED.match(line)
        yield line if found is None else found[1]

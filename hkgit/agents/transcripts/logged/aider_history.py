"""aider_history.py: aider's `--llm-history-file`: each request to its model, and each answer.

A request holds the files of the chat as they are, so it tells what the model was shown when it
answered. Each line stands behind the name of who said it: aider.chat/docs/config/options.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from hkgit import dialects
from hkgit.agents.transcripts.fields import Line, Record, text
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ReadCall
from hkgit.edits import Edit
from hkgit.errors import InvalidInput

NAME = "aider"
SUFFIX = ".llm.history"

_ASKED, _ANSWERED = "TO LLM ", "LLM RESPONSE "
_MARK, _DIALECT = "<<<<<<< SEARCH", "search-replace"
_BETWEEN = "-------"
_SHOWING = ("I have *added these files to the chat*", "Here are some READ ONLY files")
_FENCES = {"```": "```", "````": "````"} | {
    f"<{name}>": f"</{name}>" for name in ("source", "code", "pre", "codeblock", "sourcecode")
}


def read_history(path: Path) -> Iterator[Line]:
    """The answers in a history as lines of a log, each with its request. Raises OSError."""
    asked: list[str] = []
    for number, head, said in _split(path.read_text("utf-8", "replace").split("\n")):
        if head.startswith(_ASKED):
            asked = said
        elif head.startswith(_ANSWERED):
            time = head.removeprefix(_ANSWERED)
            record = {"aider": _unmark(said), "asked": asked, "time": time}
            yield Line(f"{path.name}:{number}", record)
            asked = []


def _split(lines: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """The requests and answers: the number of the first line, that line, and those below it."""
    starts = [at for at, line in enumerate(lines) if line.startswith((_ASKED, _ANSWERED))]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield start + 1, lines[start], list(lines[start + 1 : stop])


def _unmark(lines: Iterable[str]) -> str:
    """What was said, without the name before each line."""
    return "".join(f"{line.partition(' ')[2]}\n" for line in lines if line)


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "aider" in record and "asked" in record


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """For each answer the files that its request has shown, and its edits.

    An answer is a conversation of its own: the next one is shown all that it needs again.
    """
    for line in lines:
        edits = [*_find_edits(text(line.record.get("aider")) or "")]
        shown = [*_find_shown(line.record.get("asked"))] if edits else []
        time = _parse_time(text(line.record.get("time")) or "")
        done: list[ReadCall | EditCall] = [*shown, *edits]
        for number, did in enumerate(done, 1):
            yield LoggedCall(
                time=time,
                conversation=f"{NAME}-{line.where}",
                agent=NAME,
                directory="",
                where=line.where,
                id=f"{line.where}.{number}",
                tool="chat" if isinstance(did, ReadCall) else "answer",
                did=did,
            )


def _find_edits(said: str) -> Iterator[EditCall]:
    """The edits in an answer, file by file, as far as it is in SEARCH/REPLACE blocks."""
    if _MARK not in said:
        return
    try:
        edits = dialects.parse(said, _DIALECT).edits
    except InvalidInput:
        return
    for path in dict.fromkeys(each.path for each in edits):
        those = [each for each in edits if each.path == path]
        whole = those[0] if len(those) == 1 else None
        if isinstance(whole, Edit) and not whole.old_text:
            new = {"command": "create", "path": path, "file_text": whole.new_text}
            yield EditCall((path,), json.dumps(new, ensure_ascii=False), "text-editor")
        else:
            yield EditCall((path,), dialects.DIALECTS[_DIALECT].render(those), _DIALECT)


def _find_shown(asked: object) -> Iterator[ReadCall]:
    """The files in a request, whole."""
    message: list[str] = []
    for line in [*(asked if isinstance(asked, list) else ()), _BETWEEN]:
        if line != _BETWEEN:
            message.append(line.removeprefix("USER").removeprefix(" "))
            continue
        if message and message[0].startswith(_SHOWING):
            yield from _find_files(message)
        message = []


def _find_files(message: Sequence[str]) -> Iterator[ReadCall]:
    """Files between fences, each below its name."""
    at = 1
    while at < len(message):
        end = _FENCES.get(message[at])
        name = message[at - 1]
        at += 1
        if end is None or not name:
            continue
        start = at
        while at < len(message) and not message[at].endswith(end):
            at += 1
        if at < len(message):
            # Where the last line has no end, the fence stands right behind it.
            last = message[at].removesuffix(end)
            lines = [*message[start:at], *([last] if last else ())]
            whole = "\n".join(lines) + ("" if last or not lines else "\n")
            yield ReadCall(name, 1, tuple(lines), whole)
        at += 1


def _parse_time(said: str) -> int:
    """A time of this machine's clock, in milliseconds since 1970; 0 for none."""
    with suppress(ValueError, OverflowError, OSError):
        return int(datetime.fromisoformat(said).timestamp() * 1000)
    return 0

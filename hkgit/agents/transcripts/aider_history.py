"""Aider's `--llm-history-file`: each request to its model, and each answer.

A request holds the files of the chat as they are, so it tells what the model was shown when it
answered. Each line stands behind the name of who said it: aider.chat/docs/config/options.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from hkgit.agents.events import END, Editing, ToolReading
from hkgit.agents.json_fields import text
from hkgit.agents.logged_call import Line, LoggedCall, Record
from hkgit.agents.transcripts.aider_answers import find_edits, find_format

NAME = "aider"
SUFFIX = ".llm.history"

_ASKED, _ANSWERED = "TO LLM ", "LLM RESPONSE "
_BETWEEN = "-------"
_SHOWING = ("I have *added these files to the chat*", "Here are some READ ONLY files")
_FENCES = {"```": "```", "````": "````"} | {
    f"<{name}>": f"</{name}>" for name in ("source", "code", "pre", "codeblock", "sourcecode")
}


def read_history(path: Path) -> Iterator[Line]:
    """Read the answers in a history as lines of a log, each with its request. Raises OSError."""
    asked: list[str] = []
    for number, head, words in _split(path.read_text("utf-8", "replace").split("\n")):
        if head.startswith(_ASKED):
            asked = words
        elif head.startswith(_ANSWERED):
            time = head.removeprefix(_ANSWERED)
            record = {"aider": _unmark(words), "asked": asked, "time": time}
            yield Line(f"{path.name}:{number}", record)
            asked = []


def _split(lines: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """The requests and answers: the number of the first line, that line, and those below it."""
    starts = [at for at, line in enumerate(lines) if line.startswith((_ASKED, _ANSWERED))]
    for start, stop in pairwise([*starts, len(lines)]):
        yield start + 1, lines[start], list(lines[start + 1 : stop])


def _unmark(lines: Iterable[str]) -> str:
    """What was said, without the name before each line."""
    return "".join(f"{line.partition(' ')[2]}\n" for line in lines if line)


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "aider" in record and "asked" in record


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield for each answer the files that its request has shown, and its edits.

    An answer is a conversation of its own: the next one is shown all that it needs again.
    """
    answers = [(line, [*_find_shown(line.record.get("asked"))]) for line in lines]
    shown_later = [*(shown for _, shown in answers[1:]), []]
    for (line, shown), later in zip(answers, shown_later, strict=False):
        asked = line.record.get("asked")
        edits = [
            *find_edits(
                text(line.record.get("aider")) or "",
                find_format(asked if isinstance(asked, list) else ()),
                _texts(shown),
                _texts(later),
            )
        ]
        done: list[ToolReading | Editing] = [*shown, *edits] if edits else []
        for number, did in enumerate(done, 1):
            yield LoggedCall(
                time=parse_time(text(line.record.get("time")) or ""),
                conversation=f"{NAME}-{line.where}",
                agent=NAME,
                directory="",
                where=line.where,
                id=f"{line.where}.{number}",
                tool="chat" if isinstance(did, ToolReading) else "answer",
                did=did,
            )


def _texts(shown: Iterable[ToolReading]) -> dict[str, str]:
    return {read.path: read.answer or "" for read in shown}


def _find_shown(asked: object) -> Iterator[ToolReading]:
    """Find the files that a request shows as a whole."""
    message: list[str] = []
    for line in [*(asked if isinstance(asked, list) else ()), _BETWEEN]:
        if line != _BETWEEN:
            message.append(line.removeprefix("USER").removeprefix(" "))
            continue
        if message and message[0].startswith(_SHOWING):
            yield from _find_files(message)
        message = []


def _find_files(message: Sequence[str]) -> Iterator[ToolReading]:
    """Find files between fences, each below its name."""
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
            yield ToolReading(name, 1, END, whole, is_whole=True)
        at += 1


def parse_time(said: str) -> int:
    """Parse a time of this machine's clock, in milliseconds since 1970; 0 for none."""
    with suppress(ValueError, OverflowError, OSError):
        return int(datetime.fromisoformat(said).timestamp() * 1000)
    return 0

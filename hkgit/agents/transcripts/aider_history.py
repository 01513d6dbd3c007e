"""Read aider's LLM history, and the edits in its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise, takewhile
from pathlib import Path

from hkgit import dialects
from hkgit.agents.events import END, Editing, ToolReading
from hkgit.agents.json_fields import parse_time
from hkgit.agents.logged_call import About, LoggedCall, Said
from hkgit.dialects import protocol
from hkgit.dialects.search_replace import write_block
from hkgit.edits import AnyEdit, Edit
from hkgit.errors import InvalidInput
from hkgit.workflows.log_steps import Told, to_bytes

BLOCKS, DIFF, PATCH, WHOLE = "search-replace", "unified-diff", "apply-patch", "whole"

_ASKED_FOR = (
    ("*SEARCH/REPLACE", BLOCKS),
    ("*file listing*", WHOLE),
    ("V4A diff format", PATCH),
    ("`diff -U0`", DIFF),
)
"""Words of the prompt that ask for a format."""

_SIGNS = {BLOCKS: "<<<<<<< SEARCH", DIFF: "+++ ", PATCH: "*** Begin Patch"}
_FENCE = re.compile(r"<(?:source|code|pre|codeblock|sourcecode)>|`{3,4}")
_PATH = re.compile(r"[\w@+.-]+(?:/[\w@+.-]+)*")
_BETWEEN_BLOCKS = "-------"


def find_format(asked: Sequence[str]) -> str | None:
    """Find the format that a request asks for; None where its answer is no edit, as in `/ask`."""
    lines = asked[1:] if asked[:1] == [_BETWEEN_BLOCKS] else asked
    prompt = [*takewhile(lambda line: line != _BETWEEN_BLOCKS, lines)]
    for words, name in _ASKED_FOR:
        if any(words in line for line in prompt):
            return name
    return None if any(line.startswith("SYSTEM") for line in prompt) else BLOCKS


def find_edits(
    answer: str, form: str | None, shown: Mapping[str, str], later: Mapping[str, str]
) -> Iterator[Editing]:
    """Find the edits in an answer that aider could make, file by file.

    `shown` and `later` are the files as this request and the next one have shown them.
    """
    found = _list_files(answer, shown) if form == WHOLE else _list_edits(answer, form, shown)
    for call in found:
        path = name_file(call)
        before = shown.get(path)
        if before is None or later.get(path) != before:
            yield call  # else nobody has made it


def split_edits(answer: str, form: str) -> Iterator[Editing]:
    """Find the edits in an answer one by one, where nothing tells the files it was given for."""
    if form == WHOLE:
        yield from _list_files(answer, {})
    elif _SIGNS[form] in answer:
        with suppress(InvalidInput):
            edits = dialects.parse(answer, form).edits
            yield from (_make_call(each.path, form, [each], None) for each in edits)


def _list_edits(answer: str, form: str | None, shown: Mapping[str, str]) -> Iterator[Editing]:
    if form is None or _SIGNS[form] not in answer:
        return
    try:
        edits = dialects.parse(answer, form).edits
    except InvalidInput:
        return
    placed = {
        path: [*_drop_misplaced([each for each in edits if each.path == path], shown.get(path))]
        for path in dict.fromkeys(each.path for each in edits)
    }
    if form == PATCH and sum(map(len, placed.values())) < len(edits):
        return  # it is applied as a whole, or not at all
    for path, those in placed.items():
        if those:
            yield _make_call(path, form, those, shown.get(path))


def _drop_misplaced(edits: Iterable[AnyEdit], before: str | None) -> Iterator[AnyEdit]:
    """The edits whose old text is there; aider makes these and asks for the others again."""
    for each in edits:
        if before is None or not isinstance(each, Edit):
            yield each
        elif each.old_text and each.old_text in before:
            before = before.replace(each.old_text, each.new_text, 1)
            yield each


def _make_call(path: str, form: str, edits: Sequence[AnyEdit], before: str | None) -> Editing:
    """Make the edits of a file; an empty old text makes a new one."""
    files = None if before is None else {path: to_bytes(before)}
    first = edits[0]
    if before is None and len(edits) == 1 and isinstance(first, Edit) and not first.old_text:
        new = {"command": "create", "path": path, "file_text": first.new_text}
        return Editing(json.dumps(new, ensure_ascii=False), "text-editor", told=Told((path,)))
    blocks = [write_block(each) for each in edits if isinstance(each, Edit)]
    is_blocks = form == BLOCKS and None not in blocks
    words = "\n".join(filter(None, blocks)) if is_blocks else protocol.write(edits)
    return Editing(words, form, told=Told((path,), before=files))


def name_file(edit: Editing) -> str:
    """Name the one file of an edit of these."""
    return edit.told.names[0] if edit.told is not None else ""


def _list_files(answer: str, shown: Mapping[str, str]) -> Iterator[Editing]:
    """Find whole files between fences, each below its name; the first of a name counts."""
    lines = answer.removesuffix("\n").split("\n")
    done: set[str] = set()
    name, start, end = "", 0, ""
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if not end and fence is not None:
            name, start = _read_name(lines[at - 1] if at else "", shown), at + 1
            end = fence[0].replace("<", "</")
        elif end and line.startswith(end):
            if name and name not in done:
                done.add(name)
                yield _make_file(name, "".join(f"{each}\n" for each in lines[start:at]), shown)
            end = ""


def _read_name(line: str, shown: Mapping[str, str]) -> str:
    """Read a file's name as aider does, without marks around it; "" where it is none."""
    name = line.strip().strip("*").rstrip(":").strip("`").lstrip("#").strip()
    base = name.rpartition("/")[2]
    if name not in shown and base in shown:
        return base
    is_path = _PATH.fullmatch(name) is not None and ("/" in name or "." in name)
    return name if name in shown or is_path else ""


def _make_file(path: str, content: str, shown: Mapping[str, str]) -> Editing:
    spec = json.dumps({"file_path": path, "content": content}, ensure_ascii=False)
    before = {path: to_bytes(shown[path])} if path in shown else None
    return Editing(
        spec, "text-editor", told=Told((path,), before=before, after={path: to_bytes(content)})
    )


NAME = "aider"
SUFFIX = ".llm.history"

_ASKED, _ANSWERED = "TO LLM ", "LLM RESPONSE "
_BETWEEN = "-------"
_SHOWING = ("I have *added these files to the chat*", "Here are some READ ONLY files")
_FENCES = {"```": "```", "````": "````"} | {
    f"<{name}>": f"</{name}>" for name in ("source", "code", "pre", "codeblock", "sourcecode")
}


def read_history(path: Path) -> Iterator[Said]:
    """Yield for each answer in a history the files that its request has shown, and its edits.

    An answer is a conversation of its own: the next one is shown all that it needs again. Raises
    OSError.
    """
    asked: list[str] = []
    answers = []
    for number, head, words in _split(path.read_text("utf-8", "replace").split("\n")):
        if head.startswith(_ASKED):
            asked = words
        elif head.startswith(_ANSWERED):
            about = name_answer(path, number, head.removeprefix(_ANSWERED))
            answers.append((about, asked, [*_find_shown(asked)], _unmark(words)))
            asked = []
    shown_later = [*(_texts(shown) for _, _, shown, _ in answers[1:]), {}]
    for (about, asked, shown, answer), later in zip(answers, shown_later, strict=False):
        edits = [*find_edits(answer, find_format(asked), _texts(shown), later)]
        done: list[ToolReading | Editing] = [*shown, *edits] if edits else []
        yield about
        for number, did in enumerate(done, 1):
            tool = "chat" if isinstance(did, ToolReading) else "answer"
            yield LoggedCall(f"{about.where}.{number}", tool, did=did)


def name_answer(path: Path, number: int, time: str, version: str = "") -> About:
    """Name an answer in a history, by its first line; the time is of this machine's clock."""
    where = f"{path.name}:{number}"
    return About(where, parse_time(time), f"{NAME}-{where}", version)


def _split(lines: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """The requests and answers: the number of the first line, that line, and those below it."""
    starts = [at for at, line in enumerate(lines) if line.startswith((_ASKED, _ANSWERED))]
    for start, stop in pairwise([*starts, len(lines)]):
        yield start + 1, lines[start], list(lines[start + 1 : stop])


def _unmark(lines: Iterable[str]) -> str:
    """What was said, without the name before each line."""
    return "".join(f"{line.partition(' ')[2]}\n" for line in lines if line)


def _texts(shown: Iterable[ToolReading]) -> dict[str, str]:
    return {read.path: read.answer or "" for read in shown}


def _find_shown(asked: Sequence[str]) -> Iterator[ToolReading]:
    """Find the files that a request shows as a whole."""
    message: list[str] = []
    for line in [*asked, _BETWEEN]:
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
            # Where the last line has no end, the fence is right behind it.
            last = message[at].removesuffix(end)
            lines = [*message[start:at], *([last] if last else ())]
            whole = "\n".join(lines) + ("" if last or not lines else "\n")
            yield ToolReading(name, 1, END, whole, is_whole=True)
        at += 1

"""Aider's chat history, the page that it writes beside the work unless told not to.

It holds what people asked (`####`), what the model answered as it was, and what aider said of it
(`>`): which files it has edited, and which blocks did not fit. Files are not in it, so that nothing
counts as read. See aider.chat/docs/config/options.html and `aider/io.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.agents.json_fields import text
from hkgit.agents.logged_call import About, Line, LoggedCall, Record, Said
from hkgit.agents.transcripts.aider_history import (
    BLOCKS,
    DIFF,
    PATCH,
    WHOLE,
    name_file,
    parse_time,
    split_edits,
)
from hkgit.values import dataclass, field

NAME = "aider"
SUFFIX = ".chat.history.md"

_START = re.compile(r"# aider chat started at (\S+ \S+)")
_VERSION = re.compile(r"> Aider v([\w.+-]+)")
_FORMAT = re.compile(r"> .* with ([a-z-]+) edit format")
_APPLIED = re.compile(r"> Applied edit to (.+)")
_FAILED = re.compile(r"> # \d+ SEARCH/REPLACE blocks? failed to match!")
_LAST_OF_FAILURE = "The SEARCH section must exactly match"
"""Until there aider shows the blocks that did not fit, once more."""

_COMMIT = re.compile(r"> Commit ([0-9a-f]{7,40}) ")
_UNDONE = re.compile(r"> Removed: ([0-9a-f]{7,40}) ")
_TOKENS = re.compile(r"> Tokens: \S+ sent,")
_FENCE = re.compile(r"(`{3,}|<(?:source|code|pre|codeblock|sourcecode)>)")

_FORMATS = {"whole": WHOLE, "udiff": DIFF, "udiff-simple": DIFF, "patch": PATCH}


@dataclass
class _Answer:
    """An answer of the model, and what aider has made of it."""

    line: int
    about: Record
    words: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    has_failed: bool = False
    commit: str = ""


def read_chat(path: Path) -> Iterator[Line]:
    """Read the answers that edited files as lines of a log. Raises OSError."""
    answers: list[_Answer] = []
    for answer in _split(path.read_text("utf-8", "replace").split("\n"), answers):
        answers.append(answer)
    for each in answers:
        if each.applied or each.has_failed:
            more = {"applied": each.applied, "has_failed": each.has_failed}
            words = "".join(f"{line}\n" for line in each.words)
            yield Line(f"{path.name}:{each.line}", each.about | more | {"aider_chat": words})


def _split(lines: Iterable[str], done: list[_Answer]) -> Iterator[_Answer]:
    """Find the answers; what aider undoes goes out of `done`."""
    about: Record = {}
    answer, end, is_said = _Answer(0, about), "", True
    for number, line in enumerate(lines, 1):
        start = _START.match(line)
        if end and not start and not _TOKENS.match(line):
            answer.words += [line] if is_said else []
            end = "" if line.startswith(end) else end
            continue
        end, is_said = "", True
        if start or line.startswith("#### "):
            yield answer
            about = {"time": start[1]} if start else about
            answer = _Answer(number, about)
        elif line.startswith(">"):
            about = about | _read_settings(line)
            _hear(answer, line, done)
            if _FAILED.match(line):
                end, is_said = _LAST_OF_FAILURE, False
        else:
            if answer.applied or answer.has_failed:
                yield answer
                answer = _Answer(number, about)
            fence = _FENCE.match(line)
            end = "" if fence is None else fence[1].replace("<", "</")
            answer.words.append(line)
    yield answer


def _read_settings(line: str) -> Record:
    """Read what aider says when it starts: its version, and the format that it asks for."""
    version, form = _VERSION.match(line), _FORMAT.match(line)
    return ({} if version is None else {"version": version[1]}) | (
        {} if form is None else {"form": form[1].removeprefix("editor-")}
    )


def _hear(answer: _Answer, line: str, done: list[_Answer]) -> None:
    """Take in what aider says of an answer, or of one before it."""
    applied, commit, undone = (each.match(line) for each in (_APPLIED, _COMMIT, _UNDONE))
    if applied is not None:
        answer.applied.append(applied[1].rstrip())
    elif _FAILED.match(line):
        answer.has_failed = True
    elif commit is not None:
        answer.commit = commit[1]
    elif undone is not None:
        done[:] = [each for each in done if each.commit != undone[1]]
        if answer.commit == undone[1]:
            answer.applied, answer.has_failed = [], False


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "aider_chat" in record


def says(lines: Iterable[Line]) -> Iterator[Said]:
    """Yield the edits that aider has made of each answer, one after another.

    Of an answer of which blocks did not fit it has made the others; which, the files tell.
    """
    for line in lines:
        record = line.record
        form = _FORMATS.get(text(record.get("form")) or "", BLOCKS)
        made = record.get("applied")
        applied = made if isinstance(made, list) else []
        edits = split_edits(text(record.get("aider_chat")) or "", form)
        time, version = parse_time(text(record.get("time")) or ""), text(record.get("version"))
        yield About(line.where, time, f"{NAME}-{line.where}", version or "unknown")
        own = (each for each in edits if record.get("has_failed") or name_file(each) in applied)
        for number, did in enumerate(own, 1):
            yield LoggedCall(f"{line.where}.{number}", "answer", did=did)

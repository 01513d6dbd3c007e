"""Aider's chat history, the page that it writes beside the work unless told not to.

It holds what people asked (`####`), what the model answered as it was, and what aider said of it
(`>`): which files it has edited, and which blocks did not fit. Files are not in it, so that nothing
counts as read. See aider.chat/docs/config/options.html and `aider/io.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.agents.logged_call import LoggedCall, Said
from hkgit.agents.transcripts.aider_history import (
    BLOCKS,
    DIFF,
    PATCH,
    WHOLE,
    name_answer,
    name_file,
    split_edits,
)
from hkgit.values import dataclass, field

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
    time: str = ""
    version: str = ""
    form: str = ""
    words: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    has_failed: bool = False
    commit: str = ""

    def begin_next(self, line: int) -> _Answer:
        return _Answer(line, self.time, self.version, self.form)


def read_chat(path: Path) -> Iterator[Said]:
    """Yield the edits that aider has made of each answer, one after another. Raises OSError.

    Of an answer of which blocks did not fit it has made the others; which, the files tell.
    """
    answers: list[_Answer] = []
    for answer in _split(path.read_text("utf-8", "replace").split("\n"), answers):
        answers.append(answer)
    for each in answers:
        about = name_answer(path, each.line, each.time, each.version or "unknown")
        yield about
        words = "".join(f"{line}\n" for line in each.words)
        edits = split_edits(words, _FORMATS.get(each.form, BLOCKS))
        own = (edit for edit in edits if each.has_failed or name_file(edit) in each.applied)
        for number, did in enumerate(own, 1):
            yield LoggedCall(f"{about.where}.{number}", "answer", did=did)


def _split(lines: Iterable[str], done: list[_Answer]) -> Iterator[_Answer]:
    """Find the answers; what aider undoes goes out of `done`."""
    answer, end, is_said = _Answer(0), "", True
    for number, line in enumerate(lines, 1):
        start = _START.match(line)
        if end and not start and not _TOKENS.match(line):
            answer.words += [line] if is_said else []
            end = "" if line.startswith(end) else end
            continue
        end, is_said = "", True
        if start or line.startswith("#### "):
            yield answer
            answer = _Answer(number) if start else answer.begin_next(number)
            answer.time = start[1] if start else answer.time
        elif line.startswith(">"):
            _hear(answer, line, done)
            if _FAILED.match(line):
                end, is_said = _LAST_OF_FAILURE, False
        else:
            if answer.applied or answer.has_failed:
                yield answer
                answer = answer.begin_next(number)
            fence = _FENCE.match(line)
            end = "" if fence is None else fence[1].replace("<", "</")
            answer.words.append(line)
    yield answer


def _hear(answer: _Answer, line: str, done: list[_Answer]) -> None:
    """Take in what aider says: of itself when it starts, of an answer, or of one before it."""
    version, form = _VERSION.match(line), _FORMAT.match(line)
    applied, commit, undone = (each.match(line) for each in (_APPLIED, _COMMIT, _UNDONE))
    if version is not None:
        answer.version = version[1]
    elif form is not None:
        answer.form = form[1].removeprefix("editor-")
    elif applied is not None:
        answer.applied.append(applied[1].rstrip())
    elif _FAILED.match(line):
        answer.has_failed = True
    elif commit is not None:
        answer.commit = commit[1]
    elif undone is not None:
        done[:] = [each for each in done if each.commit != undone[1]]
        if answer.commit == undone[1]:
            answer.applied, answer.has_failed = [], False

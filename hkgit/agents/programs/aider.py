"""aider. Its model calls no tools, so neither hooks nor words help it.

It can keep what its model was shown, and what that has answered (`llm-history-file`); it always
keeps a page of its chats, unless told not to: what people asked (`####`), what the model answered
as it was, and what aider said of it (`>`): which files it has edited, and which blocks did not fit.
Files are not in that one, so that nothing counts as read. aider.chat/docs/config/options.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, pairwise
from pathlib import Path

from hkgit import dialects
from hkgit.agents.agent import Agent
from hkgit.agents.events import END, Editing, ToolReading
from hkgit.agents.json_fields import parse_time
from hkgit.agents.logged_call import About, Log, LoggedCall, Said
from hkgit.agents.tools import write_edit
from hkgit.dialects import protocol
from hkgit.dialects.search_replace import write_block
from hkgit.edits import AnyEdit, Edit
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field, replace
from hkgit.workflows.log_steps import Told, to_bytes

NAME = "aider"

_SETTINGS = """\
llm-history-file: .aider.llm.history
auto-commits: false
dirty-commits: false
git-commit-verify: true
"""

BLOCKS, DIFF, PATCH, WHOLE = "search-replace", "unified-diff", "apply-patch", "whole"

_ASKED_FOR = (
    ("*SEARCH/REPLACE", BLOCKS),
    ("*file listing*", WHOLE),
    ("V4A diff format", PATCH),
    ("`diff -U0`", DIFF),
)
"""Words of the prompt that ask for a format."""

_SIGNS = {BLOCKS: "<<<<<<< SEARCH", DIFF: "+++ ", PATCH: "*** Begin Patch"}
_FORMATS = {"whole": WHOLE, "udiff": DIFF, "udiff-simple": DIFF, "patch": PATCH}
"""What aider calls the others."""

_FENCE = re.compile(r"`{3,}|<(?:source|code|pre|codeblock|sourcecode)>")
_PATH = re.compile(r"[\w@+.-]+(?:/[\w@+.-]+)*")
_BETWEEN = "-------"


def _list_messages(asked: Iterable[str]) -> list[list[str]]:
    """List the messages of a request, each as its lines."""
    parts = groupby(asked, _BETWEEN.__eq__)
    return [[*lines] for is_between, lines in parts if not is_between]


def _find_format(asked: Iterable[str]) -> str | None:
    """Find the format that a request asks for; None where its answer is no edit, as in `/ask`."""
    prompt = next(iter(_list_messages(asked)), [])
    for words, name in _ASKED_FOR:
        if any(words in line for line in prompt):
            return name
    return None if any(line.startswith("SYSTEM") for line in prompt) else BLOCKS


def _find_edits(
    answer: str, form: str, shown: Mapping[str, str], later: Mapping[str, str]
) -> Iterator[Editing]:
    """Find the edits in an answer that aider could make, file by file.

    `shown` and `later` are the files as this request and the next one have shown them.
    """
    found = _list_files(answer, shown) if form == WHOLE else _list_edits(answer, form, shown)
    for path, call in found:
        before = shown.get(path)
        if before is None or later.get(path) != before:
            yield call  # else nobody has made it


def _parse(answer: str, form: str) -> Sequence[AnyEdit]:
    if _SIGNS[form] in answer:
        with suppress(InvalidInput):
            return dialects.parse(answer, form).edits
    return ()


def _list_edits(answer: str, form: str, shown: Mapping[str, str]) -> Iterator[tuple[str, Editing]]:
    edits = _parse(answer, form)
    placed = {
        path: [*_drop_misplaced([each for each in edits if each.path == path], shown.get(path))]
        for path in dict.fromkeys(each.path for each in edits)
    }
    if form == PATCH and sum(map(len, placed.values())) < len(edits):
        return  # it is applied as a whole, or not at all
    for path, those in placed.items():
        if those:
            yield path, _make_call(path, form, those, shown.get(path))


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
        made = write_edit(command="create", path=path, file_text=first.new_text)
        return replace(made, told=Told((path,)))
    blocks = [write_block(each) for each in edits if isinstance(each, Edit)]
    is_blocks = form == BLOCKS and None not in blocks
    words = "\n".join(filter(None, blocks)) if is_blocks else protocol.write(edits)
    return Editing(words, form, told=Told((path,), before=files))


def _list_files(answer: str, shown: Mapping[str, str]) -> Iterator[tuple[str, Editing]]:
    """Find whole files between fences, each below its name; the first of a name counts."""
    done: set[str] = set()
    lines = answer.removesuffix("\n").split("\n")
    for above, content, _ in _list_fenced(lines, _FENCE.match, str.startswith):
        name = _read_name(above, shown)
        if name and name not in done:
            done.add(name)
            yield name, _make_file(name, "".join(f"{each}\n" for each in content), shown)


def _list_fenced(
    lines: Sequence[str],
    begin: Callable[[str], re.Match[str] | None],
    is_end: Callable[[str, str], bool],
) -> Iterator[tuple[str, Sequence[str], str]]:
    """List what is between fences: the line above, the lines, and what is before the last fence."""
    start, end = 0, ""
    for at, line in enumerate(lines):
        if not end and (fence := begin(line)) is not None:
            start, end = at + 1, _close(fence)
        elif end and is_end(line, end):
            yield lines[start - 2] if start > 1 else "", lines[start:at], line.removesuffix(end)
            end = ""


def _read_name(line: str, shown: Mapping[str, str]) -> str:
    """Read a file's name as aider does, without marks around it; "" where it is none."""
    name = line.strip().strip("*").rstrip(":").strip("`").lstrip("#").strip()
    base = name.rpartition("/")[2]
    if name not in shown and base in shown:
        return base
    is_path = _PATH.fullmatch(name) is not None and ("/" in name or "." in name)
    return name if name in shown or is_path else ""


def _close(fence: re.Match[str]) -> str:
    return fence[0].replace("<", "</")


def _make_file(path: str, content: str, shown: Mapping[str, str]) -> Editing:
    before = {path: to_bytes(shown[path])} if path in shown else None
    told = Told((path,), before=before, after={path: to_bytes(content)})
    return replace(write_edit(file_path=path, content=content), told=told)


_ASKED, _ANSWERED = "TO LLM ", "LLM RESPONSE "
_SHOWING = ("I have *added these files to the chat*", "Here are some READ ONLY files")


def read_history(path: Path) -> Iterator[Said]:
    """Yield for each answer in a history the files of its request, and its edits. Raises OSError.

    An answer is a conversation of its own: the next one is shown all that it needs again.
    """
    asked: list[str] = []
    answers = []
    lines = path.read_text("utf-8", "replace").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith((_ASKED, _ANSWERED))]
    for start, stop in pairwise([*starts, len(lines)]):
        head, words = lines[start], lines[start + 1 : stop]
        if head.startswith(_ASKED):
            asked = words
        else:
            about = _name_answer(path, start + 1, head.removeprefix(_ANSWERED))
            said = "".join(f"{line.partition(' ')[2]}\n" for line in words if line)
            answers.append((about, _find_format(asked), [*_find_shown(asked)], said))
            asked = []
    texts = [{read.path: read.answer or "" for read in shown} for _, _, shown, _ in answers]
    for each, (before, later) in zip(answers, pairwise([*texts, {}]), strict=True):
        about, form, shown, answer = each
        edits = [] if form is None else [*_find_edits(answer, form, before, later)]
        done: list[ToolReading | Editing] = [*shown, *edits] if edits else []
        yield about
        for number, did in enumerate(done, 1):
            tool = "chat" if isinstance(did, ToolReading) else "answer"
            yield LoggedCall(f"{about.where}.{number}", tool, did=did)


def _name_answer(path: Path, number: int, time: str, version: str = "") -> About:
    """Name an answer in a history, by its first line; the time is of this machine's clock."""
    where = f"{path.name}:{number}"
    return About(where, parse_time(time), f"{NAME}-{where}", version)


def _find_shown(asked: Iterable[str]) -> Iterator[ToolReading]:
    """Find the files that a request shows as a whole."""
    for lines in _list_messages(asked):
        message = [line.removeprefix("USER").removeprefix(" ") for line in lines]
        if message[0].startswith(_SHOWING):
            yield from _find_files(message)


def _find_files(message: Sequence[str]) -> Iterator[ToolReading]:
    """Find files between fences, each below its name."""
    for name, content, last in _list_fenced(message, _FENCE.fullmatch, str.endswith):
        if name:
            # Where the last line has no end, the fence is right behind it.
            lines = [*content, *([last] if last else ())]
            whole = "\n".join(lines) + ("" if last or not lines else "\n")
            yield ToolReading(name, 1, END, whole, is_whole=True)


_START = re.compile(r"# aider chat started at (\S+ \S+)")
_HEARD = re.compile(
    r"> (?:Aider v(?P<version>[\w.+-]+)|.* with (?:editor-)?(?P<form>[a-z-]+) edit format"
    r"|Applied edit to (?P<applied>.+)|# \d+ SEARCH/REPLACE blocks? (?P<failed>failed to match)!"
    r"|Commit (?P<commit>[0-9a-f]{7,40}) |Removed: (?P<undone>[0-9a-f]{7,40}) )"
)
"""What aider says of itself when it starts, of an answer, or of one before it."""

_LAST_OF_FAILURE = "The SEARCH section must exactly match"
"""Until there aider shows the blocks that did not fit, once more."""

_TOKENS = re.compile(r"> Tokens: \S+ sent,")


@dataclass
class _Answer:
    """An answer of the model, and what aider has made of it."""

    line: int
    time: str = ""
    version: str = "unknown"
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
    for each in _list_answers(path.read_text("utf-8", "replace").split("\n")):
        about = _name_answer(path, each.line, each.time, each.version)
        yield about
        words, form = "".join(f"{line}\n" for line in each.words), _FORMATS.get(each.form, BLOCKS)
        edits = (
            _list_files(words, {})
            if form == WHOLE
            else ((x.path, _make_call(x.path, form, [x], None)) for x in _parse(words, form))
        )
        own = (edit for path, edit in edits if each.has_failed or path in each.applied)
        for number, did in enumerate(own, 1):
            yield LoggedCall(f"{about.where}.{number}", "answer", did=did)


def _list_answers(lines: Iterable[str]) -> list[_Answer]:
    """List the answers; of one that was undone nothing was applied."""
    answers, end, is_said = [_Answer(0)], "", True
    for number, line in enumerate(lines, 1):
        start, heard, answer = _START.match(line), _HEARD.match(line), answers[-1]
        if end and not start and not _TOKENS.match(line):
            answer.words += [line] if is_said else []
            end = "" if line.startswith(end) else end
            continue
        end, is_said = "", True
        if start:
            answers.append(_Answer(number, start[1]))
        elif line.startswith("#### "):
            answers.append(answer.begin_next(number))
        elif not line.startswith(">"):
            if answer.applied or answer.has_failed:
                answers.append(answer.begin_next(number))
            fence = _FENCE.match(line)
            end = "" if fence is None else _close(fence)
            answers[-1].words.append(line)
        elif heard is not None and (kind := heard.lastgroup) is not None:
            if kind == "applied":
                answer.applied.append(heard[kind].rstrip())
            elif kind == "failed":
                answer.has_failed, end, is_said = True, _LAST_OF_FAILURE, False
            elif kind == "undone":
                for each in answers:
                    if each.commit == heard[kind]:
                        each.applied, each.has_failed = [], False
            else:
                setattr(answer, kind, heard[kind])
    return answers


def _find_logs(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """The history of its model's calls, where its settings name one, else that of its chats."""
    told = environment.get("AIDER_LLM_HISTORY_FILE") or ".aider.llm.history"
    chats = environment.get("AIDER_CHAT_HISTORY_FILE") or ".aider.chat.history.md"
    return (root / (told if (root / told).is_file() else chats) for root in roots)


AGENT = Agent(
    name=NAME,
    settings=lambda command: {".aider.conf.yml": _SETTINGS},
    logs=(
        Log(NAME, _find_logs, suffix=".chat.history.md", read=read_chat),
        Log(NAME, _find_logs, suffix=".llm.history", read=read_history),
    ),
    remaining=(
        r"keep aider's own files out of commits: printf '.aider*\n!.aider.conf.yml\n' >>.gitignore",
        "when aider has edited: git add -A && hkgit adopt --staged && git commit",
    ),
)

"""The edits in an answer of aider's model, in the format its request asks for.

aider.chat/docs/more/edit-formats.html tells the formats: SEARCH/REPLACE blocks (`diff`), whole
files (`whole`), diffs without line numbers (`udiff`), and patches as of `apply_patch` (`patch`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from hkgit import dialects
from hkgit.agents.events import Editing, Told
from hkgit.dialects import protocol
from hkgit.dialects.search_replace import write_block
from hkgit.edits import AnyEdit, Edit
from hkgit.errors import InvalidInput

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
_BETWEEN = "-------"


def find_format(asked: Sequence[str]) -> str | None:
    """Find the format that a request asks for; None where its answer is no edit, as in `/ask`."""
    lines = asked[1:] if asked[:1] == [_BETWEEN] else asked
    prompt = [*takewhile(lambda line: line != _BETWEEN, lines)]
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
    files = None if before is None else {path: before}
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
    before = {path: shown[path]} if path in shown else None
    return Editing(spec, "text-editor", told=Told((path,), before=before, after={path: content}))

"""edit_answers.py: find the lines of a file that the answer to an edit of it has shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from hkgit.agents.events import END, Did, Editing, Snippets, ToolReading
from hkgit.agents.tools import Tool
from hkgit.text.json_nodes import JsonObject
from hkgit.values import replace

_RANGE = re.compile(r".*? Showing lines (\d+)-(\d+) of \d+ from the edited file:\n\n---\n\n")
_CHANGED = re.compile(r"\+(\d+: .*)")
_CODE = " Here is the updated code:\n"
_GAP = "..."

Find = Callable[[str, str], ToolReading | Snippets | None]
"""Finds what an answer shows, by the path of the file and the text of the answer."""


def showing(tool: Tool, text_of: Callable[[object], str], find: Find) -> Tool:
    """Make an edit tool that answers with lines of the file."""

    def did(arguments: JsonObject, answer: object) -> Did | None:
        edit, path = tool(arguments, answer), arguments.get("file_path", arguments.get("path"))
        if not isinstance(edit, Editing) or not isinstance(path, str):
            return edit
        return replace(edit, shown=find(path, text_of(answer)))

    return did


def find_code(path: str, answer: str) -> Snippets | None:
    """Find what Gemini CLI shows: changed lines and some around them, with gaps between."""
    _, found, code = answer.partition(_CODE)
    pieces = groupby(code.removesuffix("\n").split("\n"), _GAP.__eq__)
    texts = tuple("\n".join(lines) for is_gap, lines in pieces if not is_gap)
    return Snippets(path, texts) if found else None


def find_range(path: str, answer: str) -> ToolReading | None:
    """Find what Qwen Code shows: a range of lines, which it names."""
    found = _RANGE.match(answer)
    if found is None:
        return None
    return ToolReading(path, int(found[1]), int(found[2]), answer[found.end() :])


def find_changed(path: str, answer: str) -> ToolReading:
    """Find what Cline shows: the lines that were taken out and those put in, with their numbers."""
    changed = (found[1] for line in answer.split("\n") if (found := _CHANGED.fullmatch(line)))
    return ToolReading(path, 1, END, "\n".join(changed))

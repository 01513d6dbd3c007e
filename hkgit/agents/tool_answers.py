"""Answers of tools: searches, edits, notebooks.

So a line counts where it is whole in the answer, behind the number that it has in its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from hkgit.agents.events import END, Did, Editing, NotebookReading, Shell, Snippets, ToolReading
from hkgit.agents.json_fields import table
from hkgit.agents.tools import Tool, text_of
from hkgit.errors import InvalidInput
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace


def find_cells(read: NotebookReading, directory: Path) -> Iterator[ToolReading]:
    """Find the lines of each cell whose source is one that was shown."""
    # Few files are notebooks.
    from hkgit.agents.setup.jsonc import parse_jsonc

    try:
        text = Path(directory, read.path).read_bytes().decode()
        lists = {each.key: each for each in parse_jsonc(text).list_items()}
        cells = lists["cells"].list_items()
    except (OSError, ValueError, InvalidInput, KeyError):
        return
    for cell in cells:
        source = table(cell.value).get("source")  # a text, or its lines
        if ("".join(map(str, source)) if isinstance(source, list) else source) in read.cells:
            first, last = (text.count("\n", 0, at) + 1 for at in (cell.start, cell.end))
            yield ToolReading(read.path, first, last)


_RANGE = r".*? Showing lines (\d+)-(\d+) of \d+ from the edited file:\n\n---\n\n"
_CHANGED = r"(?m)^\+(\d+: .*)"
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
    found = re.match(_RANGE, answer)
    if found is None:
        return None
    return ToolReading(path, int(found[1]), int(found[2]), answer[found.end() :])


def find_changed(path: str, answer: str) -> ToolReading:
    """Find what Cline shows: the lines that were taken out and those put in, with their numbers."""
    return ToolReading(path, 1, END, "\n".join(re.findall(_CHANGED, answer)))


Naming = Callable[[str], Iterable[str]]
"""Gives the lines of an answer, each with its file's name and its number before it."""


def name_by_heads(head: str, line: str) -> Naming:
    """Make a reader of answers with the files' names above their lines, by two patterns.

    The second one finds the number, the sign after it, and the text. Other lines are left as
    they are.
    """
    is_head, is_line = re.compile(head), re.compile(line)

    def name_lines(answer: str) -> Iterator[str]:
        name = ""
        for line in answer.split("\n"):
            if name and (found := is_line.fullmatch(line)) is not None:
                number, mark, text = found.groups()
                yield f"{name}{mark}{number}{mark}{text}"
            elif (title := is_head.fullmatch(line)) is not None:
                name = title[1]
            else:
                yield line

    return name_lines


def searching(
    name: str = "path",
    *,
    is_base: bool,
    shown: Callable[[object], object] = text_of,
    naming: Naming = lambda answer: answer.split("\n"),
) -> Tool:
    """Make a tool that searches in the place which that argument names.

    With `is_base` the names in its answer are told from that place on. `shown` finds the answer;
    one that needs no `naming` is rg's own.
    """

    def did(arguments: JsonObject, answer: object) -> Shell:
        import shlex  # few calls search

        place = arguments.get(name)
        place = place if isinstance(place, str) and place else "."
        target, folder = (".", place) if is_base else (place, "")
        output = "\n".join(naming(text_of(shown(answer))))
        return Shell(f"rg -n {shlex.quote(target)}", output, folder)

    return did

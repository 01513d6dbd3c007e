"""searches.py: read what an agent's own search tool has shown as the output of `rg -n`.

So a line counts where it stands whole in the answer, behind the number that it has in its file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

from hkgit.agents.events import Shell
from hkgit.agents.tools import Tool, text_of
from hkgit.text.json_nodes import JsonObject

Naming = Callable[[str], Iterator[str]]
"""Gives the lines of an answer, each with its file's name and its number before it."""


def as_printed(answer: str) -> Iterator[str]:
    """Yield the lines of an answer that is rg's own output."""
    yield from answer.split("\n")


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


def close_gaps(answer: str) -> Iterator[str]:
    """Yield the lines of an answer that has a blank behind each number, without that blank."""
    for line in answer.split("\n"):
        yield re.sub(r"\A(.+?)([:-])(\d+)\2 ", r"\1\2\3\2", line)


def searching(
    name: str = "path",
    *,
    is_base: bool,
    shown: Callable[[object], object],
    naming: Naming = as_printed,
) -> Tool:
    """Make a tool that searches in the place which that argument names.

    With `is_base` the names in its answer are told from that place on.

    `shown` finds the answer.
    """

    def did(arguments: JsonObject, answer: object) -> Shell:
        place = arguments.get(name)
        place = place if isinstance(place, str) and place else "."
        target, folder = (".", place) if is_base else (place, "")
        output = "\n".join(naming(text_of(shown(answer))))
        return Shell(f"rg -n {shlex.quote(target)}", output, folder)

    return did

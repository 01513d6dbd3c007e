"""searches.py: read what an agent's own search tool has shown as the output of `rg -n`.

So a line counts where it stands whole in the answer, behind the number that it has in its file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

from hkgit.agents.events import Shell, Tool, text_of
from hkgit.text.json_nodes import JsonObject

_NAME = re.compile(r"File: (.+)|([^\s:].*):")
"""A file's name above its lines: Gemini CLI and Qwen Code, OpenCode."""

_LINE = re.compile(r"(?:L|  Line )(\d+)([:-]) (.*)")


def searching(name: str = "path", *, is_base: bool, shown: Callable[[object], object]) -> Tool:
    """A tool that searches in the place which that argument names, by `shown` its answer.

    With `is_base` the names in its answer are told from that place on.
    """

    def did(arguments: JsonObject, answer: object) -> Shell:
        place = arguments.get(name)
        place = place if isinstance(place, str) and place else "."
        target, folder = (".", place) if is_base else (place, "")
        output = "\n".join(_name_lines(text_of(shown(answer))))
        return Shell(f"rg -n {shlex.quote(target)}", output, folder)

    return did


def _name_lines(answer: str) -> Iterator[str]:
    """The lines of an answer, each with its file's name before it, as rg prints them."""
    name = ""
    for line in answer.split("\n"):
        if (found := _LINE.fullmatch(line)) is not None and name:
            number, mark, text = found.groups()
            yield f"{name}{mark}{number}{mark}{text}"
        elif (head := _NAME.fullmatch(line)) is not None:
            name = head[1] or head[2]
        else:
            yield line

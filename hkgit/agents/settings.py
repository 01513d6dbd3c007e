"""settings.py: parts of files that connect an agent: how each is put in and taken out again.

In files that others write too only hkgit's own part is touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hkgit.agents import jsonc
from hkgit.errors import InvalidInput

BEGIN = ">>> hkgit init --agent"
END = "<<< hkgit init --agent"

MCP_SERVER = {"command": "hkgit", "args": ["mcp"]}
"""How most agents are told of a server that they are to start."""


@dataclass(frozen=True, slots=True)
class JsonPart:
    """Members of a JSON file; a new file begins as `skeleton`."""

    path: str
    value: dict[str, Any]
    skeleton: str = "{}\n"

    def added(self, text: str | None) -> str:
        return jsonc.added(self.skeleton if text is None else text, self.value)

    def removed(self, text: str) -> str | None:
        """The file without it; None where nothing of anybody's is left."""
        left = jsonc.removed(text, self.value)
        return None if left == jsonc.removed(self.added(None), self.value) else left


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines of a text file, between two lines of comment that `comment` makes of marks."""

    path: str
    text: str
    comment: tuple[str, str] = ("# ", "")

    def added(self, text: str | None) -> str:
        before, after = self._around(text or "")
        gap = "\n" if before and not before.endswith("\n\n") else ""
        return f"{_ended(before)}{gap if not after else ''}{self._block()}{after}"

    def removed(self, text: str) -> str | None:
        """The file without it; None where nothing is left."""
        before, after = self._around(text)
        if not after:
            before = before.removesuffix("\n") if before.endswith("\n\n") else before
        return before + after or None

    def _block(self) -> str:
        return f"{self._mark(BEGIN)}\n{self.text}{self._mark(END)}\n"

    def _mark(self, words: str) -> str:
        return f"{self.comment[0]}{words}{self.comment[1]}"

    def _around(self, text: str) -> tuple[str, str]:
        """What stands before and after the lines; all before where they are not there."""
        begin, end = f"{self._mark(BEGIN)}\n", f"{self._mark(END)}\n"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        return (before, after) if found and closed else (text, "")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file of hkgit's alone."""

    path: str
    text: str

    def added(self, text: str | None) -> str:
        if text is not None and text != self.text:
            what = "has been changed, or is of another version of hkgit"
            raise InvalidInput(self.path, what, "Move it away, then try again.")
        return self.text

    def removed(self, text: str) -> str | None:
        return None if text == self.text else text


Part = JsonPart | TextPart | FilePart


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"

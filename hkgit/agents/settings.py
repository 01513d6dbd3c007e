"""settings.py: puts an agent's settings into a checkout and takes them out again, as a plan.

In files that others write too only hkgit's own part is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hkgit.agents import jsonc
from hkgit.edits import decoded, encoded
from hkgit.errors import InvalidInput
from hkgit.setup.steps import Action, Step, kept, read

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
        if text is not None and text != self.text and "hkgit" not in text:
            raise InvalidInput(self.path, "is another file already", "Move it away first.")
        return self.text

    def removed(self, text: str) -> str | None:
        return None if text == self.text else text


Part = JsonPart | TextPart | FilePart


def install(root: Path, parts: Iterable[Part], outdated: Iterable[Part] = ()) -> Iterator[Step]:
    """Put the parts in, in place of `outdated` ones of the same files."""
    old = {part.path: part for part in outdated}
    for part in parts:
        path = root / part.path
        content = read(path)
        text = None if content is None else decoded(content)
        before = text
        try:
            if text is not None and part.path in old and part.added(text) != text:
                text = old[part.path].removed(text)
            wanted = part.added(text)
        except InvalidInput as error:
            yield Step(path, Action.BLOCKED, f"{error.where} {error.what}. {error.fix}")
            continue
        if wanted == before:
            yield kept(path, "says so already")
        else:
            yield Step(path, Action.WROTE, "", encoded(wanted))


def remove(root: Path, parts: Iterable[Part]) -> Iterator[Step]:
    """Take the parts out; a file in which nothing else stands goes with them."""
    for part in parts:
        path = root / part.path
        content = read(path)
        if content is None:
            continue
        try:
            left = part.removed(decoded(content))
        except InvalidInput as error:
            yield kept(path, f"{error.where} {error.what}")
            continue
        if left is None:
            yield Step(path, Action.REMOVED)
        elif encoded(left) != content:
            yield Step(path, Action.WROTE, "without hkgit's part", encoded(left))
        elif isinstance(part, FilePart):
            yield kept(path, "it is yours: not as hkgit wrote it")


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"

"""The interface of a dialect, and the result of its parser."""

from __future__ import annotations

from hkgit.edits import AnyEdit
from hkgit.errors import InvalidInput
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # hooks load this module at each call of a tool, and nothing else of `typing`

NO_BLOCK = r"(?!)"
"""For a dialect in which no line of content begins a line of the text."""


@dataclass(frozen=True)
class ParseResult:
    """What a text says: its edits in order, and what it says about itself.

    `miscounted` are the numbers, from 1, of the edits whose hunk has other numbers of lines than
    its header says.
    """

    edits: tuple[AnyEdit, ...]
    base: str | None = None
    agent: str | None = None
    summary: str | None = None
    miscounted: frozenset[int] = frozenset()


class Dialect(Protocol):
    """A notation for edits; each is one module."""

    NAME: str
    JSON: bool
    """Whether the text must be UTF-8, as JSON is."""

    BLOCK: str
    """What an edit looks like whose content may look like another dialect."""

    def detects(self, text: str) -> bool:
        """Whether a text looks like this dialect, well-formed or not."""

    def parse(self, text: str) -> ParseResult:
        """Read a text; raises InvalidInput that names the line or JSON path."""


def refuse_line(index: int, what: str, fix: str) -> InvalidInput:
    """Build the error for a line of the text; `index` counts from 0."""
    return InvalidInput(f"line {index + 1}", what, fix)


def split_lines(text: str) -> tuple[str, ...]:
    """Split a text into lines; `\\r\\n` ends one too, and the last may have no end."""
    unix = text.replace("\r\n", "\n")
    return tuple(unix.removesuffix("\n").split("\n")) if unix else ()

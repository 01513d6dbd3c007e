"""The interface of a dialect."""

from __future__ import annotations

from collections.abc import Callable

from hkgit.edits import Spec
from hkgit.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # hooks load this module at each call of a tool, and nothing else of `typing`

NO_BLOCK = r"(?!)"
"""For a dialect in which no line of content begins a line of the text."""


Exists = Callable[[str], bool] | None
"""Says whether a word is the name of a file, where nothing else shows it."""


class Dialect(Protocol):
    """A notation for edits; each is one module."""

    NAME: str
    JSON: bool
    """Whether the text must be UTF-8, as JSON is."""

    BLOCK: str
    """What an edit looks like whose content may look like another dialect."""

    def detects(self, text: str) -> bool:
        """Whether a text looks like this dialect, well-formed or not."""

    def parse(self, text: str, exists: Exists) -> Spec:
        """Read a text; raises InvalidInput that names the line or JSON path."""


def refuse_line(index: int, what: str, fix: str) -> InvalidInput:
    """Build the error for a line of the text; `index` counts from 0."""
    return InvalidInput(f"line {index + 1}", what, fix)


def split_lines(text: str) -> tuple[str, ...]:
    """Split a text into lines; `\\r\\n` ends one too, and the last may have no end."""
    unix = text.replace("\r\n", "\n")
    return tuple(unix.removesuffix("\n").split("\n")) if unix else ()

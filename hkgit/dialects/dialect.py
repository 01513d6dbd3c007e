"""The interface of a dialect, and a table of what each looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hkgit.edits import Spec
from hkgit.errors import InvalidInput
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # hooks load this module at each call of a tool, and nothing else of `typing`

NO_BLOCK = r"(?!)"  # For a dialect in which no line of content begins a line of the text


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


@dataclass(frozen=True)
class Appearance:
    """The shape of a dialect, in words, and what shows it.

    One of `signs` is in every text of it, or the text has JSON, where it may come `in_json`. Of a
    text that is in no dialect, `hints` or the `keys` of its JSON say which one was meant.
    """

    shape: str
    signs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    in_json: bool = True


APPEARANCES: Mapping[str, Appearance] = {
    "protocol": Appearance(
        '`{"version": "1", "operations": [{"op", "path", ...}]}`',
        keys=frozenset({"version", "op"}),
    ),
    "search-replace": Appearance(
        "`<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` below a line with the path",
        signs=("<<<<", "-----"),
        hints=("SEARCH", "REPLACE", "ORIGINAL", "UPDATED", "<<<<<", ">>>>>"),
        in_json=False,
    ),
    "apply-patch": Appearance(
        "`*** Begin Patch`, `*** Update File: PATH`, `@@`, `*** End Patch`",
        signs=("*** ",),
        hints=("*** ",),
    ),
    "unified-diff": Appearance(
        "`--- a/PATH`, `+++ b/PATH`, `@@ -1,2 +1,2 @@`, whose numbers may be wrong",
        signs=("+++ ", "diff --git "),
        hints=("@@", "+++", "```diff", "\n--- "),
        in_json=False,
    ),
    "harnesskit": Appearance(
        '`{"file", "old_text", "new_text"}`, a list of them, `{"edits": [...]}`, or XML,'
        ' `<edit file="PATH"><old>…</old><new>…</new></edit>`',
        signs=("<edit",),
        hints=("<edit", "<old", "<new"),
    ),
    "hashline": Appearance(
        '`{"path", "hash_start", "hash_stop", "content"}`',
        keys=frozenset({"hash_start", "hash_stop", "offset"}),
    ),
    "text-editor": Appearance(
        '`{"file_path", "old_string", "new_string"}` or `{"command", "path", ...}`',
        keys=frozenset({"file_path", "command", "old_string", "new_string", "old_str", "content"}),
    ),
}
"""Every dialect; where several may have been meant, the first was."""

"""hunks.py: lines with ` `, `-` or `+` before them, as unified-diff and apply-patch have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from hkgit.dialects.reading import refuse_unsupported
from hkgit.edits import AnyEdit, Edit
from hkgit.values import dataclass, field, late_pattern

_HEADING = late_pattern(r"@@(?:[-+\d, .]*@@)?[ \t]*(?P<words>.*?)[ \t]*(?:@@)?\s*")


@dataclass(slots=True)
class Body:
    """The two sides of a hunk as far as it is read.

    A blank line without its space is context, but only if more of the hunk follows: till then
    it waits in `blanks`.
    """

    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    blanks: list[str] = field(default_factory=list)
    last: str = ""

    def take(self, line: str) -> bool:
        """Add a line; False for one that has no prefix and so is no part of a hunk."""
        prefix = line[:1]
        if line.rstrip("\r") == "":
            self.blanks.append(line)
            return True
        if prefix not in " -+":
            return False
        self.keep_blanks(len(self.blanks))
        self.blanks.clear()
        self.last = prefix
        if prefix != "+":
            self.old.append(line[1:])
        if prefix != "-":
            self.new.append(line[1:])
        return True

    def keep_blanks(self, count: int) -> None:
        """Take the first of the waiting lines for context."""
        self.old += self.blanks[:count]
        self.new += self.blanks[:count]

    def sides(self) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
        """Pair each side's lines with its name, `old` or `new`."""
        return ("old", self.old), ("new", self.new)

    @property
    def is_empty(self) -> bool:
        return not self.old and not self.new


def find_heading(line: str) -> str:
    """Find the words behind the numbers of a hunk, or in their place; "" for dots and the like."""
    found = _HEADING.fullmatch(line)
    words = found["words"] if found is not None else ""
    return words if re.search(r"[^\W\d]", words) else ""


def join_lines(lines: Sequence[str]) -> str:
    """Join lines, each with a line feed behind it."""
    return "".join(f"{line}\n" for line in lines)


def split_ended_lines(dialect: str, edit: AnyEdit, text: str) -> list[str]:
    """Split an edit's text into lines; raise InvalidInput when the last one has no end."""
    lines = text.split("\n")
    if lines.pop() != "":
        raise refuse_unsupported(dialect, edit, "its last line has no end")
    return lines


def render_body(old: Sequence[str], new: Sequence[str], *, changes_end: bool = False) -> list[str]:
    """Write the prefixed lines that turn `old` into `new`; equal lines at both ends are context.

    With `changes_end` the last lines differ in their ends, so they are no context.
    """
    spare = min(len(old), len(new))
    if changes_end:
        spare = max(spare - 1, 0)
    before = _common(old[:spare], new[:spare])
    behind = 0 if changes_end else _common(old[before:][::-1], new[before:][::-1])
    return [
        *(f" {line}" for line in old[:before]),
        *(f"-{line}" for line in old[before : len(old) - behind]),
        *(f"+{line}" for line in new[before : len(new) - behind]),
        *(f" {line}" for line in old[len(old) - behind :]),
    ]


def render_head(edit: Edit, old: Sequence[str], new: Sequence[str]) -> str:
    """Write the line that opens a hunk: its numbers, then its heading."""
    hint = edit.line_hint or 0
    return f"@@ -{hint},{len(old)} +{hint},{len(new)} @@ {edit.heading}".rstrip()


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines two sequences begin with together."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))))

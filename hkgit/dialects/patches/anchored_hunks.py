"""anchored_hunks.py: hunks of apply-patch: `@@`, anchors or line numbers, and lines below them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.dialects.patches.hunks import Body, find_heading, join_lines, render_head
from hkgit.dialects.reading import refuse_line
from hkgit.edits import END_OF_FILE, Edit
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field, late_pattern

END_MARK = late_pattern(r"\*\*\* End of File\s*")
_NUMBERS = late_pattern(r"@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?\s*")


@dataclass(slots=True)
class AnchoredHunk:
    """A hunk under way: its first line, where it is said to stand, and its two sides."""

    index: int
    anchors: list[str] = field(default_factory=list)
    line_hint: int | None = None
    heading: str = ""
    body: Body = field(default_factory=Body)

    def note_place(self, line: str) -> None:
        """Take what stands behind `@@`: an anchor, line numbers, or nothing."""
        numbers = _NUMBERS.fullmatch(line)
        if numbers is not None:
            self.line_hint, self.heading = int(numbers[1]) or None, find_heading(line)
        else:
            self.anchors += _anchors(line)

    def edit(self, path: str) -> Edit:
        """Convert the hunk to an edit of a file."""
        old_text, new_text = join_lines(self.body.old), join_lines(self.body.new)
        hint, anchors = self.line_hint, tuple(self.anchors)
        if not old_text and not anchors and hint == END_OF_FILE:
            return Edit(path, "", new_text, at_end=True)
        return Edit(
            path=path,
            old_text=old_text,
            new_text=new_text,
            line_hint=hint,
            anchors=anchors,
            heading="" if hint == END_OF_FILE else self.heading,
            whole_lines=True,
        )


def parse_hunks(lines: Sequence[str], body: range) -> list[AnchoredHunk]:
    """Parse the hunks in a range of lines. Raises InvalidInput for none or malformed ones."""
    hunks: list[AnchoredHunk] = []
    is_open = False
    for index in body:
        line = lines[index]
        if END_MARK.fullmatch(line) and is_open:
            hunks[-1].line_hint = END_OF_FILE
            is_open = False
            continue
        begins = line.startswith("@@") and not (is_open and hunks[-1].body.is_empty)
        if begins or (not is_open and line.strip()):
            hunks.append(AnchoredHunk(index))
            is_open = True
        if line.startswith("@@"):
            hunks[-1].note_place(line)
            hunks[-1].body.blanks.clear()
        elif is_open and not hunks[-1].body.take(line):
            raise refuse_unprefixed(lines, index, "Begin each line of a hunk with a blank, + or -.")
    for hunk in hunks:
        if hunk.body.is_empty:
            raise refuse_line(
                hunk.index, "a hunk without lines", "Give its lines, or leave it out."
            )
    return hunks


def render_places(edit: Edit, old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Write the lines of an edit that say where it stands: its anchors, then its numbers."""
    places = [f"@@ {anchor}" for anchor in edit.anchors]
    is_numbered = edit.line_hint not in (None, END_OF_FILE)
    return [*places, render_head(edit, old, new)] if is_numbered or edit.heading else places


def _anchors(line: str) -> list[str]:
    """The texts behind `@@`, one or several on a line, without an `@@` that closes them."""
    text = line[2:].strip().removesuffix("@@")
    return [anchor.strip() for anchor in re.split(r"\s@@\s", text) if anchor.strip()]


def refuse_unprefixed(lines: Sequence[str], index: int, fix: str) -> InvalidInput:
    """Build the error for a line without a prefix that says kept, added or removed."""
    return refuse_line(index, f"a line without its prefix: {lines[index][:40]!r}", fix)

"""Hunks of diffs and patches: lines with a prefix, below a header or an anchor.

Bodies are counted and headers never trusted: the numbers of a hunk are a hint, and decide only
what its lines leave open, and whether the end of the text cuts it off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from hkgit.dialects.dialect import refuse_line
from hkgit.dialects.headings import is_fence
from hkgit.edits import END_OF_FILE, Edit
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field

Counts = tuple[int, int]  # Numbers of old and of new lines

_HEADING = r"@@(?:[-+\d, .]*@@)?[ \t]*(?P<words>.*?)[ \t]*(?:@@)?\s*"


@dataclass
class PatchHunk:
    """A hunk as far as it is read: its first line, where its header says that it is, its two sides.

    A blank line without its space is context, but only if more of the hunk follows: till then
    it waits in `blanks`. `counts` are the numbers of lines that its header names; `final_newline`
    is as in `Edit`.
    """

    index: int
    anchors: list[str] = field(default_factory=list)
    line_hint: int | None = None
    heading: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    blanks: list[str] = field(default_factory=list)
    last: str = ""
    final_newline: bool | None = None
    counts: Counts | None = None

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

    def count_missing_blanks(self) -> int | None:
        """Count the waiting lines that make it as long as its header says; None if none can."""
        if self.counts is None:
            return None
        missing = self.counts[0] - len(self.old)
        fits = missing == self.counts[1] - len(self.new) and 0 <= missing <= len(self.blanks)
        return missing if fits else None

    @property
    def is_miscounted(self) -> bool:
        return self.counts not in (None, (len(self.old), len(self.new)))

    @property
    def is_empty(self) -> bool:
        return not self.old and not self.new

    def expect_lines(self) -> None:
        """Raise InvalidInput where it has none."""
        if self.is_empty:
            fix = "Give its lines, or leave it out."
            raise refuse_line(self.index, "a hunk without lines", fix)

    def note_place(self, line: str) -> None:
        """Take what is behind `@@`: an anchor, line numbers, or nothing."""
        head = re.fullmatch(_HEAD, line)
        if head is not None:
            self.line_hint, self.heading = int(head["start"]) or None, find_heading(line)
        else:
            # One or several are on a line, without an `@@` that closes them.
            texts = re.split(r"\s@@\s", line[2:].strip().removesuffix("@@"))
            self.anchors += filter(None, map(str.strip, texts))

    def edit(self, path: str) -> Edit:
        """Convert the hunk to an edit of a file."""
        is_at_end = self.line_hint == END_OF_FILE
        if is_at_end and not self.old and not self.anchors:
            return Edit(path, "", join_lines(self.new), at_end=True)
        new_text, final_newline = join_lines(self.new), self.final_newline
        if not self.old and final_newline is False:  # into an empty file, as it is
            new_text, final_newline = new_text[:-1], None
        return Edit(
            path=path,
            old_text=join_lines(self.old),
            new_text=new_text,
            line_hint=self.line_hint,
            anchors=tuple(self.anchors),
            heading="" if is_at_end else self.heading,
            final_newline=final_newline,
            whole_lines=True,
        )


def find_heading(line: str) -> str:
    """Find the words behind the numbers of a hunk, or in their place; "" for dots and the like."""
    found = re.fullmatch(_HEADING, line)
    words = found["words"] if found is not None else ""
    return words if re.search(r"[^\W\d]", words) else ""


def join_lines(lines: Sequence[str]) -> str:
    """Join lines, each with a line feed behind it."""
    return "".join(f"{line}\n" for line in lines)


_HEAD = r"@@ -(?P<start>\d{1,9})(?:,(?P<old>\d{1,9}))? \+\d{1,9}(?:,(?P<new>\d{1,9}))?(?: @@.*)?\s*"
_BEHIND = r"@@|diff -|Index: |Only in "
_SENTENCE = r"[A-Z]\S*(?: \S+)+[.!?:]\s*"
_NAMES = (r"--- \"?a/.*", r"\+\+\+ \"?b/.*")
_SIGNATURE = r"\d+\.\d+"


def begins_sides(lines: Sequence[str], index: int) -> bool:
    """Whether `--- ` and `+++ ` are here."""
    below = "".join(lines[index + 1 : index + 2])
    return lines[index].startswith("--- ") and below.startswith("+++ ")


def read_hunk(lines: Sequence[str], start: int) -> tuple[PatchHunk, int]:
    """Read the hunk that begins at `start`, and the first line behind it. Raises InvalidInput."""
    if lines[start].startswith("@@@"):
        raise refuse_line(start, "the combined diff of a merge", "Give a diff of two sides.")
    head = re.fullmatch(_HEAD, lines[start])
    hunk = PatchHunk(start, heading=find_heading(lines[start]))
    if head is not None:
        hunk.line_hint = int(head["start"]) or None
        hunk.counts = int(head["old"] or 1), int(head["new"] or 1)
    index = start + 1
    ends: dict[str, int] = {}
    while index < len(lines) and not _ends(lines, index, hunk):
        if lines[index].startswith("\\ "):
            ends |= {"old": len(hunk.old)} if hunk.last != "+" else {}
            ends |= {"new": len(hunk.new)} if hunk.last != "-" else {}
        else:
            # A line that begins with a tab has lost its space, as for GNU patch too.
            is_tabbed = lines[index].startswith("\t") and lines[index].strip()
            if not hunk.take(f" {lines[index]}" if is_tabbed else lines[index]):
                what = f"a line of a hunk without a prefix: {lines[index][:40]!r}"
                raise refuse_line(index, what, "Begin each line of a hunk with a space, + or -.")
        index += 1
    hunk.keep_blanks(hunk.count_missing_blanks() or 0)
    if not any(line.strip() for line in lines[index:]):
        _refuse_short(hunk)
    hunk.expect_lines()
    if ends != {name: len(getattr(hunk, name)) for name in ends}:
        raise refuse_line(start, "lines after the end of the file", "Put its marker last.")
    hunk.final_newline = None if len(ends) != 1 else "old" in ends
    return hunk, index


def _refuse_short(hunk: PatchHunk) -> None:
    """Raise InvalidInput for a hunk with fewer lines, on no side more, than its header says."""
    old, new = hunk.counts or (0, 0)
    if hunk.is_miscounted and len(hunk.old) <= old and len(hunk.new) <= new:
        what = (
            f"the hunk is shorter than its header says: {old} old and {new} new lines,"
            f" found {len(hunk.old)} and {len(hunk.new)}"
        )
        fix = "Send all of it again; if it is complete, correct the line numbers in the header."
        raise refuse_line(hunk.index, what, fix)


def _ends(lines: Sequence[str], index: int, hunk: PatchHunk) -> bool:
    """Whether a line is not the hunk's any more; only here the counts of its header weigh."""
    line = lines[index]
    if begins_sides(lines, index):
        return not _is_content(lines, index, hunk)
    if line.rstrip() == "--" and re.match(_SIGNATURE, "".join(lines[index + 1 : index + 2])):
        return True
    if line[:1] in ("", " ", "+", "-", "\\", "\r", "\t"):
        return False
    is_full = hunk.count_missing_blanks() is not None
    is_prose = bool(hunk.blanks) and (is_full or _is_prose(lines, index, hunk))
    return is_prose or is_fence(line) or re.match(_BEHIND, line) is not None


def _is_prose(lines: Sequence[str], index: int, hunk: PatchHunk) -> bool:
    """Whether a sentence is behind a hunk that has none itself, and nothing of a hunk below."""
    if re.fullmatch(_SENTENCE, lines[index]) is None:
        return False
    below = takewhile(
        lambda line: not is_fence(line) and not re.match(_BEHIND, line), lines[index:]
    )
    is_below = any(line[:1] in ("+", "-", " ", "\t") for line in below if line)
    return not is_below and not any(map(re.compile(_SENTENCE).fullmatch, (*hunk.old, *hunk.new)))


def _is_content(lines: Sequence[str], index: int, hunk: PatchHunk) -> bool:
    """Whether `--- x` and `+++ y` are a line removed and a line added, by the header's counts."""
    is_named = all(re.match(name, line) for name, line in zip(_NAMES, lines[index:], strict=False))
    if hunk.counts is None or is_named:
        return False
    waiting = len(hunk.blanks) + 1
    missing = hunk.counts[0] - len(hunk.old) - waiting, hunk.counts[1] - len(hunk.new) - waiting
    is_last = "".join(lines[index + 2 : index + 3]).startswith("@@")
    return missing == (0, 0) if is_last else min(missing) >= 0


END_MARK = r"\*\*\* End of File\s*"


def parse_hunks(lines: Sequence[str], body: range) -> list[PatchHunk]:
    """Parse the hunks in a range of lines. Raises InvalidInput for none or malformed ones."""
    hunks: list[PatchHunk] = []
    is_open = False
    for index in body:
        line = lines[index]
        if re.fullmatch(END_MARK, line) and is_open:
            hunks[-1].line_hint = END_OF_FILE
            is_open = False
            continue
        begins = line.startswith("@@") and not (is_open and hunks[-1].is_empty)
        if begins or (not is_open and line.strip()):
            hunks.append(PatchHunk(index))
            is_open = True
        if line.startswith("@@"):
            hunks[-1].note_place(line)
            hunks[-1].blanks.clear()
        elif is_open and not hunks[-1].take(line):
            raise refuse_unprefixed(lines, index, "Begin each line of a hunk with a space, + or -.")
    for hunk in hunks:
        hunk.expect_lines()
    return hunks


def refuse_unprefixed(lines: Sequence[str], index: int, fix: str) -> InvalidInput:
    """Build the error for a line without a prefix that says kept, added or removed."""
    return refuse_line(index, f"a line without its prefix: {lines[index][:40]!r}", fix)

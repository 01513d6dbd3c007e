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

_HEADING = r"@@(?:[-+\d, .]*@@)?[ \t]*(?P<words>.*?)[ \t]*(?:@@)?\s*"


@dataclass
class PatchHunk:
    """A hunk as far as it is read: its first line, where its header says that it is, its two sides.

    A blank line without its space is context, but only if more of the hunk follows: till then
    it waits in `blanks`. `final_newline` is as in `Edit`; `is_miscounted` where the header names
    other numbers of lines than there are.
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
    is_miscounted: bool = False

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

    def note_place(self, line: str) -> None:
        """Take what is behind `@@`: an anchor, line numbers, or nothing."""
        head = re.fullmatch(_HEAD, line)
        if head is not None:
            self.line_hint, self.heading = int(head["start"]) or None, find_heading(line)
        else:
            self.anchors += _anchors(line)

    def edit(self, path: str) -> Edit:
        """Convert the hunk to an edit of a file."""
        is_at_end = self.line_hint == END_OF_FILE
        if is_at_end and not self.old and not self.anchors:
            return Edit(path, "", join_lines(self.new), at_end=True)
        return Edit(
            path=path,
            old_text=join_lines(self.old),
            new_text=join_lines(self.new),
            line_hint=self.line_hint,
            anchors=tuple(self.anchors),
            heading="" if is_at_end else self.heading,
            final_newline=self.final_newline,
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

Counts = tuple[int, int]


def begins_sides(lines: Sequence[str], index: int) -> bool:
    """Whether `--- ` and `+++ ` are here."""
    return lines[index].startswith("--- ") and any(
        line.startswith("+++ ") for line in lines[index + 1 : index + 2]
    )


def read_hunk(lines: Sequence[str], start: int) -> tuple[PatchHunk, int]:
    """Read the hunk that begins at `start`, and the first line behind it. Raises InvalidInput."""
    if lines[start].startswith("@@@"):
        raise refuse_line(start, "the combined diff of a merge", "Give a diff of two sides.")
    head = re.fullmatch(_HEAD, lines[start])
    counts = None if head is None else (int(head["old"] or 1), int(head["new"] or 1))
    hint = None if head is None else int(head["start"]) or None
    hunk = PatchHunk(start, line_hint=hint, heading=find_heading(lines[start]))
    index = start + 1
    ends: dict[str, int] = {}
    while index < len(lines) and not _ends(lines, index, hunk, counts):
        if lines[index].startswith("\\ "):
            ends |= {"old": len(hunk.old)} if hunk.last != "+" else {}
            ends |= {"new": len(hunk.new)} if hunk.last != "-" else {}
        elif not hunk.take(_with_blank(lines[index])):
            what = f"a line of a hunk without a prefix: {lines[index][:40]!r}"
            raise refuse_line(index, what, "Begin each line of a hunk with a space, + or -.")
        index += 1
    hunk.keep_blanks(_count_missing_blanks(hunk, counts) or 0)
    found = len(hunk.old), len(hunk.new)
    if counts is not None and not any(line.strip() for line in lines[index:]):
        _refuse_short(start, found, counts)
    if hunk.is_empty:
        raise refuse_line(start, "a hunk without lines", "Give its lines, or leave it out.")
    if any(ends[name] != len(side) for name, side in hunk.sides() if name in ends):
        raise refuse_line(start, "lines after the end of the file", "Put its marker last.")
    hunk.final_newline = None if len(ends) != 1 else "old" in ends
    hunk.is_miscounted = counts not in (None, found)
    return hunk, index


def _with_blank(line: str) -> str:
    """A line that begins with a tab has lost the space before it, as GNU patch takes it too."""
    return f" {line}" if line.startswith("\t") and line.strip() else line


def _refuse_short(start: int, found: Counts, counts: Counts) -> None:
    """Raise InvalidInput for a hunk with fewer lines, on no side more, than its header says."""
    if found == counts or found[0] > counts[0] or found[1] > counts[1]:
        return
    what = (
        f"the hunk is shorter than its header says: {counts[0]} old and {counts[1]} new lines,"
        f" found {found[0]} and {found[1]}"
    )
    fix = "Send all of it again; if it is complete, correct the line numbers in the header."
    raise refuse_line(start, what, fix)


def _ends(lines: Sequence[str], index: int, hunk: PatchHunk, counts: Counts | None) -> bool:
    """Whether a line is not the hunk's any more; only here the counts of its header weigh."""
    line = lines[index]
    if begins_sides(lines, index):
        return not _is_content(lines, index, hunk, counts)
    is_full = _count_missing_blanks(hunk, counts) is not None
    if line.rstrip() == "--" and any(
        map(re.compile(_SIGNATURE).match, lines[index + 1 : index + 2])
    ):
        return True
    if line[:1] in ("", " ", "+", "-", "\\", "\r", "\t"):
        return False
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


def _is_content(lines: Sequence[str], index: int, hunk: PatchHunk, counts: Counts | None) -> bool:
    """Whether `--- x` and `+++ y` are a line removed and a line added, by the header's counts."""
    is_named = all(re.match(name, line) for name, line in zip(_NAMES, lines[index:], strict=False))
    if counts is None or is_named:
        return False
    waiting = len(hunk.blanks) + 1
    missing = counts[0] - len(hunk.old) - waiting, counts[1] - len(hunk.new) - waiting
    if any(line.startswith("@@") for line in lines[index + 2 : index + 3]):
        return missing == (0, 0)
    return min(missing) >= 0


def _count_missing_blanks(hunk: PatchHunk, counts: Counts | None) -> int | None:
    """Count the pending blank lines that make the body as long as its header says; else None."""
    if counts is None:
        return None
    missing = counts[0] - len(hunk.old)
    fits = missing == counts[1] - len(hunk.new) and 0 <= missing <= len(hunk.blanks)
    return missing if fits else None


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
        if hunk.is_empty:
            raise refuse_line(
                hunk.index, "a hunk without lines", "Give its lines, or leave it out."
            )
    return hunks


def _anchors(line: str) -> list[str]:
    """The texts behind `@@`, one or several on a line, without an `@@` that closes them."""
    text = line[2:].strip().removesuffix("@@")
    return [anchor.strip() for anchor in re.split(r"\s@@\s", text) if anchor.strip()]


def refuse_unprefixed(lines: Sequence[str], index: int, fix: str) -> InvalidInput:
    """Build the error for a line without a prefix that says kept, added or removed."""
    return refuse_line(index, f"a line without its prefix: {lines[index][:40]!r}", fix)

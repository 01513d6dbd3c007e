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


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Both sides of a hunk; `final_newline` as in `Edit`.

    `is_miscounted` where its header names other numbers of lines than it has.
    """

    line_hint: int | None
    old: Sequence[str]
    new: Sequence[str]
    final_newline: bool | None
    heading: str = ""
    is_miscounted: bool = False

    def edit(self, path: str) -> Edit:
        """Convert the hunk to an edit of a file."""
        return Edit(
            path=path,
            old_text=join_lines(self.old),
            new_text=join_lines(self.new),
            line_hint=self.line_hint,
            final_newline=self.final_newline,
            heading=self.heading,
            whole_lines=True,
        )


def begins_sides(lines: Sequence[str], index: int) -> bool:
    """Whether `--- ` and `+++ ` stand here."""
    return lines[index].startswith("--- ") and any(
        line.startswith("+++ ") for line in lines[index + 1 : index + 2]
    )


def read_hunk(lines: Sequence[str], start: int) -> tuple[PatchHunk, int]:
    """Read the hunk that begins at `start`, and the first line behind it. Raises InvalidInput."""
    if lines[start].startswith("@@@"):
        raise refuse_line(start, "the combined diff of a merge", "Give a diff of two sides.")
    head = re.fullmatch(_HEAD, lines[start])
    counts = None if head is None else (int(head["old"] or 1), int(head["new"] or 1))
    body, index = Body(), start + 1
    ends: dict[str, int] = {}
    while index < len(lines) and not _ends(lines, index, body, counts):
        if lines[index].startswith("\\ "):
            ends |= {"old": len(body.old)} if body.last != "+" else {}
            ends |= {"new": len(body.new)} if body.last != "-" else {}
        elif not body.take(_with_blank(lines[index])):
            what = f"a line of a hunk without a prefix: {lines[index][:40]!r}"
            raise refuse_line(index, what, "Begin each line of a hunk with a space, + or -.")
        index += 1
    body.keep_blanks(_count_missing_blanks(body, counts) or 0)
    found = len(body.old), len(body.new)
    if counts is not None and not any(line.strip() for line in lines[index:]):
        _refuse_short(start, found, counts)
    if body.is_empty:
        raise refuse_line(start, "a hunk without lines", "Give its lines, or leave it out.")
    if any(ends[name] != len(side) for name, side in body.sides() if name in ends):
        raise refuse_line(start, "lines after the end of the file", "Put its marker last.")
    final_newline = None if len(ends) != 1 else "old" in ends
    hint = None if head is None else int(head["start"]) or None
    hunk = PatchHunk(
        line_hint=hint,
        old=body.old,
        new=body.new,
        final_newline=final_newline,
        heading=find_heading(lines[start]),
        is_miscounted=counts not in (None, found),
    )
    return hunk, index


def _with_blank(line: str) -> str:
    """A line that begins with a tab has lost the blank before it, as GNU patch takes it too."""
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


def _ends(lines: Sequence[str], index: int, body: Body, counts: Counts | None) -> bool:
    """Whether a line is not the hunk's any more; only here the counts of its header weigh."""
    line = lines[index]
    if begins_sides(lines, index):
        return not _is_content(lines, index, body, counts)
    is_full = _count_missing_blanks(body, counts) is not None
    if line.rstrip() == "--" and any(
        map(re.compile(_SIGNATURE).match, lines[index + 1 : index + 2])
    ):
        return True
    if line[:1] in ("", " ", "+", "-", "\\", "\r", "\t"):
        return False
    is_prose = bool(body.blanks) and (is_full or _is_prose(lines, index, body))
    return is_prose or is_fence(line) or re.match(_BEHIND, line) is not None


def _is_prose(lines: Sequence[str], index: int, body: Body) -> bool:
    """Whether a sentence stands behind a hunk that has none itself, and nothing of a hunk below."""
    if re.fullmatch(_SENTENCE, lines[index]) is None:
        return False
    below = takewhile(
        lambda line: not is_fence(line) and not re.match(_BEHIND, line), lines[index:]
    )
    is_below = any(line[:1] in ("+", "-", " ", "\t") for line in below if line)
    return not is_below and not any(map(re.compile(_SENTENCE).fullmatch, (*body.old, *body.new)))


def _is_content(lines: Sequence[str], index: int, body: Body, counts: Counts | None) -> bool:
    """Whether `--- x` and `+++ y` are a line removed and a line added, by the header's counts."""
    is_named = all(re.match(name, line) for name, line in zip(_NAMES, lines[index:], strict=False))
    if counts is None or is_named:
        return False
    waiting = len(body.blanks) + 1
    missing = counts[0] - len(body.old) - waiting, counts[1] - len(body.new) - waiting
    if any(line.startswith("@@") for line in lines[index + 2 : index + 3]):
        return missing == (0, 0)
    return min(missing) >= 0


def _count_missing_blanks(body: Body, counts: Counts | None) -> int | None:
    """Count the pending blank lines that make the body as long as its header says; else None."""
    if counts is None:
        return None
    missing = counts[0] - len(body.old)
    fits = missing == counts[1] - len(body.new) and 0 <= missing <= len(body.blanks)
    return missing if fits else None


END_MARK = r"\*\*\* End of File\s*"
_NUMBERS = r"@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?\s*"


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
        numbers = re.fullmatch(_NUMBERS, line)
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
        if re.fullmatch(END_MARK, line) and is_open:
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
            raise refuse_unprefixed(lines, index, "Begin each line of a hunk with a space, + or -.")
    for hunk in hunks:
        if hunk.body.is_empty:
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

"""diff_hunks.py: the hunks of a unified diff.

Bodies are counted and headers never trusted: the numbers of a hunk are a hint, and decide only
what its lines leave open, and whether the end of the text cuts it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from hkgit.dialects.blocks.headings import is_fence
from hkgit.dialects.patches.hunks import Body, find_heading, join_lines
from hkgit.dialects.reading import refuse_line
from hkgit.edits import Edit
from hkgit.values import dataclass, late_pattern

_HEAD = late_pattern(
    r"@@ -(?P<start>\d{1,9})(?:,(?P<old>\d{1,9}))? \+\d{1,9}(?:,(?P<new>\d{1,9}))?(?: @@.*)?\s*"
)
_BEHIND = late_pattern(r"@@|diff -|Index: |Only in ")
_SENTENCE = late_pattern(r"[A-Z]\S*(?: \S+)+[.!?:]\s*")
_NAMES = (late_pattern(r"--- \"?a/.*"), late_pattern(r"\+\+\+ \"?b/.*"))
_SIGNATURE = late_pattern(r"\d+\.\d+")

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
    head = _HEAD.fullmatch(lines[start])
    counts = None if head is None else (int(head["old"] or 1), int(head["new"] or 1))
    body, index = Body(), start + 1
    ends: dict[str, int] = {}
    while index < len(lines) and not _ends(lines, index, body, counts):
        if lines[index].startswith("\\ "):
            ends |= {"old": len(body.old)} if body.last != "+" else {}
            ends |= {"new": len(body.new)} if body.last != "-" else {}
        elif not body.take(_with_blank(lines[index])):
            what = f"a line of a hunk without a prefix: {lines[index][:40]!r}"
            raise refuse_line(index, what, "Begin each line of a hunk with a blank, + or -.")
        index += 1
    body.keep_blanks(_count_missing_blanks(body, counts) or 0)
    found = len(body.old), len(body.new)
    if counts is not None and not any(line.strip() for line in lines[index:]):
        _refuse_short(start, found, counts)
    if body.is_empty:
        raise refuse_line(start, "a hunk without lines", "Give its lines, or leave it out.")
    if any(ends[name] != len(side) for name, side in body.sides() if name in ends):
        raise refuse_line(start, "lines behind the end of the file", "Put its marker last.")
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
    fix = "Send all of it again; where it is all, write the numbers of its lines in the header."
    raise refuse_line(start, what, fix)


def _ends(lines: Sequence[str], index: int, body: Body, counts: Counts | None) -> bool:
    """Whether a line is not the hunk's any more; only here the counts of its header weigh."""
    line = lines[index]
    if begins_sides(lines, index):
        return not _is_content(lines, index, body, counts)
    is_full = _count_missing_blanks(body, counts) is not None
    if line.rstrip() == "--" and any(map(_SIGNATURE.match, lines[index + 1 : index + 2])):
        return True
    if line[:1] in ("", " ", "+", "-", "\\", "\r", "\t"):
        return False
    is_prose = bool(body.blanks) and (is_full or _is_prose(lines, index, body))
    return is_prose or is_fence(line) or _BEHIND.match(line) is not None


def _is_prose(lines: Sequence[str], index: int, body: Body) -> bool:
    """Whether a sentence stands behind a hunk that has none itself, and nothing of a hunk below."""
    if _SENTENCE.fullmatch(lines[index]) is None:
        return False
    below = takewhile(lambda line: not is_fence(line) and not _BEHIND.match(line), lines[index:])
    is_below = any(line[:1] in ("+", "-", " ", "\t") for line in below if line)
    return not is_below and not any(map(_SENTENCE.fullmatch, (*body.old, *body.new)))


def _is_content(lines: Sequence[str], index: int, body: Body, counts: Counts | None) -> bool:
    """Whether `--- x` and `+++ y` are a line removed and a line added, by the header's counts."""
    is_named = all(name.match(line) for name, line in zip(_NAMES, lines[index:], strict=False))
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

"""search_replace.py: blocks between `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`.

The file's name stands above the head. A line of content that looks like a marker has a `\\` in
front of it, which reading takes away and rendering puts there. Where the author forgot that,
the divider is the one line that leaves both halves well-formed; when two do, we refuse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hkgit.dialects.dividers import divider
from hkgit.dialects.headings import (
    closes,
    heading,
    is_fence,
    is_shell_fence,
    name_above,
    name_in_prose,
)
from hkgit.dialects.reading import Reading, cannot_say, wrong_line
from hkgit.edits import AnyEdit, Edit

NAME = "search-replace"
SEQUENTIAL = True
JSON = False
_HEAD_MARK = r"(?:<{5,9} ?|-{5,9} )(?i:SEARCH)>?\s*"
_TAIL_MARK = r"(?:>{5,9} ?|\+{5,9} )(?i:REPLACE)\s*"
BLOCK = re.compile(rf"^{_HEAD_MARK}$(?s:.*?)(?:^{_TAIL_MARK}$|\Z)", re.MULTILINE)

_HEAD = re.compile(_HEAD_MARK)
_DIVIDER = re.compile(r"={5,9}\s*")
_TAIL = re.compile(_TAIL_MARK)
_START = re.compile(r":start_line:[ \t]*([0-9]{1,9})\s*")
_END = re.compile(r":end_line:[ \t]*[0-9]{1,9}\s*")
_RULE = re.compile(r"-{5,9}\s*")
_APPEND = re.compile(r":empty_search:append\s*")
_MARKERS = (_HEAD, _DIVIDER, _TAIL, _START, _END, _RULE, _APPEND)
_ESCAPED = re.compile(rf"\\*(?:{'|'.join(marker.pattern for marker in _MARKERS)})")
_STRAY = re.compile(r"\s*(?:[<-]{4,} *SEARCH\b|[>+]{4,} *REPLACE\b).*")
_SEEN = re.compile(r"^(?:<{4,} *|-{5,} +)(?i:SEARCH)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Block:
    """The halves of a block as ranges of lines; `after` is the first line that is not its own."""

    search: range
    replace: range
    line_hint: int | None
    after: int


def detects(text: str) -> bool:
    return _SEEN.search(text) is not None


def parse(text: str) -> Reading:
    lines = text.split("\n")
    edits: list[AnyEdit] = []
    path: str | None = None
    index = first = 0
    while index < len(lines):
        if not _HEAD.fullmatch(lines[index]):
            index = _next_line(lines, index)
            continue
        path = name_above(lines, first, index) or path or name_in_prose(lines, first, index)
        if path is None:
            what = "expected the name of a file on one of the three lines above, found none"
            fix = "Write the path alone on the line above the head, in backticks if it has blanks."
            raise wrong_line(index, what, fix)
        block = _block(lines, index)
        edits.append(_edit(path, lines, block))
        index = first = block.after
    return Reading(tuple(edits))


def render(edits: Sequence[AnyEdit]) -> str:
    return "\n".join(_said(edit) for edit in edits)


def _edit(path: str, lines: Sequence[str], block: _Block) -> Edit:
    new_text = _content(lines, block.replace)
    if [_APPEND.fullmatch(lines[i]) is not None for i in block.search] == [True]:
        return Edit(path, "", new_text, at_end=True)
    return Edit(path, _content(lines, block.search), new_text, line_hint=block.line_hint)


def _next_line(lines: Sequence[str], index: int) -> int:
    """The next line outside of blocks that may begin one; a fence of commands is passed over."""
    if _STRAY.fullmatch(lines[index]):
        what = f"a marker that belongs to no block: {lines[index].strip()[:40]!r}"
        raise wrong_line(index, what, "Write <<<<<<< SEARCH, =======, >>>>>>> REPLACE.")
    if not is_shell_fence(lines[index]):
        return index + 1
    if any(_HEAD.fullmatch(line) for line in lines[index + 1 : index + 3]):
        return index + 1
    for after in range(index + 1, len(lines)):
        if closes(lines[after], lines[index]):
            return after + 1
    raise wrong_line(index, "a fence of commands that is never closed", "Close it with ```.")


def _block(lines: Sequence[str], head: int) -> _Block:
    start, line_hint = _after_hints(lines, head + 1)
    end = _next_marker(lines, start)
    dividers = _dividers(lines, start, end)
    if not dividers:
        # Seen now and then: the tail in place of the divider, and once more as the tail.
        tail = _next_marker(lines, end + 1)
        if not _is_tail(lines, end) or not _is_tail(lines, tail) or _dividers(lines, end, tail):
            what = "expected ======= between the old and the new text, found none"
            raise wrong_line(head, what, "Put ======= between the two halves.")
        return _Block(range(start, end), range(end + 1, tail), line_hint, tail + 1)
    after = end + 1
    if not _is_tail(lines, end):
        end, after = _end_without_tail(lines, head, dividers, end)
    middle = divider(lines, head, [i for i in dividers if i < end], range(start, end))
    return _Block(range(start, middle), range(middle + 1, end), line_hint, after)


def _next_marker(lines: Sequence[str], index: int) -> int:
    """The next line that is a head or a tail, else the end of the text."""
    markers = range(index, len(lines))
    return next((i for i in markers if _HEAD.fullmatch(lines[i]) or _is_tail(lines, i)), len(lines))


def _is_tail(lines: Sequence[str], index: int) -> bool:
    return index < len(lines) and _TAIL.fullmatch(lines[index]) is not None


def _dividers(lines: Sequence[str], start: int, end: int) -> list[int]:
    return [i for i in range(start, end) if _DIVIDER.fullmatch(lines[i])]


def _after_hints(lines: Sequence[str], index: int) -> tuple[int, int | None]:
    """Where the content begins, and the line it is said to stand at in the file."""
    found = _START.fullmatch(lines[index]) if index < len(lines) else None
    if found is None:
        return index, None
    index += 1
    for marker in (_END, _RULE):
        if index < len(lines) and marker.fullmatch(lines[index]):
            index += 1
    return index, int(found[1])


def _end_without_tail(
    lines: Sequence[str], head: int, dividers: Sequence[int], end: int
) -> tuple[int, int]:
    """Where the new text ends, and where to read on, when no tail says it.

    Either the divider was written again in place of the tail, with nothing behind it that
    could be content, or it is the last block and the text ends with it.
    """
    last = dividers[-1]
    if len(dividers) == 2 and _is_wrapping(lines[last + 1 : end], end < len(lines)):
        return last, last + 1
    opening = next((line for line in lines[max(head - 2, 0) : head] if is_fence(line)), None)
    closing = end
    if opening is not None:
        closing = next((i for i in range(last, end) if closes(lines[i], opening)), end)
    while lines[closing - 1].strip() == "":
        closing -= 1
    is_whole = closing > last + 1 and not "".join(lines[closing:end]).strip("`~\r\t ")
    if end == len(lines) and len(dividers) == 1 and is_whole:
        return closing, end
    what = "a block without its tail"
    raise wrong_line(head, what, "End the new text with a line >>>>>>> REPLACE.")


def _is_wrapping(lines: Sequence[str], is_before_head: bool) -> bool:
    """Whether lines hold nothing but fences, and, above a head, the name of its file."""
    words = [line for line in lines if line.strip() and not is_fence(line)]
    if is_before_head and len(words) == 1:
        return any(mark in words[0] for mark in "./") and name_above(words, 0, 1) is not None
    return not words


def _content(lines: Sequence[str], half: range) -> str:
    kept = (lines[i][1:] if _is_escaped(lines[i]) else lines[i] for i in half)
    return "".join(f"{line}\n" for line in kept)


def _is_escaped(line: str) -> bool:
    return line.startswith("\\") and _ESCAPED.fullmatch(line) is not None


def _said(edit: AnyEdit) -> str:
    if not isinstance(edit, Edit):
        raise cannot_say(NAME, edit)
    plain = Edit(edit.path, edit.old_text, edit.new_text, line_hint=edit.line_hint)
    append = Edit(edit.path, "", edit.new_text, at_end=True)
    if edit not in (plain, append):
        raise cannot_say(NAME, edit, "only its texts and its line")
    name = heading(edit.path)
    if name is None:
        raise cannot_say(NAME, edit, "its path cannot stand on a line")
    hint = "" if edit.line_hint is None else f":start_line:{edit.line_hint}\n-------\n"
    old, new = _escaped(edit, edit.old_text), _escaped(edit, edit.new_text)
    if edit.at_end:
        old = ":empty_search:append\n"
    return f"{name}\n<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


def _escaped(edit: AnyEdit, text: str) -> str:
    lines = text.split("\n")
    if lines.pop() != "":
        raise cannot_say(NAME, edit, "its last line has no end")
    return "".join(f"\\{line}\n" if _ESCAPED.fullmatch(line) else f"{line}\n" for line in lines)

r"""The `search-replace` dialect: blocks between marks, below the name of their file.

All three markers have 5 to 12 marks. A line of content that looks like one has a `\` in front of
it, which reading takes away and writing puts there. Where the author forgot that, the divider is
the one line that leaves both halves well-formed; when two do, we refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hkgit.dialects.dialect import Exists, refuse_line
from hkgit.dialects.headings import (
    closes,
    find_name_above,
    find_name_in_prose,
    is_fence,
    is_shell_fence,
    render_heading,
)
from hkgit.edits import AnyEdit, Edit, Spec
from hkgit.errors import SEND_AGAIN

MARKS = "5,12"

HEAD = (
    rf"(?:<{{{MARKS}}} ?|-{{{MARKS}}} )(?:(?i:SEARCH)>?|ORIGINAL)"
    r"(?:[ \t]+line=([0-9]{1,9}))?\s*"
)
DIVIDER = rf"={{{MARKS}}}\s*"
TAIL = rf"(?:>{{{MARKS}}} ?|\+{{{MARKS}}} )(?:(?i:REPLACE)|UPDATED)\s*"

START = r":start_line:[ \t]*\[?([0-9]{1,9})\]?\s*"
END = r":end_line:[ \t]*\[?[0-9]{1,9}\]?\s*"
RULE = rf"-{{{MARKS}}}\s*"
APPEND = r":empty_search:append\s*"
STRAY = r"\s*(?:[<>=+-]{4,} *(?:SEARCH|REPLACE)\b|<{4,} *ORIGINAL\b|>{4,} *UPDATED\b).*"
SEEN = r"(?m)^(?:(?:<{4,} *|-{5,} +)(?i:SEARCH)\b|<{5,} *ORIGINAL\s*$)"

NAME = "search-replace"
JSON = False
BLOCK = rf"(?m)^{HEAD}$(?s:.*?)(?:^{TAIL}$|\Z)"

MAX_DIVIDERS = 50

_WORDS = r"(?:SEARCH|REPLACE)"
_NEAR = (
    rf"\s*(?:[<>=+-]{{5,}}[ \t]*(?i:{_WORDS})\b.*|[<>=]{{1,4}}[ \t]*{_WORDS}\s*"
    rf"|[+-]{{3,4}}[ \t]*{_WORDS}\s*|[<>=+-]{{5,}}[ \t]*(?:ORIGINAL|UPDATED|HEAD|END)\b.*"
    r"|[<>]{5,}(?:[ \t]+\S+)?\s*|[<>]{7}[ \t].*|:(?:start|end)_line:[ \t]*\[?[0-9]*\]?\s*)"
)
_FIRST = ("<", ">", "=", "+", "-", ":")
_MARKER = f"{HEAD}|{TAIL}"
_ESCAPED = rf"\\*(?:{'|'.join((HEAD, DIVIDER, TAIL, START, END, RULE, APPEND, _NEAR))})"
_ESCAPE = "Put a \\ in front of each line of content that looks like a marker."
_OPENS_CONFLICT = r"<{7}(?: .*)?\s*"
_CLOSES_CONFLICT = r">{7}(?: .*)?\s*"
_WORD = r"\w"


def detects(text: str) -> bool:
    return re.search(SEEN, text) is not None


def parse(text: str, exists: Exists) -> Spec:
    lines = text.split("\n")
    edits: list[AnyEdit] = []
    path: str | None = None
    index = first = 0
    while index < len(lines):
        if not re.fullmatch(HEAD, lines[index]):
            index = _find_next(lines, index)
            continue
        above = find_name_above(lines, first, index, exists)
        path = above or path or find_name_in_prose(lines, first, index)
        if path is None:
            what = "expected the name of a file on one of the three lines above, found none"
            fix = "Write only the path on the line above the head, in backticks if it has spaces."
            raise refuse_line(index, what, fix)
        old, new, first = _find_halves(lines, index)
        edits.append(_read_edit(path, lines, old, new, _read_hint(lines, index)))
        index = first
    return Spec.of(NAME, edits)


def _find_next(lines: Sequence[str], index: int) -> int:
    """Find the next line outside of blocks that may begin one; a fence of commands is skipped."""
    if _ends_within(lines, index, ("<<<<<<< SEARCH",), least=4):
        raise refuse_line(index, "the text ends inside the head of a block", SEND_AGAIN)
    if re.fullmatch(STRAY, lines[index]):
        what = f"a marker that belongs to no block: {lines[index].strip()[:40]!r}"
        raise refuse_line(index, what, "Write <<<<<<< SEARCH, =======, >>>>>>> REPLACE.")
    if not is_shell_fence(lines[index]):
        return index + 1
    if any(re.fullmatch(HEAD, line) for line in lines[index + 1 : index + 3]):
        return index + 1
    for after in range(index + 1, len(lines)):
        if closes(lines[after], lines[index]):
            return after + 1
    raise refuse_line(index, "a fence of commands that is never closed", "Close it with ```.")


def _ends_within(lines: Sequence[str], index: int, marks: Sequence[str], least: int = 1) -> bool:
    """Whether the text ends, but for fences, within one of some marks."""
    begun = lines[index].strip()
    is_part = any(mark != begun and mark.startswith(begun) for mark in marks)
    return is_part and len(begun) >= least and not "".join(lines[index + 1 :]).strip("`~ \t\r")


def _read_edit(
    path: str, lines: Sequence[str], old: range, new: range, line_hint: int | None
) -> Edit:
    new_text, suspects = _join_content(lines, new), tuple(_list_suspects(lines, new))
    if [re.fullmatch(APPEND, lines[i]) is not None for i in old] == [True]:
        return Edit(path=path, old_text="", new_text=new_text, at_end=True, suspects=suspects)
    return Edit(
        path=path,
        old_text=_join_content(lines, old),
        new_text=new_text,
        line_hint=line_hint,
        whole_lines=True,
        suspects=suspects,
    )


def _join_content(lines: Sequence[str], half: range) -> str:
    """Join the lines of a half; a backslash that says that what follows is text goes."""
    kept = (
        lines[i][1:] if lines[i].startswith("\\") and _needs_escape(lines[i]) else lines[i]
        for i in half
    )
    return "".join(f"{line}\n" for line in kept)


def _needs_escape(line: str) -> bool:
    """Whether a line of text would be read as a marker, or has backslashes before one."""
    return re.fullmatch(_ESCAPED, line) is not None


def _list_suspects(lines: Sequence[str], new: range) -> Iterator[str]:
    """List the new lines that look like markers, with nothing in front that says they are text."""
    is_top = True
    for i in new:
        if _is_near(lines[i]) or (is_top and re.fullmatch(RULE, lines[i])):
            yield lines[i].strip()
        is_top = is_top and any(re.fullmatch(hint, lines[i]) for hint in (START, END))


def _is_near(line: str) -> bool:
    """Whether a line looks like a marker, or is one in a place where it means nothing."""
    return line.lstrip().startswith(_FIRST) and re.fullmatch(_NEAR, line) is not None


def _read_hint(lines: Sequence[str], head: int) -> int | None:
    """Read the line of the file that is named below a head, or else in it."""
    below = [re.fullmatch(START, line) for line in lines[head + 1 : head + 2]]
    named = (found for found in (*below, re.fullmatch(HEAD, lines[head])) if found and found[1])
    return next((int(found[1]) for found in named), None)


Halves = tuple[range, range, int]
"""The lines of the old and of the new text of a block, and the first line behind it."""


def _find_halves(lines: Sequence[str], head: int) -> Halves:
    start = _skip_hints(lines, head + 1)
    end = _find_marker(lines, start)
    dividers = _list_dividers(lines, start, end)
    if not dividers:
        return _find_without_divider(lines, head, range(start, end))
    after = end + 1
    if not _is_tail(lines, end):
        end, after = _find_end(lines, head, dividers, end)
    dividers = [i for i in dividers if i < end]
    if after == end + 1 and _repeats_tail(lines, dividers, range(start, end)):
        end = dividers.pop()
    middle = _choose_divider(lines, head, dividers, range(start, end))
    return range(start, middle), range(middle + 1, end), after


def _skip_hints(lines: Sequence[str], index: int) -> int:
    for marker in (START, END, RULE):
        if index < len(lines) and re.fullmatch(marker, lines[index]):
            index += 1
        elif marker == START:
            break
    return index


def _find_without_divider(lines: Sequence[str], head: int, old: range) -> Halves:
    """Find the halves of a block with the tail in place of the divider, and once more as the tail.

    That is seen now and then. Raises InvalidInput for any other.
    """
    end = old.stop
    tail = _find_marker(lines, end + 1)
    if _is_tail(lines, end) and _is_tail(lines, tail) and not _list_dividers(lines, end, tail):
        return old, range(end + 1, tail), tail + 1
    found = "the end of the text" if end >= len(lines) else repr(lines[end].strip())
    what = f"expected ======= between the old and the new text, found {found}"
    raise refuse_line(head, what, "Put ======= between the two halves.")


def _find_marker(lines: Sequence[str], index: int) -> int:
    """Find the next line that is a head or a tail, else the end of the text."""
    markers = (i for i in range(index, len(lines)) if re.fullmatch(_MARKER, lines[i]))
    return next(markers, len(lines))


def _is_tail(lines: Sequence[str], index: int) -> bool:
    return index < len(lines) and re.fullmatch(TAIL, lines[index]) is not None


def _list_dividers(lines: Sequence[str], start: int, end: int) -> list[int]:
    return [i for i in range(start, end) if re.fullmatch(DIVIDER, lines[i])]


def _find_end(
    lines: Sequence[str], head: int, dividers: Sequence[int], end: int
) -> tuple[int, int]:
    """Find where the new text ends, and where to read on, when no tail says it.

    The divider was written again in place of the tail, with nothing behind it that could be
    content, and underlines no title; else the block is cut off. Raises InvalidInput.
    """
    last = dividers[-1]
    is_repeated = len(dividers) == 2 and not _may_underline(lines, last)
    if is_repeated and _is_wrapping(lines[last + 1 : end], end < len(lines)):
        return last, last + 1
    fix = "End the new text with a line >>>>>>> REPLACE."
    for i in range(last + 1, end):
        is_cut = _ends_within(lines, i, (">>>>>>> REPLACE", "+++++++ REPLACE"))
        if _is_near(lines[i]) and not is_cut:
            what = f"{lines[i].strip()[:40]!r} looks like a marker but is not one"
            raise refuse_line(i, what, f"{fix} {_ESCAPE}")
    if end < len(lines):
        raise refuse_line(head, "a block without its tail", fix)
    what = "a block without its tail: the text ends before >>>>>>> REPLACE"
    raise refuse_line(head, what, SEND_AGAIN)


def _is_wrapping(lines: Sequence[str], is_before_head: bool) -> bool:
    """Whether lines hold nothing but fences, and, above a head, the name of its file."""
    words = [line for line in lines if line.strip() and not is_fence(line)]
    if is_before_head and len(words) == 1:
        return any(mark in words[0] for mark in "./") and find_name_above(words, 0, 1) is not None
    return not words


def _choose_divider(lines: Sequence[str], head: int, found: Sequence[int], content: range) -> int:
    """Choose the divider of a block among lines that look like one; the others underline titles.

    That of a merge conflict within the content is none. Those as long as the head's marks come
    first; of several the only one that underlines no title of its length, then the only one with
    the same titles in both halves. Raises InvalidInput where several are left.
    """
    marks = len(lines[head].split(" ")[0])
    found = _leave_out_conflicts(lines, found, content)
    likely = [i for i in found if _length(lines[i]) == marks] or list(found)
    if len(likely) > MAX_DIVIDERS:
        raise refuse_line(head, f"{len(likely)} lines that could be the divider", _ESCAPE)
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: not _is_title(lines, found, i - 1, content, _length(lines[i])),
        lambda i: _has_same_titles(lines, found, i, content),
    )
    for test in tests:
        if len(likely) > 1:
            likely = [i for i in likely if test(i)] or likely
    if len(likely) == 1:
        return likely[0]
    shown = ", ".join(str(i + 1) for i in likely)
    raise refuse_line(head, f"the divider could be any of lines {shown}", _ESCAPE)


def _leave_out_conflicts(lines: Sequence[str], found: Sequence[int], content: range) -> list[int]:
    """Return the dividers but those that are alone between `<<<<<<<` and `>>>>>>>` of git."""
    inner: set[int] = set()
    opening: int | None = None
    for i in content if len(found) > 1 else ():
        if re.fullmatch(_OPENS_CONFLICT, lines[i]):
            opening = i
        elif opening is not None and re.fullmatch(_CLOSES_CONFLICT, lines[i]):
            between = [divider for divider in found if opening < divider < i]
            inner.update(between if len(between) == 1 else ())
            opening = None
    return [i for i in found if i not in inner] or list(found)


def _repeats_tail(lines: Sequence[str], found: Sequence[int], content: range) -> bool:
    """Whether a second divider, right above the tail, says once more that the new text ends.

    Below a line that may be a title it underlines that; and where the first underlines a title,
    it is the divider.
    """
    is_last = len(found) == 2 and found[1] == content.stop - 1
    if not is_last or len({_length(lines[i]) for i in found}) > 1:
        return False
    if _is_title(lines, found, found[0] - 1, content, _length(lines[found[0]])):
        return False
    above = lines[found[1] - 1]
    return not above.strip() or above.startswith((" ", "\t"))


def _may_underline(lines: Sequence[str], row: int) -> bool:
    """Whether a line of `=` may underline the line above: at the left and no shorter."""
    above = lines[row - 1]
    is_left = re.search(_WORD, above) is not None and not above.startswith((" ", "\t"))
    return is_left and _length(above) >= _length(lines[row])


def _length(line: str) -> int:
    return len(line.rstrip())


def _is_title(
    lines: Sequence[str], found: Sequence[int], row: int, content: range, length: int
) -> bool:
    """Whether a line may be a title: of that length, at the left, and below nothing or a space."""
    is_text = row in content and re.search(_WORD, lines[row]) is not None
    if not is_text or _length(lines[row]) != length:
        return False
    is_top = row == content.start or row - 1 in found or not lines[row - 1].strip()
    return is_top and not lines[row].startswith((" ", "\t"))


def _has_same_titles(lines: Sequence[str], found: Sequence[int], row: int, content: range) -> bool:
    """Whether the other lines of `=` are below the same words in both halves."""
    old = [lines[i - 1] for i in found if content.start < i < row]
    new = [lines[i - 1] for i in found if i > row + 1]
    others = len(found) - 1
    return old == new and 2 * len(old) == others and all(map(re.compile(_WORD).search, old))


def write_block(edit: Edit) -> str | None:
    """Write an edit as a block; None for one that says more than its texts and its line."""
    name, texts = render_heading(edit.path), (edit.old_text, edit.new_text)
    is_plain = edit in (
        Edit(edit.path, *texts, line_hint=edit.line_hint),
        Edit(edit.path, "", edit.new_text, at_end=True),
    )
    if name is None or not is_plain or any(text and text[-1] != "\n" for text in texts):
        return None
    hint = "" if edit.line_hint is None else f":start_line:{edit.line_hint}\n-------\n"
    old, new = ":empty_search:append\n" if edit.at_end else _escape(texts[0]), _escape(texts[1])
    return f"{name}\n<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


def _escape(text: str) -> str:
    lines = text.removesuffix("\n").split("\n") if text else []
    return "".join(f"\\{line}\n" if _needs_escape(line) else f"{line}\n" for line in lines)

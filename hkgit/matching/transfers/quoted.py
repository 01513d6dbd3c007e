"""quoted.py: complete an old text that begins or ends inside a line to whole lines.

The new text is completed alike, so that from here on all is a matter of lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.errors import Conflict
from hkgit.matching.lines import EditLines, FileLines, indent_of
from hkgit.matching.places import Place
from hkgit.matching.search.align import Targets
from hkgit.matching.transfers.indent import measure_width
from hkgit.values import late_pattern

COMMENT = late_pattern(rb"[ \t]+(?:#|//|/\*|<!--|--|;)")
BELOW = 20
OPENERS = (b":", b"{", b"(", b"[", b"\\", b"=>", b"=")
"""What a line ends with that makes one expect a deeper line after it."""


def widen_to_lines(view: FileLines, wanted: EditLines, place: Place, path: str) -> EditLines:
    """Widen an edit by what stands around its place on the first and the last line.

    Raises Conflict where the indentation of further new lines cannot be told.
    """
    document = view.document
    first, last = document.lines_of(place.start, place.end)
    start, end = document.span(first, last)
    before = document.data[start : place.start]
    rest = document.data[place.end : end].rstrip(b"\r\n")
    if not before and not rest:
        return _with_blank_ends(wanted, document.data[place.start : place.end])
    old, new = _core(wanted)
    if not before.strip() and not rest.strip() and not new:
        return EditLines(before + old + rest + b"\n", b"")
    moved = shift_lines(view, old, new.split(b"\n"), place, path)
    moved[_row_of_rest(old, moved, rest)] += rest
    if moved[0].strip() or before.strip():
        moved[0] = before + moved[0]
    return EditLines(before + old + rest + b"\n", b"\n".join(moved) + b"\n")


def _with_blank_ends(wanted: EditLines, here: bytes) -> EditLines:
    """Whole lines, of which blank ones at the ends are quoted by a line end alone."""
    if is_open(wanted) and here == wanted.old + b"\n":
        return EditLines(wanted.old + b"\n", wanted.new + b"\n")
    # What is left of the old text may end with a blank line of it, or be one.
    is_left = (wanted.new or b"\n").endswith(b"\n") and wanted.old.startswith(wanted.new + b"\n")
    if is_left and not wanted.old.endswith(b"\n"):
        return EditLines(wanted.old + b"\n", wanted.new + b"\n")
    return wanted


def is_open(wanted: EditLines) -> bool:
    """Whether the old text ends with a blank line that lacks its end, as the new one lacks its.

    So it is where the new text goes on with a blank line.
    """
    old, new = wanted.old, wanted.new
    return old.endswith(b"\n") and new.startswith(old + b"\n") and not new.endswith(b"\n")


def shift_lines(
    view: FileLines, old: bytes, lines: Sequence[bytes], place: Place, path: str
) -> list[bytes]:
    """Indent new lines as the place is, where the one old line has lost its indentation.

    Raises Conflict where that cannot be told.
    """
    first, last = view.document.lines_of(place.start, place.end)
    before = view.document.data[view.document.offsets[first - 1] : place.start]
    if b"\n" in old.rstrip():
        return list(lines)
    shift = _shift(before, old.rstrip(), lines, _goes_on(view, last), f"{path}:{first}")
    return [*lines[:1], *(shift + line if line.strip() else line for line in lines[1:])]


def _row_of_rest(old: bytes, new: list[bytes], rest: bytes) -> int:
    """The new line that keeps what stands behind the place.

    That is the last one; but a comment stays with the line that it stands behind.
    """
    last = old.split(b"\n")[-1]
    is_comment = COMMENT.match(rest) is not None and new.count(last) == 1
    return new.index(last) if is_comment else -1


def add_margin(view: FileLines, wanted: EditLines, targets: Targets, path: str) -> EditLines:
    """Give an edit the indentation that its first line has lost, if that line alone has.

    That is so where the others are indented as in the file. Where there are no others, or all
    are indented otherwise, the new text is left to what the lines show.
    """
    first = targets[0] if targets else None
    if first is None or not wanted.old_lines[0] or indent_of(wanted.old_lines[0]):
        return wanted
    margin = indent_of(view.lines[first])
    others = [
        indent_of(wanted.old_lines[i]) == indent_of(view.lines[t])
        for i, t in enumerate(targets)
        if i and t is not None and wanted.old_lines[i].strip()
    ]
    if not margin or not wanted.new_lines:
        return wanted
    if indent_of(wanted.new_lines[0]) == margin and all(others):
        # The new text has the indentation that the old one has lost.
        return EditLines(margin + wanted.old, wanted.new)
    if not others:
        lines, goes_on = list(wanted.new_lines), _goes_on(view, first + 1)
        others = [not _shift(margin, wanted.old_lines[0], lines, goes_on, f"{path}:{first + 1}")]
    return EditLines(margin + wanted.old, margin + wanted.new) if all(others) else wanted


def _core(wanted: EditLines) -> tuple[bytes, bytes]:
    """The texts without the line end that closes them."""
    old, new = wanted.old, wanted.new
    if old.endswith(b"\n"):
        return old.removesuffix(b"\n").removesuffix(b"\r"), new.removesuffix(b"\n")
    return old, new


def _goes_on(view: FileLines, last: int) -> bool:
    """Whether what stands below line `last`, counted from 1, is indented at all."""
    below = next((line for line in view.lines[last : last + BELOW] if line.strip()), b"")
    return bool(indent_of(below))


def _shift(before: bytes, old: bytes, lines: Sequence[bytes], goes_on: bool, where: str) -> bytes:
    """What has to stand before every new line but the first.

    An agent that leaves out the indentation of the one old line may have left it out of all
    lines, or of the first alone. Where the old line itself is among the further ones, it tells.
    Otherwise that reading is taken in which the line after the first is indented as one expects:
    deeper after an opening one, else not. No indentation at all means that of the first line where
    what follows in the file is indented, for nothing but an opening line could stand before it.
    """
    margin = indent_of(before)
    further = [indent_of(line) for line in lines[1:] if line.strip()]
    if not margin or not further:
        return b""
    if before.strip():
        return _inner_shift(margin, further, where)
    opens = lines[0].rstrip().endswith(OPENERS)
    depth, edge = measure_width(further[0]), measure_width(margin)
    if opens and 0 < depth <= edge:
        return margin
    kept = [indent_of(line) for line in lines[1:] if line.strip() == old.strip()]
    if kept:
        return b"" if kept[0] == margin else margin
    if depth == 0 and not goes_on:
        raise _refuse_undecided(where)
    return margin if depth == 0 else b""


def _inner_shift(margin: bytes, further: list[bytes], where: str) -> bytes:
    """The same where the old text begins behind other text: as written, or not at all."""
    if min(map(measure_width, further)) < measure_width(margin):
        raise _refuse_undecided(where)
    return b""


def _refuse_undecided(where: str) -> Conflict:
    return Conflict(
        where,
        "the old text begins inside a line, and it cannot be told how far the further new lines "
        "are to be indented",
        "Quote whole lines with their indentation, in the old text and in the new one.",
    )

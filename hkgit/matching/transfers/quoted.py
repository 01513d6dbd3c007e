"""quoted.py: restore what a quotation has lost at its ends: an indentation, a line end."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.errors import Conflict
from hkgit.matching.lines import EditLines, FileLines, indent_of
from hkgit.matching.places import Place
from hkgit.matching.search.align import Targets
from hkgit.matching.transfers.indent import measure_width
from hkgit.values import late_pattern

BELOW = 20
OPENS = late_pattern(
    rb".*(?:[:{(\[\\=]|=>)$|(?:if|for|while|else if) ?\(.*\)$|else$|(?:let|const|var) .*,$"
)
"""A line that makes one expect a deeper line after it."""

CLOSERS = (b"}", b")", b"]", b"else", b"elif ", b"except", b"finally")
"""What a line begins with that ends the block above it."""


def end_blank_lines(wanted: EditLines, here: bytes) -> EditLines:
    """Give both texts the end of a blank last line that is quoted without it at a place `here`."""
    old, new = wanted.old, wanted.new
    goes_on = old.endswith(b"\n") and new.startswith(old + b"\n") and not new.endswith(b"\n")
    # What is left of the old text may end with a blank line of it, or be one.
    is_left = (new or b"\n").endswith(b"\n") and old.startswith(new + b"\n")
    is_left = is_left and not old.endswith(b"\n")
    is_open = is_left or (goes_on and here == old + b"\n")
    return EditLines(old + b"\n", new + b"\n") if is_open else wanted


def indent_quotation(view: FileLines, wanted: EditLines, place: Place, path: str) -> EditLines:
    """Give the new lines of an edit the blanks before its place, if its author left them out.

    Raises Conflict where it cannot be told how far they are to be indented.
    """
    before = _before(view, place)
    if before.strip() or b"\n" in wanted.old.rstrip():
        return wanted
    first, last = view.document.lines_of(place.start, place.end)
    lines, below = wanted.new.split(b"\n"), _depth_below(view, last)
    shift = _shift(before, wanted.old.rstrip(), lines, below, f"{path}:{first}")
    further = (shift + line if line.strip() else line for line in lines[1:])
    new = b"\n".join((lines[0], *further))
    return EditLines(wanted.old, new, wanted.whole_lines, wanted.is_repaired)


def _before(view: FileLines, place: Place) -> bytes:
    """What stands before a place on its first line."""
    data, offsets = view.document.data, view.document.offsets
    return data[offsets[view.document.line_at(place.start) - 1] : place.start]


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
        lines, below = list(wanted.new_lines), _depth_below(view, first + 1)
        others = [not _shift(margin, wanted.old_lines[0], lines, below, f"{path}:{first + 1}")]
    return EditLines(margin + wanted.old, margin + wanted.new) if all(others) else wanted


def _depth_below(view: FileLines, last: int) -> int:
    """How deep what stands below line `last`, counted from 1, is indented."""
    below = next((line for line in view.lines[last : last + BELOW] if line.strip()), b"")
    return measure_width(indent_of(below))


def _shift(before: bytes, old: bytes, lines: Sequence[bytes], below: int, where: str) -> bytes:
    """What has to stand before every new line but the first.

    An agent that leaves out the indentation of the one old line may have left it out of all
    lines, or of the first alone. Below an opening line the next one is deeper than the old line,
    or its bracket ends no less deep: then only the first has lost it. Elsewhere all have where
    the old line stands among the new ones less deep than in the file. No indentation at all means
    that of the first line where what follows in the file is indented, for nothing but an opening
    line could stand before it.
    """
    margin = indent_of(before)
    further = [line for line in lines[1:] if line.strip()]
    if not margin or not further:
        return b""
    depths = [measure_width(indent_of(line)) for line in further]
    own = measure_width(indent_of(old))
    edge, depth = measure_width(margin + indent_of(old)), depths[0]
    opens = OPENS.match(lines[0].strip())
    if opens and depth:
        is_closed = further[-1].lstrip().startswith(CLOSERS[:3]) and depths[-1] >= edge
        is_closed = is_closed and not lines[0].rstrip().endswith(b":")
        return b"" if depth > edge or is_closed else margin
    quoted = [d for d, line in zip(depths, further, strict=True) if line.strip() == old.strip()]
    is_quoted = bool(quoted) and quoted[0] < edge
    is_left = below > 0 and min(depths) <= own and not depth > edge
    ends = further[0].lstrip().startswith(CLOSERS) and not opens
    can_be_either = (is_left and depth == edge) or (own < depth < edge <= below and not ends)
    can_be_either = can_be_either and not is_quoted and not (is_left and depth < edge)
    if can_be_either or (depth <= own and (ends or not (below or is_quoted))):
        raise _refuse_undecided(where)
    return margin if depth <= own or is_quoted or is_left else b""


def _refuse_undecided(where: str) -> Conflict:
    return Conflict(
        where,
        "the old text begins inside a line, and it cannot be told how far the further new lines "
        "are to be indented",
        "Quote whole lines with their indentation, in the old text and in the new one.",
    )

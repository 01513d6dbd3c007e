"""anchors.py: the lines that an edit names to say below what it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.document import Document
from hkgit.edits import Edit, encoded
from hkgit.errors import Ambiguous, NoMatch
from hkgit.matching.lines import indent_of

BRACKETS = (b"(", b")", b"[", b"]", b"{", b"}")
"""What a line begins with that may stand as far left as the line which opens a block."""


def below_anchors(document: Document, edit: Edit) -> tuple[int, bool]:
    """The byte behind the last anchor's line, and whether each anchor named one line only.

    Anchors are compared without the blanks around them; each is looked for below the one before.
    Where no line is an anchor, one that begins with its words may be meant, but that is not sure.
    Raises NoMatch when an anchor is nowhere.
    """
    texts = [line.strip() for line in document.lines]
    line, is_sure = 0, True
    for anchor in edit.anchors:
        wanted = encoded(anchor).strip()
        found = [number for number, text in enumerate(texts[line:], line + 1) if text == wanted]
        if not found:
            is_sure = False
            found = [line + number for number in _beginning(texts[line:], wanted)]
        if not found:
            what = f"the anchor {anchor.strip()!r} stands nowhere below line {line}"
            raise NoMatch(edit.path, what, "Quote the whole line that the hunk stands below.")
        line, is_sure = found[0], is_sure and len(found) == 1
    return document.offsets[line], is_sure


def end_of_block(document: Document, start: int) -> int:
    """Where ends what is indented more deeply than the line above byte `start`."""
    first = document.line_at(start)
    margin = len(indent_of(document.lines[first - 2]))
    below = enumerate(document.lines[first - 1 :], first)
    ends = (
        number for number, line in below
        if line.strip() and len(indent_of(line)) <= margin and line.lstrip()[:1] not in BRACKETS
    )
    return document.offsets[next(ends, document.line_count + 1) - 1]


def _beginning(texts: Sequence[bytes], wanted: bytes) -> list[int]:
    """The lines, counted from 1, that begin with some words."""
    words = re.compile(re.escape(wanted) + rb"(?<=\w)(?![\w\x80-\xff])")
    return [number for number, text in enumerate(texts, 1) if words.match(text)]


def line_below(document: Document, edit: Edit) -> int:
    """The number of the last anchor's line. Raises Ambiguous when it may be more than one."""
    offset, is_sure = below_anchors(document, edit)
    if not is_sure:
        what = f"the anchor {edit.anchors[-1].strip()!r} names more or less than one line"
        raise Ambiguous(edit.path, what, "Add context lines, so that the hunk names one place.")
    return document.line_at(offset) - 1

"""anchors.py: find the lines that an edit names as being above its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.edits import Edit, encode_text
from hkgit.errors import Ambiguous, NoMatch
from hkgit.matching.lines import find_end_of_block
from hkgit.matching.tiers.fold import fold
from hkgit.text.document import Document


def find_below_anchors(document: Document, edit: Edit) -> tuple[int, bool]:
    """Find the byte behind the last anchor's line, and whether each anchor named one line only.

    Anchors are compared without the blanks around them; each is looked for in the block that the
    line of the one before opens, else anywhere below. Where no line is an anchor, the one that
    begins with its words is meant. Raises NoMatch when an anchor is nowhere.
    """
    texts = [line.strip() for line in document.lines]
    line, is_sure = 0, True
    for anchor in edit.anchors:
        block = (
            document.line_at(find_end_of_block(document, document.offsets[line])) - 1 if line else 0
        )
        found = _find_anchor_lines(texts[:block], line, anchor) if block > line else []
        found = found or _find_anchor_lines(texts, line, anchor)
        if not found:
            where = f"below line {line}" if line else "in the file"
            what = f"the anchor {anchor.strip()!r} stands nowhere {where}"
            fix = "Quote the whole line that the hunk stands below, or leave it out."
            raise NoMatch(edit.path, what, fix)
        line, is_sure = found[0], is_sure and len(found) == 1
    return document.offsets[line], is_sure


def _find_anchor_lines(texts: Sequence[bytes], line: int, anchor: str) -> list[int]:
    """Find the lines that an anchor may mean: those equal to it, or but for typography.

    Where there is none, those that begin so.
    """
    wanted = encode_text(anchor).strip()
    found = [number for number, text in enumerate(texts[line:], line + 1) if text == wanted]
    if not found and not b"".join(texts[line:]).isascii():
        plain = fold(wanted)
        found = [
            number for number, text in enumerate(texts[line:], line + 1) if fold(text) == plain
        ]
    return found or [line + number for number in _find_beginnings(texts[line:], wanted)]


def _find_beginnings(texts: Sequence[bytes], wanted: bytes) -> list[int]:
    """Find the lines, counted from 1, that begin with some words."""
    words = re.compile(re.escape(wanted) + rb"(?<=\w)(?![\w\x80-\xff])")
    return [number for number, text in enumerate(texts, 1) if words.match(text)]


def find_line_below(document: Document, edit: Edit) -> int:
    """Return the number of the last anchor's line; raise Ambiguous when it may be several."""
    offset, is_sure = find_below_anchors(document, edit)
    above = document.lines[document.line_at(offset) - 2].strip()
    if not is_sure or fold(above) != fold(encode_text(edit.anchors[-1]).strip()):
        what = f"the anchor {edit.anchors[-1].strip()!r} names more or less than one line"
        raise Ambiguous(edit.path, what, "Add context lines, so that the hunk names one place.")
    return document.line_at(offset) - 1

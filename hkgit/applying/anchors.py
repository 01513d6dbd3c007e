"""anchors.py: the lines that an edit names to say below what it stands."""

from __future__ import annotations

from hkgit.document import Document
from hkgit.edits import Edit, encoded
from hkgit.errors import Ambiguous, NoMatch


def below_anchors(document: Document, edit: Edit) -> tuple[int, bool]:
    """The byte behind the last anchor's line, and whether each anchor named one line only.

    Anchors are compared without the blanks around them; each is looked for below the one before.
    Raises NoMatch when one is nowhere.
    """
    texts = [line.strip() for line in document.lines]
    line, is_sure = 0, True
    for anchor in edit.anchors:
        wanted = encoded(anchor).strip()
        found = [number for number, text in enumerate(texts[line:], line + 1) if text == wanted]
        if not found:
            what = f"the anchor {anchor.strip()!r} stands nowhere below line {line}"
            raise NoMatch(edit.path, what, "Quote the whole line that the hunk stands below.")
        line, is_sure = found[0], is_sure and len(found) == 1
    return document.offsets[line], is_sure


def line_below(document: Document, edit: Edit) -> int:
    """The number of the last anchor's line. Raises Ambiguous when it may be more than one."""
    offset, is_sure = below_anchors(document, edit)
    if not is_sure:
        what = f"the anchor {edit.anchors[-1].strip()!r} names more than one line"
        raise Ambiguous(edit.path, what, "Add context lines, so that the hunk names one place.")
    return document.line_at(offset) - 1

"""correcting.py: propose a corrected edit for a refused one.

Nothing here is ever applied by itself: whether the file's lines are still the ones that were
meant to change is for the author of the edit to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hkgit.edits import Edit, decode_text
from hkgit.errors import Conflict, Near
from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place
from hkgit.matching.tiers.elisions import is_elision
from hkgit.matching.transfers.landing import Lines, find_landings, is_whole
from hkgit.matching.transfers.merge import Merge
from hkgit.text.diff import LineChange
from hkgit.text.document import Document, Splice
from hkgit.values import late_pattern, replace

MOST = 4000
"""So many bytes a corrected edit may have: one that is larger costs more than to read again."""

FARTHEST = 8
"""So many lines above or below a place are quoted at most to tell it from others."""

LARGE = 4 * 2**20
"""In a file of so many bytes nobody looks for what tells equal places apart."""

CLEAR = 6
"""By so much weight a place must agree better than any other."""

WORD = late_pattern(rb"[\w\x80-\xff]+")
PART = late_pattern(rb"[\w\x80-\xff]+|\S")

LIKELY = 800
"""From this similarity on, per mille, the best place may be the one that is meant."""


def correct_edit(
    view: FileLines, wanted: EditLines, found: Sequence[Place], edit: Edit
) -> Edit | None:
    """Rewrite an edit so that it quotes the one place that is near; None where that is unclear.

    What the author changed within a line is changed in the file's line. None too where the new
    text would still have a word of the misquotation.
    """
    if not _is_clear(found) or edit.replace_all or edit.expected_count not in (None, 1):
        return None
    if any(is_elision(line.strip()) for line in wanted.old_lines):
        # What they left out was not meant to go.
        return None
    if any(_is_cut_short(view, wanted, found[0], row) for row in wanted.removed):
        return None
    place = found[0]
    try:
        splices = _Proposal(view, edit.path, wanted, found[0].targets).splices()
    except Conflict:
        return None
    here = view.document.data[found[0].start : found[0].end]
    misquoted = _find_words(b"\n".join(wanted.old_lines)) - _find_words(here)
    if any(misquoted & _find_words(splice.new) for splice in splices):
        return None
    old, new = _sides(view.document, place, splices)
    if old == new or len(old) + len(new) > MOST or not _is_once(view.document, old):
        return None
    old_text, new_text = (decode_text(text.replace(b"\r\n", b"\n")) for text in (old, new))
    return replace(edit, old_text=old_text, new_text=new_text, expected_hash=None, line_hint=None)


def _is_cut_short(view: FileLines, wanted: EditLines, found: Place, row: int) -> bool:
    """Whether an old line is a part of the file's whose rest no new line has: it would be lost."""
    target = found.targets[row]
    old, here = wanted.old_lines[row].strip(), b"" if target is None else view.lines[target].strip()
    added = [wanted.new_lines[i].strip() for i in wanted.added]
    if not old or old == here or not added:
        return False
    behind, before = here.removeprefix(old).strip(), here.removesuffix(old).strip()
    if here.startswith(old):
        return not any(line.endswith(behind) for line in added)
    return here.endswith(old) and not any(line.startswith(before) for line in added)


def _find_words(text: bytes) -> set[bytes]:
    return set(WORD.findall(text))


def _sides(document: Document, place: Place, splices: Sequence[Splice]) -> tuple[bytes, bytes]:
    """What the file says at a place and where it changes, and the same with the changes made."""
    start = min([place.start, *(splice.start for splice in splices)])
    end = max([place.end, *(splice.end for splice in splices)])
    old, new = document.data[start:end], b""
    for splice in sorted(splices, key=lambda splice: splice.start):
        new += document.data[start : splice.start] + splice.new
        start = splice.end
    return old, new + document.data[start:end]


class _Proposal(Merge):
    """The author's changes where they probably belong, for the author to confirm."""

    def splices(self) -> list[Splice]:
        found = find_landings(self.wanted, self.targets, self.view.lines)
        return [
            self._splice(change, self._stretch(change, lines))
            for change, lines in zip(self.wanted.changes, found, strict=True)
        ]

    def _stretch(self, change: LineChange, found: Lines | None) -> Lines | None:
        """The lines to replace; if some are not as the author has them, all between the context."""
        rows = range(change.old_start, change.old_end)
        placed = [self.targets[i] for i in rows if self.wanted.old_lines[i].strip()]
        if None not in placed and is_whole(change, self.targets, self.view.lines):
            return found
        ends = change.old_start - 1, change.old_end
        if ends[0] < 0 or ends[1] >= len(self.targets):
            return None
        above, below = (self.targets[i] for i in ends)
        return None if above is None or below is None else (above + 1, below)

    def _edit_line(self, row: int, theirs: bytes, number: int) -> bytes:
        """The file's line with the author's change, unless the author wrote that whole."""
        lines = self.wanted.old_lines[row], self._spelt[row], theirs
        base, ours, author = (Counter(PART.findall(line)) for line in lines)
        if ours - base and ours - base <= author - base:
            return self._write_line(theirs, number)
        return super()._edit_line(row, theirs, number)


def _is_clear(found: Sequence[Place]) -> bool:
    """Whether the best candidate is likely, and no other one is nearly as good."""
    if not found or found[0].similarity < LIKELY:
        return False
    return len(found) == 1 or found[0].agreement - found[1].agreement >= CLEAR


def _is_once(document: Document, text: bytes) -> bool:
    """Whether a text of the document stands nowhere else in it, not even half upon itself."""
    return document.data.find(text) == document.data.rfind(text)


def remove_marks(wanted: EditLines, edit: Edit) -> Edit | None:
    """Put the lines that a remark stands for in its place.

    None where it cannot be told what else was to stand there.
    """
    lines: list[bytes] = []
    row = 0
    for change in wanted.changes:
        added = wanted.new_lines[change.new_start : change.new_end]
        lines += wanted.old_lines[row : change.old_start]
        row = change.old_end
        if any(is_elision(line.strip()) for line in added):
            if len(added) > 1:
                return None
            added = wanted.old_lines[change.old_start : change.old_end]
        lines += added
    new = b"".join(line + b"\n" for line in (*lines, *wanted.old_lines[row:]))
    if not wanted.old.endswith(b"\n"):
        new = new.removesuffix(b"\n")
    if new in (wanted.new, wanted.old) or len(wanted.old) + len(new) > MOST:
        return None
    return replace(edit, old_text=decode_text(wanted.old), new_text=decode_text(new))


def tell_apart(document: Document, spans: Sequence[tuple[int, int]]) -> tuple[Near, ...]:
    """Widen places of equal text by the fewest lines that make each of them unique."""
    for above, below in _margins() if len(document.data) < LARGE else ():
        wider = [
            (max(first - above, 1), min(last + below, document.line_count)) for first, last in spans
        ]
        texts = [document.data[slice(*document.span(*lines))] for lines in wider]
        if all(_is_once(document, text) for text in texts):
            return tuple(Near(*lines) for lines in wider)
    return tuple(Near(*lines) for lines in spans)


def _margins() -> list[tuple[int, int]]:
    """How many lines above and below are tried: above alone, below alone, both."""
    steps = range(1, FARTHEST + 1)
    return [(0, 0), *(margin for n in steps for margin in ((n, 0), (0, n), (n, n)))]

"""said.py: whether an entry's edits say what its hunks write, told without the ladder. Frozen.

Over a moved base nothing can be located again as it was. So each line that a hunk writes must be
a line of an edit that accounts for it, or of the old text; or a line of the old text in which one
stretch gave way to a line of such an edit. Blanks around a line do not count: indentation is
carried over when an edit is placed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit import dialects
from hkgit.document import Document
from hkgit.edits import AnyEdit, encoded
from hkgit.ledger.entry import RecordedEdit


def unsaid(
    edits: Sequence[RecordedEdit], old: Sequence[bytes], new: Sequence[bytes]
) -> list[bytes]:
    """The new lines that no edit says. Raises InvalidInput when an edit cannot be read."""
    kept = {line.strip() for line in old}
    said = {line.strip() for edit in edits for line in _lines(edit)}
    missing = (line.strip() for line in new if line.strip() not in kept | said)
    return [line for line in missing if line and not _is_spliced(line, kept, said)]


def _lines(edit: RecordedEdit) -> Iterator[bytes]:
    for said in dialects.parse(edit.text, edit.dialect).edits:
        yield from _new_lines(said)


def _new_lines(edit: AnyEdit) -> Sequence[bytes]:
    lines = getattr(edit, "new_lines", None)
    if lines is not None:
        return [encoded(line) for line in lines]
    return Document(encoded(getattr(edit, "new_text", ""))).lines or [b""]


def _is_spliced(line: bytes, kept: set[bytes], said: set[bytes]) -> bool:
    """Whether a line is one of the old text with one stretch replaced by what was said."""
    return any(_fits(line, old, words) for old in kept for words in said)


def _fits(line: bytes, old: bytes, words: bytes) -> bool:
    at = line.find(words)
    while at >= 0:
        rest = line[at + len(words) :]
        if old.startswith(line[:at]) and old[at:].endswith(rest):
            return True
        at = line.find(words, at + 1) if words else -1
    return not words and _lacks_stretch(line, old)


def _lacks_stretch(line: bytes, old: bytes) -> bool:
    """Whether a line is an old one without some stretch of it."""
    cuts = range(len(line))
    return any(old.startswith(line[:at]) and old[at:].endswith(line[at:]) for at in cuts)



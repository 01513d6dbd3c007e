"""tokens.py: an author's change inside a line, made in the file's spelling of that line."""

from __future__ import annotations

import re

from hkgit.edits import decoded, encoded
from hkgit.matching.diff import Change, changes

TOKEN = re.compile("[\\w\u0300-\u036f]+|\\s+|.", re.DOTALL)


def merge_line(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """`theirs`, but what it has in common with `base` is spelt as in `ours`.

    `base` and `ours` differ in blanks and typography at most, so where both sides changed the
    same tokens the author's are taken.
    """
    tokens, mine, author = (TOKEN.findall(decoded(text)) for text in (base, ours, theirs))
    wanted = changes(tokens, author)
    kept = [k for k in changes(tokens, mine) if not any(_overlap(k, w) for w in wanted)]
    chosen = sorted(
        [(w.old_start, w.old_end, author[w.new_start : w.new_end]) for w in wanted]
        + [(k.old_start, k.old_end, mine[k.new_start : k.new_end]) for k in kept]
    )
    merged: list[str] = []
    position = 0
    for start, end, words in chosen:
        merged += tokens[position:start] + words
        position = end
    return encoded("".join(merged + tokens[position:]))


def _overlap(kept: Change, wanted: Change) -> bool:
    """Whether two changes of one text touch the same tokens, or fill the same gap."""
    if kept.old_start == kept.old_end == wanted.old_start == wanted.old_end:
        return True
    return kept.old_start < wanted.old_end and wanted.old_start < kept.old_end

"""tokens.py: three-way merge inside a line."""

from __future__ import annotations

import re

from hkgit.matching.diff import Change, changes

TOKEN = re.compile(rb"[\w\x80-\xff]+|[ \t\v\f\r]+|.", re.DOTALL)


def merge_line(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The author's change of `base` to `theirs`, made in `ours`; None where the two collide.

    Blanks that both sides set differently are the author's.
    """
    tokens, mine, author = (TOKEN.findall(text) for text in (base, ours, theirs))
    kept = changes(tokens, mine)
    merged: list[bytes] = []
    position = 0
    for change in changes(tokens, author):
        clash = [k for k in kept if _overlap(k, change)]
        if any(not _blank(tokens, mine, k) for k in clash):
            return None
        merged += _through(tokens, mine, kept, position, change.old_start, clash)
        merged += author[change.new_start : change.new_end]
        position = change.old_end
    merged += _through(tokens, mine, kept, position, len(tokens) + 1, [])
    return b"".join(merged)


def _overlap(kept: Change, change: Change) -> bool:
    """Whether two changes of one text touch the same tokens, or the same gap."""
    if kept.old_start == kept.old_end or change.old_start == change.old_end:
        return kept.old_start <= change.old_end and change.old_start <= kept.old_end
    return kept.old_start < change.old_end and change.old_start < kept.old_end


def _blank(tokens: list[bytes], mine: list[bytes], kept: Change) -> bool:
    """Whether a change is one of blanks only."""
    before = b"".join(tokens[kept.old_start : kept.old_end])
    after = b"".join(mine[kept.new_start : kept.new_end])
    return not before.strip() and not after.strip()


def _through(
    tokens: list[bytes],
    mine: list[bytes],
    kept: tuple[Change, ...],
    start: int,
    end: int,
    dropped: list[Change],
) -> list[bytes]:
    """Our reading of tokens `start:end` of the base, without the changes that were dropped."""
    merged: list[bytes] = []
    for k in kept:
        if k in dropped or k.old_start < start or k.old_end > end or k.old_start >= end:
            continue
        merged += tokens[start : k.old_start] + mine[k.new_start : k.new_end]
        start = k.old_end
    return merged + tokens[start:end]

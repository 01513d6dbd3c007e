"""context.py: edits whose context is not quite the file's; the file's own must survive."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import GONE, KEPT, Draft, Row, Verdict
from benchmarks.engines.labels.changes import is_at_change
from benchmarks.engines.labels.words import (
    indentation,
    reworded,
    with_value_changed,
    with_word_changed,
)

_COMMENT = re.compile(r"^(.*?(?:#|//|\*|--) +)(\S.*)$")
_AT_THE_END = re.compile(r"^(.*\S)\s+(?:#|//) .*$")
_SINGLE = re.compile(r"'([^'\"\\]*)'")
_DOUBLE = re.compile(r"\"([^'\"\\]*)\"")


def _context(draft: Draft) -> list[int]:
    """Kept rows that say something."""
    return [i for i in draft.rows_of(KEPT) if (draft.rows[i].real or "").strip()]


def line_missing(rng: Random, draft: Draft) -> Draft | None:
    """The edit leaves out a line in the middle of its context."""
    inner = set(draft.rows_of(KEPT + GONE)[1:-1]) & set(_context(draft))
    spots = sorted(i for i in inner if not is_at_change(draft, i))
    return draft.misquoting(rng.choice(spots), None) if spots else None


def line_extra(rng: Random, draft: Draft) -> Draft | None:
    """The edit has a line in its context that the file has not."""
    spots = [i for i in draft.rows_of(KEPT) if i > 0 and draft.rows[i - 1].kind == KEPT]
    words = [line.strip() for line in (*draft.above, *draft.below) if len(line.strip()) > 8]
    if not spots or not words:
        return None
    at = rng.choice(spots)
    invented = with_word_changed(rng, rng.choice(words))
    if invented is None:
        return None
    extra = Row(KEPT, None, indentation(draft.rows[at].said or "") + invented)
    return draft.with_row(at, extra, draft.rows[at])


def wrong_identifier(rng: Random, draft: Draft) -> Draft | None:
    """One name in a context line is not what the file says."""
    kept = _context(draft)
    if not kept:
        return None
    at = rng.choice(kept)
    wrong = with_word_changed(rng, draft.rows[at].said or "")
    return None if wrong is None else draft.misquoting(at, wrong)


def other_value(rng: Random, draft: Draft) -> Draft | None:
    """A number or a string in the context has changed in the file since."""
    kept = _context(draft)
    for at in rng.sample(kept, len(kept)):
        real = with_value_changed(rng, draft.rows[at].real or "")
        if real is not None:
            return draft.with_row(at, replace(draft.rows[at], real=real))
    return None


def comment_lost(rng: Random, draft: Draft) -> Draft | None:
    """The edit leaves out the comment at the end of a context line."""
    kept = _context(draft)
    for at in rng.sample(kept, len(kept)):
        comment = _AT_THE_END.match(draft.rows[at].said or "")
        shorter = None if comment is None else draft.misquoting(at, comment.group(1))
        if shorter is not None and shorter.old.encode() not in draft.before:
            return shorter
    return None


def joined(rng: Random, draft: Draft) -> Draft | None:
    """Two lines of the context are written as one."""
    kept = set(_context(draft))
    pairs = [i for i in sorted(kept) if i + 1 in kept and not is_at_change(draft, i + 1)]
    if not pairs:
        return None
    at = rng.choice(pairs)
    first, second = draft.rows[at].said or "", draft.rows[at + 1].said or ""
    return draft.misquoting(at, f"{first} {second.strip()}").misquoting(at + 1, None)


def reworded_comment(rng: Random, draft: Draft) -> Draft | None:
    """A comment in the context is quoted from memory."""
    kept = _context(draft)
    for at in rng.sample(kept, len(kept)):
        comment = _COMMENT.match(draft.rows[at].said or "")
        words = None if comment is None else reworded(rng, comment.group(2))
        if comment is not None and words is not None:
            return draft.misquoting(at, comment.group(1) + words)
    return None


def other_quotes(rng: Random, draft: Draft) -> Draft | None:
    """The strings of a context line are quoted in the other style."""
    for at in _context(draft):
        line = draft.rows[at].said or ""
        for pattern, style in ((_SINGLE, r'"\1"'), (_DOUBLE, r"'\1'")):
            if pattern.search(line):
                return draft.misquoting(at, pattern.sub(style, line))
    return None


def truncated(rng: Random, draft: Draft) -> Draft | None:
    """The old and the new text stop in the middle of their last line, mostly at a blank."""
    last = draft.rows[-1]
    line = last.said or ""
    cuts = [m.start() for m in re.finditer(r"(?<=\S) (?=\S)", line)]
    if last.kind != KEPT or not cuts:
        return None
    is_clean = rng.random() < 0.7
    cut = rng.choice(cuts) + (0 if is_clean else 2)
    shorter = replace(
        draft, edit_is_terminated=False, verdict=Verdict.LAND if is_clean else Verdict.EITHER
    )
    return shorter.misquoting(len(draft.rows) - 1, line[:cut])


def elided(rng: Random, draft: Draft) -> Draft | None:
    """Some context in the middle is written as `...`, in the old and in the new text."""
    kinds = "".join(row.kind for row in draft.rows)
    runs = [m for m in re.finditer(" {4,}", kinds) if "..." not in draft.old]
    if not runs:
        return None
    run = rng.choice(runs)
    first, last = run.start() + 1, run.end() - 1
    margin = indentation(draft.rows[first].said or "") if rng.random() < 0.5 else ""
    skipped = [replace(row, said=None) for row in draft.rows[first:last]]
    rows = (*draft.rows[:first], *skipped, Row(KEPT, None, margin + "..."), *draft.rows[last:])
    short = replace(draft, rows=rows)
    return short if _has_each_piece_once(short) else replace(short, verdict=Verdict.EITHER)


def _has_each_piece_once(draft: Draft) -> bool:
    pieces = re.split(r"(?m)^\s*\.\.\.\n", draft.old)
    return all(draft.before.count(piece.encode()) == 1 for piece in pieces)

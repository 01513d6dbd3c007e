"""Hunks for a terminal, each line with what shows that it was known before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.page.hunks import DiffRow, ReviewHunk, SeenRange
from hkgit.cli.terminal_rows import EVIDENCE_COLOURS, fit, measure_terminal
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun
from hkgit.text.strict_json import JsonObject

_COLOURS = {"+": "green", "-": "red", " ": None}


def hunk_lines(hunks: Sequence[ReviewHunk]) -> Iterator[str]:
    """Describe every hunk: where and on what it rests, what was read, and the diff."""
    width = measure_terminal()
    for hunk in hunks:
        yield ""
        yield _head(hunk)
        for seen in hunk.seen:
            yield f"  {seen.how}"
        if hunk.unseen:
            what = "changed unseen" if hunk.changed else "added at a place that was not known"
            lines = count_noun(hunk.unseen if hunk.changed else hunk.added, "line")
            yield "  " + click.style(f"{lines} {what}", fg="yellow")
        if hunk.note:
            yield f"  {hunk.note}"
        yield from (_row(row, width) for row in hunk.rows)
        if hunk.left_out:
            yield f"  and {count_noun(hunk.left_out, 'line')} more"


def _head(hunk: ReviewHunk) -> str:
    is_range = hunk.start <= hunk.end
    place = f"{hunk.start}-{hunk.end}" if is_range else f"{max(hunk.start - 1, 0)}+"
    rests = click.style(hunk.evidence, fg=EVIDENCE_COLOURS.get(hunk.evidence))
    sure = format_confidence(hunk.confidence, ", confidence ")
    return f"{click.style(f'{hunk.path}:{place}', bold=True)}  {rests}{sure}"


def _row(row: DiffRow, width: int) -> str:
    number = "" if row.old is None else str(row.old)
    eye = row.seen or ("unseen" if row.sign == "-" else "")
    text = click.style(fit(f"{row.sign} {row.text}", max(width - 16, 20)), fg=_COLOURS[row.sign])
    return f"  {number:>5}  {eye:<6} {text}".rstrip()


def hunk_json(hunk: ReviewHunk) -> JsonObject:
    """Write a hunk as one JSON object."""
    return {
        "path": hunk.path,
        "lines": [hunk.start, hunk.end],
        "evidence": hunk.evidence,
        "confidence": None if hunk.confidence is None else hunk.confidence / 1000,
        "changed": hunk.changed,
        "added": hunk.added,
        "unseen": hunk.unseen,
        "read": [_seen_json(each) for each in hunk.seen],
    }


def _seen_json(seen: SeenRange) -> JsonObject:
    return {"lines": [seen.start, seen.end], "kind": seen.kind, "how": seen.how}

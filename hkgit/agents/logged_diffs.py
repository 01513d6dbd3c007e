"""Differences as answers and logs show them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hkgit.agents.json_fields import tables
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace
from hkgit.workflows.log_steps import LineHunk, to_bytes

_HEAD = r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@"
_NO_END = "\\ No newline"


def parse_diff(text: str | None) -> tuple[LineHunk, ...]:
    """Parse the hunks of a unified diff of one file; none if it is cut off or no such diff."""
    lines = (text or "").removesuffix("\n").split("\n")
    hunks: list[LineHunk] = []
    at = 0
    while at < len(lines):
        head = re.match(_HEAD, lines[at])
        at += 1
        if head is None:
            continue
        start, old, new = int(head[1]), int(head[2] or 1), int(head[4] or 1)
        body: list[str] = []
        while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith(_NO_END)):
            line = lines[at] or " "  # some programs strip whitespace at the ends of lines
            old -= line[0] in " -"
            new -= line[0] in " +"
            body.append(line)
            at += 1
        if old or new:
            return ()
        hunks.append(_hunk(start, body))
    return tuple(hunks)


def parse_structured_patch(patch: object) -> tuple[LineHunk, ...]:
    """Parse the hunks of a `structuredPatch`, whose lines begin with whitespace for tabs."""
    hunks = tuple(
        _hunk(start, [line for line in lines if isinstance(line, str)])
        for each in tables(patch)
        for start, lines in [_parts(each)]
        if lines
    )
    lines = [line for each in hunks for line in (*each.old, *each.new)]
    has_tabs = any(line.startswith(b"\t") for line in lines)
    return tuple(replace(each, has_tabs=has_tabs) for each in hunks)


def _parts(hunk: JsonObject) -> tuple[int, list[object]]:
    start, lines = hunk.get("oldStart"), hunk.get("lines")
    return start if isinstance(start, int) else 0, lines if isinstance(lines, list) else []


def _hunk(start: int, body: Iterable[str]) -> LineHunk:
    """A hunk from the lines of its body, each with its mark before it."""
    old: list[bytes] = []
    new: list[bytes] = []
    is_ended, mark = True, " "
    for line in body:
        if line.startswith(_NO_END):
            is_ended = is_ended and mark == "-"
            continue
        mark = line[:1] or " "
        shown = to_bytes(line[1:].removesuffix("\r"))
        if mark in " -":
            old.append(shown)
        if mark in " +":
            new.append(shown)
    return LineHunk(start, tuple(old), tuple(new), is_ended)

"""Differences as logs show them, and their record, as close to what was asked as possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher, unified_diff
from typing import Protocol

from hkgit.agents.events import LineHunk
from hkgit.agents.json_fields import tables
from hkgit.agents.logged_call import Record
from hkgit.agents.shell_changes import ShellWork
from hkgit.edits import File, decode_text
from hkgit.errors import HkgitError, Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.document import split_raw
from hkgit.text.paths import quote_path
from hkgit.values import replace

Files = Mapping[str, File | None]

_AROUND = (0, 3, 30, 10**9)
"""So many lines around a change are told until it has one place: one of equal blank lines may have
none but in its whole file."""


def adopt_difference(session: EditSession, before: Files, time: int = 0) -> EditReport | None:
    """Record what has become of files; None where nothing has.

    The lines around a change need not have been read; where it has no place without them, more
    and more of them are told as well, in the end the whole file. `time` is when it was done, in
    milliseconds since 1970, but not before what the session has done; 0 for now.

    Raises HkgitError.
    """
    if time:
        last = session.journal.load().effective[-1:]
        time = max([time, *(call.time for call in last)])
    now = Checkout(session.root)
    refusal: HkgitError | None = None
    for around in _AROUND:
        text = "".join(
            line
            for path, old in before.items()
            for line in render_diff(path, old, now.get(path), around)
        )
        if not text:
            return None
        try:
            answer = session.adopt(session.parse(text, "unified-diff"), before, time)
        except Stale as error:  # it has led somewhere else
            refusal = error
            continue
        if answer.ok:
            return answer
        refusal = answer.error
    if refusal is not None:
        raise refusal
    return None


def render_diff(path: str, old: File | None, new: File | None, around: int = 3) -> Iterator[str]:
    """Render the lines of a diff, with so many around each change; nothing if nothing has changed.

    With none around, one remains beside lines that are put in.
    """
    if old == new:
        return
    names = [quote_path(f"{mark}/{path}") for mark in "ab"]
    yield f"diff --git {names[0]} {names[1]}\n"
    if old is None and new is not None:
        yield f"new file mode {new.mode:06o}\n"
    elif old is not None and new is None:
        yield f"deleted file mode {old.mode:06o}\n"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode:06o}\nnew mode {new.mode:06o}\n"
    lines = _lines(old), _lines(new)
    sides = [
        "/dev/null" if file is None else name for file, name in zip((old, new), names, strict=True)
    ]
    if not around and old is not None and new is not None:
        hunks = [*_close_hunks(*lines)]
        whole = iter([f"--- {sides[0]}\n", f"+++ {sides[1]}\n", *hunks] if hunks else [])
    else:
        whole = unified_diff(*lines, sides[0], sides[1], n=around)
    for line in whole:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _close_hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The hunks of a diff, each with what has changed alone."""
    shift = 0
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        above = 1 if a == b and a > 0 else 0
        below = 1 if a == b and not above and b < len(old) else 0
        first = a - above + 1
        counts = b - a + above + below, d - c + above + below
        yield f"@@ -{first},{counts[0]} +{first + shift},{counts[1]} @@\n"
        yield from (f" {line}" for line in old[a - above : a])
        yield from (f"-{line}" for line in old[a:b])
        yield from (f"+{line}" for line in new[c:d])
        yield from (f" {line}" for line in old[b : b + below])
        shift += (d - c) - (b - a)


def _lines(file: File | None) -> list[str]:
    return [] if file is None else [*map(decode_text, split_raw(file.data))]


class Take(Protocol):
    """Takes in what has become of files since they were as they are given; see `Recorder`."""

    def __call__(
        self, before: Mapping[str, File | None], *, time: int = 0
    ) -> EditReport | None: ...


def take_work(work: ShellWork, take: Take) -> EditReport | None:
    """Take in what a command has done. Raises HkgitError."""
    committed = _take_files(work.committed, take, work.time)
    return _take_files(work.changed, take, 0) or committed


def _take_files(before: Mapping[str, File | None], take: Take, time: int) -> EditReport | None:
    """Take in files at once, and each by itself where that cannot be."""
    if not before:
        return None
    try:
        return take(before, time=time)
    except HkgitError as error:
        if len(before) == 1:
            raise
        refused = error
    for path, file in before.items():
        with suppress(HkgitError):
            take({path: file}, time=time)
    raise refused


_HEAD = r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@"
_NUMBERED = r"(?s)([ +-]) *(\d+) (.*)\Z"
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
            line = lines[at] or " "  # some programs strip blanks at the ends of lines
            old -= line[0] in " -"
            new -= line[0] in " +"
            body.append(line)
            at += 1
        if old or new:
            return ()
        hunks.append(_hunk(start, body))
    return tuple(hunks)


def parse_numbered_diff(diff: str | None) -> tuple[LineHunk, ...]:
    """Parse a diff that shows its lines behind their numbers, those of new lines apart."""
    hunks: list[tuple[int, list[str]]] = []
    is_open = False
    for line in (diff or "").split("\n"):
        found = re.match(_NUMBERED, line)
        if found is not None and not is_open:
            hunks.append((int(found[2]), []))
        is_open = found is not None
        if found is not None:
            hunks[-1][1].append(found[1] + found[3])
    # Whether the last line has an end is not told: it is as it was.
    return tuple(replace(_hunk(start, body), is_ended=None) for start, body in hunks)


def structured_diff(patch: object) -> tuple[LineHunk, ...]:
    """Parse the hunks of a `structuredPatch`, whose lines begin with blanks for tabs."""
    hunks = tuple(
        _hunk(start, [line for line in lines if isinstance(line, str)])
        for each in tables(patch)
        for start, lines in [_parts(each)]
        if lines
    )
    lines = [line for each in hunks for line in (*each.old, *each.new)]
    has_tabs = any(line.startswith("\t") for line in lines)
    return tuple(replace(each, has_tabs=has_tabs) for each in hunks)


def _parts(hunk: Record) -> tuple[int, list[object]]:
    start, lines = hunk.get("oldStart"), hunk.get("lines")
    return start if isinstance(start, int) else 0, lines if isinstance(lines, list) else []


def _hunk(start: int, body: Iterable[str]) -> LineHunk:
    """A hunk from the lines of its body, each with its mark before it."""
    old: list[str] = []
    new: list[str] = []
    is_ended, mark = True, " "
    for line in body:
        if line.startswith(_NO_END):
            is_ended = is_ended and mark == "-"
            continue
        mark = line[:1] or " "
        shown = line[1:].removesuffix("\r")
        if mark in " -":
            old.append(shown)
        if mark in " +":
            new.append(shown)
    return LineHunk(start, tuple(old), tuple(new), is_ended)

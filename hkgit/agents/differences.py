"""Differences, recorded as close to what was asked as possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from hkgit.edits import File, decode_text
from hkgit.errors import HkgitError, Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.document import split_raw
from hkgit.text.paths import quote_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.shell_changes import ShellWork

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
        from difflib import unified_diff

        whole = unified_diff(*lines, sides[0], sides[1], n=around)
    for line in whole:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _close_hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The hunks of a diff, each with what has changed alone."""
    from difflib import SequenceMatcher

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

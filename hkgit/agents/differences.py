"""differences.py: take in what has become of files as a unified diff, which is read as an edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff

from hkgit.edits import File, Overlay, decode_text
from hkgit.errors import Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.readings.checkout import Checkout
from hkgit.sessions.session import EditSession
from hkgit.text.document import split_raw
from hkgit.text.paths import quote_path

Files = Mapping[str, File | None]


def adopt_difference(
    session: EditSession, before: Files, time: int = 0, leaves: Files | None = None
) -> EditReport | None:
    """Record what has become of files; None where nothing has.

    `leaves` are files that others have changed since, as they were by then.

    The lines around a change need not have been read; where it has no place without them, they
    are told as well. `time` is when it was done, in milliseconds since 1970, but not before what
    the session has done; 0 for now. Raises HkgitError.
    """
    if time:
        last = session.journal.load().effective[-1:]
        time = max([time, *(call.time for call in last)])
    answer = _adopt(session, before, time, leaves, is_close=True)
    if answer is None or not answer.ok:
        answer = _adopt(session, before, time, leaves, is_close=False)
    if answer is not None and answer.error is not None:
        raise answer.error
    return answer


def _adopt(
    session: EditSession, before: Files, time: int, leaves: Files | None, *, is_close: bool
) -> EditReport | None:
    now = Overlay(Checkout(session.root), leaves or {})
    text = "".join(
        line
        for path, old in before.items()
        for line in render_diff(path, old, now.get(path), is_close=is_close)
    )
    if not text:
        return None
    try:
        return session.adopt(session.parse(text, "unified-diff"), before, time, leaves)
    except Stale:
        if not is_close:
            raise
        return None


def render_diff(path: str, old: File | None, new: File | None, *, is_close: bool) -> Iterator[str]:
    """Render the lines of a diff; nothing where nothing has changed.

    `is_close` leaves out the lines around a change: one remains beside lines that are put in.
    """
    names = [
        "/dev/null" if file is None else quote_path(f"{mark}/{path}")
        for mark, file in (("a", old), ("b", new))
    ]
    lines = _lines(old), _lines(new)
    if is_close and old is not None and new is not None:
        hunks = [*_close_hunks(*lines)]
        whole = iter([f"--- {names[0]}\n", f"+++ {names[1]}\n", *hunks] if hunks else [])
    else:
        whole = unified_diff(*lines, names[0], names[1])
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

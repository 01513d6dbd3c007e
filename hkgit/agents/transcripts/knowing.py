"""knowing.py: reconstruct a file's text at the time of an edit, as far as the log allows.

A content that was seen before the call is the one it was made on, if no command ran in between.
So is the one that the next call found, if nothing was edited in between. Where both are known and
equal, no command has changed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hkgit.agents.transcripts.events import Called, Event, Files, Ran, Seen
from hkgit.values import dataclass


def contents_before(events: Sequence[Event], at: int, paths: Sequence[str]) -> Files | None:
    """Find what the files of call number `at` said before it; None where one is unknown."""
    found: dict[str, str | None] = {}
    for path in paths:
        above = _nearest((events[i] for i in range(at - 1, -1, -1)), path, forwards=False)
        below = _nearest((events[i] for i in range(at + 1, len(events))), path, forwards=True)
        call = events[at]
        if isinstance(call, Called) and call.applied:
            below = None
        known = _agree(above, below)
        if known is None:
            return None
        found[path] = known.text
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    text: str | None
    is_sure: bool


def _agree(above: _Known | None, below: _Known | None) -> _Known | None:
    for each in (above, below):
        if each is not None and each.is_sure:
            return each
    both = above is not None and below is not None
    return above if both and above == below else None


def _nearest(events: Iterable[Event], path: str, *, forwards: bool) -> _Known | None:
    """The content of a file at the nearest event that has it; unsure where a command ran before.

    None where the file was edited on the way there.
    """
    is_sure = True
    for event in events:
        if isinstance(event, Ran):
            is_sure = False
        elif isinstance(event, Seen) and event.path == path:
            return _Known(event.text, is_sure)
        elif isinstance(event, Called) and event.applied is not False:
            files = event.before if forwards else event.after
            if files is not None and path in files:
                return _Known(files[path], is_sure)
            if _may_touch(event, path):
                return None
        elif isinstance(event, Called) and event.before is not None and path in event.before:
            return _Known(event.before[path], is_sure)
    return None


def _may_touch(call: Called, path: str) -> bool:
    """Whether a call of which no content is known may have edited a file."""
    return path.rsplit("/", 1)[-1] in call.spec

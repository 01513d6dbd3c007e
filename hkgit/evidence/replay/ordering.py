"""ordering.py: which entry of a commit comes first, told by what each was made on and leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hkgit.edits import Snapshot
from hkgit.evidence.ledger.entry import Entry, FileMark
from hkgit.evidence.ledger.recording import mark
from hkgit.evidence.replay.findings import Entries

State = tuple[str, FileMark | None]
"""A path and what stands there."""


def order_entries(entries: Entries, files: Snapshot) -> Iterator[tuple[str, Entry]]:
    """Yield each entry as soon as every file is what it says it was before; leftovers last.

    Of several that are ready, one goes first whose result another one waits for: where a file
    came back to what it was, that is the round that must be made before the file moves on. Any
    other tie goes by the entries' ids, and so does a circle whose beginning nothing shows.
    """
    if len(entries) < 2:
        yield from entries
        return
    waiting = sorted(entries, key=lambda each: each[0])
    now = _begin(waiting, files)
    awaited = Counter(state for _, entry in entries for state in _needs(entry))
    while waiting:
        ready = [each for each in waiting if _is_ready(each[1], now)] or waiting[:1]
        useful = (each for each in ready if any(awaited[state] for state in _leaves(each[1])))
        chosen = next(useful, ready[0])
        waiting.remove(chosen)
        awaited.subtract(_needs(chosen[1]))
        now.update(_leaves(chosen[1]))
        yield chosen


def _begin(entries: Entries, files: Snapshot) -> dict[str, FileMark | None]:
    """What each file is taken to be at first.

    What it is, where an entry was made on that. Else its base has moved, and it begins as what
    more entries were made on than leave it.
    """
    needed = Counter(state for _, entry in entries for state in _needs(entry))
    left = Counter(state for _, entry in entries for state in _leaves(entry))
    begin: dict[str, FileMark | None] = {}
    for path, state in needed - left:
        begin.setdefault(path, state)
    for path in {path for path, _ in needed}:
        actual = mark(files.get(path))
        if (path, actual) in needed or path not in begin:
            begin[path] = actual
    return begin


def _is_ready(entry: Entry, now: Mapping[str, FileMark | None]) -> bool:
    return all(now[path] == expected for path, expected in _needs(entry))


def _needs(entry: Entry) -> Iterator[State]:
    """What must stand where before an entry: its files, and nothing where it makes one."""
    for file in entry.files:
        yield file.name, file.before
        if file.new_path is not None and file.new_path != file.name:
            yield file.new_path, None


def _leaves(entry: Entry) -> Iterator[State]:
    """What stands where after an entry."""
    for file in entry.files:
        if file.path is not None and file.path != file.new_path:
            yield file.path, None
        if file.new_path is not None:
            yield file.new_path, file.after

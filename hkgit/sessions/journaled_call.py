"""A call as its file in the session says it."""

from __future__ import annotations

from hkgit.evidence.entry import (
    Entry,
    FileMark,
    RecordedFile,
    entry_json,
    file_json,
    parse_entry,
    parse_file,
)
from hkgit.text.strict_json import Json
from hkgit.values import dataclass, field

RECOVERED = "recovered"
"""The origin of calls that were replayed from a transcript; others have none."""


@dataclass(frozen=True, slots=True)
class JournaledCall:
    """One call of `edit` or `undo`: all of its files were written, or none.

    `entries` are its specs, each as a ledger entry on the files that it was applied to; base and
    claims are the commit's matter. `undoes` are the calls that it took back, `reversals` what that
    changed; then it has no entries. `time` is in milliseconds since 1970. `origin` says where the
    call is known from, if not from the tool that made it.
    """

    id: int
    time: int
    agent: str
    entries: tuple[Entry, ...] = field(compare=False)
    reversals: tuple[RecordedFile, ...] = field(default=(), compare=False)
    undoes: tuple[int, ...] = ()
    origin: str = ""

    @property
    def changes(self) -> tuple[RecordedFile, ...]:
        """What it changed, in order."""
        return (*(file for entry in self.entries for file in entry.files), *self.reversals)

    def states(self) -> dict[str, tuple[FileMark | None, FileMark | None]]:
        """Map every path that the call changed to what stood there before, and after."""
        states: dict[str, tuple[FileMark | None, FileMark | None]] = {}
        for change in self.changes:
            if change.path is not None and change.path != change.new_path:
                before, _ = states.get(change.path, (change.before, None))
                states[change.path] = before, None
            if change.new_path is not None:
                own = change.before if change.path == change.new_path else None
                before, _ = states.get(change.new_path, (own, None))
                states[change.new_path] = before, change.after
        return states


def call_json(call: JournaledCall) -> Json:
    """Write a call as JSON."""
    return {
        "id": call.id,
        "time": call.time,
        "agent": call.agent,
        "entries": [*map(entry_json, call.entries)],
        "reversals": [*map(file_json, call.reversals)],
        "undoes": call.undoes,
        "origin": call.origin,
    }


def parse_call(value: Json) -> JournaledCall:
    """Parse the call that `call_json` wrote. Raises InvalidInput, KeyError, TypeError."""
    return JournaledCall(
        id=value["id"],
        time=value["time"],
        agent=value["agent"],
        entries=tuple(map(parse_entry, value["entries"])),
        reversals=tuple(map(parse_file, value["reversals"])),
        undoes=tuple(value["undoes"]),
        origin=value["origin"],
    )

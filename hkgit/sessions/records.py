"""records.py: what a session's journal says, as values and as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hkgit.applying.draft import Lines
from hkgit.edits import File, Read
from hkgit.ledger.canonical import digest
from hkgit.sessions.knowledge import Known, Range

Json = Any


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it was: its mode, and the SHA-256 under which its bytes are kept."""

    mode: int
    sha256: str

    @classmethod
    def of(cls, file: File | None) -> Version | None:
        """The version that a file is."""
        return None if file is None else cls(file.mode, digest(file.data))


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; `path` is None for a new file, `new_path` for a deleted one."""

    path: str | None
    new_path: str | None
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True)
class Said:
    """One spec of a call: its edits as blocks of its dialect, and what tied them to their places.

    `paths` are those that each edit landed in, `evidence` its kind, `touched` the lines
    of the files as they were just before; the `reads` hold on those. `threshold` is per mille.
    """

    dialect: str
    digest: str
    blocks: tuple[str, ...]
    paths: tuple[str, ...]
    evidence: tuple[str, ...]
    touched: tuple[tuple[Lines, ...], ...]
    reads: tuple[Read, ...]
    changes: tuple[Change, ...]
    threshold: int
    relocate: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One call of `edit` or `undo`: all of its files were written, or none.

    `undoes` are the calls that it took back, `reversals` what that changed; then it has no specs.
    `time` is in milliseconds since 1970.
    """

    id: int
    time: int
    agent: str
    specs: tuple[Said, ...]
    reversals: tuple[Change, ...] = ()
    undoes: tuple[int, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """What it changed, in order."""
        return (*(change for spec in self.specs for change in spec.changes), *self.reversals)

    def states(self) -> dict[str, tuple[Version | None, Version | None]]:
        """Every path that it changed: what stood there before, and after."""
        states: dict[str, tuple[Version | None, Version | None]] = {}
        for change in self.changes:
            if change.path is not None and change.path != change.new_path:
                before, _ = states.get(change.path, (change.before, None))
                states[change.path] = before, None
            if change.new_path is not None:
                own = change.before if change.path == change.new_path else None
                before, _ = states.get(change.new_path, (own, None))
                states[change.new_path] = before, change.after
        return states


@dataclass(frozen=True, slots=True)
class Proposed:
    """A ledger entry made of some edits (from 1) of a spec (from 0) of a call, for a commit."""

    entry: str
    call: int
    spec: int
    edits: tuple[int, ...]


def call_json(call: Call) -> Json:
    """A call as JSON."""
    return asdict(call)


def call_of(value: Json) -> Call:
    """The call that `call_json` wrote."""
    specs = tuple(map(_said, value["specs"]))
    reversals = tuple(map(_change, value["reversals"]))
    undoes = tuple(value["undoes"])
    return Call(value["id"], value["time"], value["agent"], specs, reversals, undoes)


def _said(value: Json) -> Said:
    return Said(
        value["dialect"],
        value["digest"],
        tuple(value["blocks"]),
        tuple(value["paths"]),
        tuple(value["evidence"]),
        tuple(tuple((first, last) for first, last in each) for each in value["touched"]),
        tuple(map(read_of, value["reads"])),
        tuple(map(_change, value["changes"])),
        value["threshold"],
        value["relocate"],
    )


def _change(value: Json) -> Change:
    before, after = _version(value["before"]), _version(value["after"])
    return Change(value["path"], value["new_path"], before, after)


def _version(value: Json) -> Version | None:
    return None if value is None else Version(value["mode"], value["sha256"])


def read_of(value: Json) -> Read:
    """The read whose fields `asdict` wrote."""
    return Read(**value)


def known_json(path: str, known: Known | None) -> Json:
    """What is known of a file as JSON; None where nothing is known any more."""
    if known is None:
        return {"path": path, "version": None, "ranges": []}
    ranges: Sequence[Json] = [[*each.lines, each.range_hash] for each in known.ranges]
    return {"path": path, "version": known.version, "ranges": ranges}


def known_of(value: Json) -> tuple[str, Known | None]:
    """The path and knowledge that `known_json` wrote."""
    if value["version"] is None:
        return value["path"], None
    ranges = tuple(Range(first, last, hashed) for first, last, hashed in value["ranges"])
    return value["path"], Known(value["version"], ranges)

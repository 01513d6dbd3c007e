"""The lines of a session's journal as values and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.draft import Lines
from hkgit.edits import File, Read
from hkgit.evidence.entry import digest
from hkgit.sessions.knowledge import FileKnowledge, KnownRange
from hkgit.text.strict_json import Json
from hkgit.values import asdict, dataclass

RECOVERED = "recovered"
"""The origin of calls that were replayed from a transcript; others have none."""


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it was: its mode, and the SHA-256 under which its bytes are kept."""

    mode: int
    sha256: str

    @classmethod
    def of(cls, file: File | None) -> Version | None:
        """Record the version that a file is; None for no file."""
        return None if file is None else cls(file.mode, digest(file.data))


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A file before and after; `path` is None for a new file, `new_path` for a deleted one."""

    path: str | None
    new_path: str | None
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True)
class JournaledSpec:
    """One spec of a call: its edits as JSON, and what tied them to their places.

    `paths` are those that each edit landed in, `evidence` its kind, `touched` the lines
    of the files as they were just before; the `reads` hold on those. `threshold` is per mille,
    `miscounted` are the numbers of edits with a wrong header of their hunk.
    """

    dialect: str
    digest: str
    edits: tuple[str, ...]
    paths: tuple[str, ...]
    evidence: tuple[str, ...]
    touched: tuple[tuple[Lines, ...], ...]
    reads: tuple[Read, ...]
    changes: tuple[VersionChange, ...]
    threshold: int
    relocate: bool
    miscounted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class JournaledCall:
    """One call of `edit` or `undo`: all of its files were written, or none.

    `undoes` are the calls that it took back, `reversals` what that changed; then it has no specs.
    `time` is in milliseconds since 1970. `origin` says where the call is known from, if not from
    the tool that made it.
    """

    id: int
    time: int
    agent: str
    specs: tuple[JournaledSpec, ...]
    reversals: tuple[VersionChange, ...] = ()
    undoes: tuple[int, ...] = ()
    origin: str = ""

    @property
    def changes(self) -> tuple[VersionChange, ...]:
        """What it changed, in order."""
        return (*(change for spec in self.specs for change in spec.changes), *self.reversals)

    def states(self) -> dict[str, tuple[Version | None, Version | None]]:
        """Map every path that the call changed to what stood there before, and after."""
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


def call_json(call: JournaledCall) -> Json:
    """Write a call as JSON."""
    return asdict(call)


def parse_call(value: Json) -> JournaledCall:
    """Parse the call that `call_json` wrote."""
    specs = tuple(map(_parse_spec, value["specs"]))
    reversals = tuple(map(_change, value["reversals"]))
    undoes = tuple(value["undoes"])
    return JournaledCall(
        id=value["id"],
        time=value["time"],
        agent=value["agent"],
        specs=specs,
        reversals=reversals,
        undoes=undoes,
        origin=value.get("origin", ""),
    )


def _parse_spec(value: Json) -> JournaledSpec:
    return JournaledSpec(
        dialect=value["dialect"],
        digest=value["digest"],
        edits=tuple(value["edits"]),
        paths=tuple(value["paths"]),
        evidence=tuple(value["evidence"]),
        touched=tuple(tuple((first, last) for first, last in each) for each in value["touched"]),
        reads=tuple(map(parse_read, value["reads"])),
        changes=tuple(map(_change, value["changes"])),
        threshold=value["threshold"],
        relocate=value["relocate"],
        miscounted=tuple(value["miscounted"]),
    )


def _change(value: Json) -> VersionChange:
    before, after = _version(value["before"]), _version(value["after"])
    return VersionChange(value["path"], value["new_path"], before, after)


def _version(value: Json) -> Version | None:
    return None if value is None else Version(value["mode"], value["sha256"])


def parse_read(value: Json) -> Read:
    """Parse the read whose fields `asdict` wrote."""
    return Read(**value)


def knowledge_json(path: str, known: FileKnowledge | None) -> Json:
    """Write what is known of a file as JSON; None where nothing is known any more."""
    if known is None:
        return {"path": path, "version": None, "ranges": []}
    ranges: Sequence[Json] = [[*each.lines, each.range_hash] for each in known.ranges]
    return {"path": path, "version": known.version, "ranges": ranges}


def parse_knowledge(value: Json) -> tuple[str, FileKnowledge | None]:
    """Parse the path and knowledge that `knowledge_json` wrote."""
    if value["version"] is None:
        return value["path"], None
    ranges = tuple(KnownRange(first, last, hashed) for first, last, hashed in value["ranges"])
    return value["path"], FileKnowledge(value["version"], ranges)

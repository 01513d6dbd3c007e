"""entries.py: ledger entries of real plans, for the tests of `hkgit.evidence.ledger`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import rfc8785

from hkgit.applying.outcome import Plan
from hkgit.applying.planner import PlannedSpec, plan
from hkgit.dialects import parse
from hkgit.edits import Read, Spec
from hkgit.evidence.claims import complete_entry, make_entry
from hkgit.evidence.entry import Entry
from hkgit.matching.place import THRESHOLD
from hkgit.values import replace
from tests.support.planning import Files, Operation, protocol, snapshot

CLAIMS: dict[str, Any] = {"agent": "tester/1", "time": 0, "verify": None}
BASE = "b" * 40
DIGEST = "d" * 64


def recorded(
    spec: Spec,
    made: Plan,
    base: str | None = None,
    reads: Iterable[Read] = (),
    claims: Mapping[str, Any] | None = None,
) -> Entry:
    """The entry of a plan in which every edit applied."""
    planned = PlannedSpec(replace(spec, digest=DIGEST), made, tuple(reads))
    return complete_entry(make_entry(planned, THRESHOLD), base, claims or {})


def entry_of(
    spec: Spec,
    files: Files,
    reads: Iterable[Read] = (),
    claims: Mapping[str, Any] = CLAIMS,
    base: str | None = BASE,
) -> Entry:
    """The entry of a spec that applies to the files."""
    listed = tuple(reads)
    made = plan(spec, snapshot(files), None, listed)
    assert made.ok, made.first_error
    return recorded(spec, made, base, listed, claims)


def entry_of_protocol(files: Files, *operations: Operation) -> Entry:
    """The entry of operations of the protocol."""
    return entry_of(protocol(*operations), files)


def entry_of_text(files: Files, text: str | bytes, dialect: str = "auto") -> Entry:
    """The entry of a spec in any dialect."""
    return entry_of(parse(text, dialect), files)


def as_json(entry: Entry) -> Any:
    """An entry as the JSON that it is written as."""
    return json.loads(entry.to_bytes())


def written(document: Any) -> bytes:
    """JSON in the one way that entries are written."""
    return rfc8785.dumps(document) + b"\n"

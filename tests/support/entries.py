"""entries.py: ledger entries of real plans, for the tests of `hkgit.evidence.ledger`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import rfc8785

from hkgit.applying.planner import plan
from hkgit.dialects import parse
from hkgit.edits import Read, Spec
from hkgit.evidence.claims import record
from hkgit.evidence.entry import Entry
from hkgit.matching.place import Settings
from tests.support.planning import Files, Operation, protocol, snapshot

CLAIMS: dict[str, Any] = {"agent": "tester/1", "time": 0, "verify": None}
BASE = "b" * 40
DIGEST = "d" * 64


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
    return record(
        spec, made, settings=Settings(), base=base, spec_digest=DIGEST, reads=listed, claims=claims
    )


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

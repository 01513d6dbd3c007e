"""Specs in which some edits were refused, kept until their corrections come."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from hkgit.applying.corrections import correct_spec
from hkgit.edits import NOTATIONS, Spec
from hkgit.errors import InvalidInput
from hkgit.git.state_files import find_files
from hkgit.sessions.blobs import refuse_unwritable
from hkgit.text.edit_json import expect_sayable, parse_edit, write_edit
from hkgit.text.strict_json import Node
from hkgit.values import dataclass

_TARGET = r"(?P<id>b[0-9a-f]{8})(?::(?P<numbers>\d+(?:,\d+)*))?\Z"
KEPT = 20
"""So many batches of a session wait at most; the oldest are thrown away."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A spec and the numbers (from 1) of its edits that were refused."""

    spec: Spec
    refused: tuple[int, ...]


def keep(folder: Path, batch: Batch, named: str | None = None) -> str:
    """Keep a batch under its id, or a new one. Raises GitRefused."""
    name = f"b{os.urandom(4).hex()}" if named is None else _split(named)[0]
    spec = batch.spec
    fields = {
        "dialect": spec.dialect,
        "digest": spec.digest,
        "edits": [*map(write_edit, spec.edits)],
        "agent": spec.agent,
        "refused": batch.refused,
        "miscounted": sorted(spec.miscounted),
    }
    place = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(fields))
        for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise refuse_unwritable(place, error) from error
    return name


def list_names(folder: Path) -> tuple[str, ...]:
    """List the ids of the batches that wait."""
    return tuple(path.name for path in find_files(folder, "*"))


def drop(folder: Path, named: str) -> None:
    """Forget a batch that has landed."""
    (folder / _split(named)[0]).unlink(missing_ok=True)


def correct_batch(folder: Path, named: str, corrections: Spec) -> Spec:
    """Put corrections in place of the refused edits of the batch `ID` or `ID:N,...`.

    Without numbers there must be one correction for each refused edit, in order. Raises
    InvalidInput.
    """
    name, numbers = _split(named)
    batch = _load(folder / name, name)
    wanted = batch.refused if numbers is None else numbers
    missing = [number for number in wanted if not 1 <= number <= len(batch.spec.edits)]
    if missing:
        what = f"has no edit {missing[0]}: it has {len(batch.spec.edits)}"
        raise InvalidInput(f"batch {name}", what, "Name the edits that were refused.")
    if len(wanted) != len(corrections.edits):
        listed = ",".join(map(str, batch.refused))
        what = f"edits {listed} were refused, and {len(corrections.edits)} corrections were sent"
        fix = f"Send one for each, in order, or name the edits: {name}:{listed}"
        raise InvalidInput(f"batch {name}", what, fix)
    expect_sayable(batch.spec.dialect, corrections.edits)
    return correct_spec(batch.spec, wanted, corrections)


def _split(named: str) -> tuple[str, Sequence[int] | None]:
    found = re.match(_TARGET, named)
    if found is None:
        raise InvalidInput(f"batch {named[:40]!r}", "is not a batch", "Write its id, or ID:2,5.")
    numbers = found["numbers"]
    return found["id"], None if numbers is None else [int(n) for n in numbers.split(",")]


def _load(place: Path, name: str) -> Batch:
    try:
        fields = json.loads(place.read_text())
        edits = tuple(parse_edit(Node("edits", each)) for each in fields["edits"])
    except (OSError, ValueError, KeyError) as error:
        fix = "Send all edits again, without a batch."
        raise InvalidInput(f"batch {name}", "is not stored here any more", fix) from error
    spec = Spec(
        dialect=fields["dialect"],
        edits=edits,
        sequential=NOTATIONS[fields["dialect"]].sequential,
        agent=fields["agent"],
        digest=fields["digest"],
        miscounted=frozenset(fields["miscounted"]),
    )
    return Batch(spec, tuple(fields["refused"]))

"""states.py: what is known of a repository from earlier runs, so that only the new is judged.

A commit whose ruling hangs on its history alone is settled. The others are open: what failed,
what a key or a record in refs lets pass (`lasting` in the tables is false). They are judged again
when those refs have changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.audit.fleet.places import FleetDirectory, read_json
from hkgit.audit.fleet.tally import Tally
from hkgit.audit.tables.store import write_json
from hkgit.text.json_nodes import Json
from hkgit.values import dataclass

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """A repository as the last run left it.

    `basis` names all that its rulings depend on (policy, pins, versions), `evidence` the refs that
    open ones depend on. `tips` are the commits by ref up to which all is judged, `settled` and
    `open_tally` the numbers of both kinds, `open` the ids of the open ones.
    """

    basis: str
    evidence: str
    tips: Mapping[str, str]
    settled: Mapping[str, Json]
    open_tally: Mapping[str, Json]
    open: tuple[str, ...]


def read_state(directory: FleetDirectory, name: str) -> RepositoryState | None:
    """The state of a repository; None where there is none that this hkgit can go on from."""
    found = read_json(directory.state(name))
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        return None
    try:
        return RepositoryState(
            basis=found["basis"],
            evidence=found["evidence"],
            tips=found["tips"],
            settled=Tally(found["settled"]).to_json(),
            open_tally=Tally(found["open_tally"]).to_json(),
            open=tuple(found["open"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def write_state(directory: FleetDirectory, name: str, state: RepositoryState) -> None:
    """Keep a state. Raises OSError."""
    document = {
        "schema": SCHEMA,
        "basis": state.basis,
        "evidence": state.evidence,
        "tips": dict(state.tips),
        "settled": dict(state.settled),
        "open_tally": dict(state.open_tally),
        "open": list(state.open),
    }
    write_json(directory.state(name), document)

"""states.py: what is known of a repository from earlier runs, so that only the new is judged.

A commit whose ruling hangs on its history alone is settled. The others are open: what failed,
what a key or a record in refs lets pass (`lasting` in the tables is false). They are judged again
when those refs have changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hkgit.audit.fleet.places import FleetDirectory, read_json
from hkgit.audit.fleet.tally import Tally
from hkgit.audit.fleet.tasks import PlannedRepository
from hkgit.audit.tables.store import write_json
from hkgit.errors import GitRefused
from hkgit.text.json_nodes import Json, JsonObject
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
    """Read the state of a repository; None where there is none that this hkgit can go on from."""
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


def join_parts(directory: FleetDirectory, plan: PlannedRepository, size: int) -> RepositoryState:
    """Build the state after a plan is carried out: what was there before, and every part.

    `size` is the number of commits in a part.
    """
    before = None if plan.is_fresh else read_state(directory, plan.name)
    settled, opened, left = Tally(), Tally(), list[str]()
    if before is not None:
        settled.add(Tally(before.settled))
        if not plan.reopens:
            opened.add(Tally(before.open_tally))
            left += before.open
    for part in _read_parts(directory, plan, size):
        settled.add(Tally(part["settled"]))
        opened.add(Tally(part["open_tally"]))
        left += part["open"]
    return RepositoryState(
        basis=plan.basis,
        # What could not be read may be readable the next time, whatever the refs say.
        evidence="" if opened.by["replay"]["unverifiable"] else plan.evidence,
        tips=plan.tips,
        settled=settled.to_json(),
        open_tally=opened.to_json(),
        open=tuple(left),
    )


def _read_parts(
    directory: FleetDirectory, plan: PlannedRepository, size: int
) -> Iterator[JsonObject]:
    """Read what each part of a plan came to."""
    pending = directory.pending(plan.name)
    for start in range(0, plan.count, size):
        part = read_json(pending / f"{start}.json")
        if not isinstance(part, dict):
            what = "a part that was judged is not there any more"
            raise GitRefused(str(pending), what, "Run it again.")
        yield part

"""Where the agents on this machine keep their logs of a checkout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hkgit.agents import find_agent, list_logged
from hkgit.errors import InvalidInput


def find_logs(
    roots: Sequence[Path], environment: Mapping[str, str], agent: str | None = None
) -> list[Path]:
    """Find the logs that may speak of one of some checkouts, by one agent or by all."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nonexistent")
    names = list_logged() if agent is None else (agent,)
    forms = (log for name in names for log in find_agent(name).logs)
    found = (path for log in forms for path in log.find(home, environment, roots))
    return sorted({path for path in found if path.is_file()})


def logs_at(place: Path) -> list[Path]:
    """List every log below a directory, or the one file. Raises InvalidInput for none."""
    if place.is_file():
        return [place]
    own = (log.suffix for name in list_logged() for log in find_agent(name).logs)
    ends = {".jsonl", ".json", *(each for each in own if each.startswith("."))}
    found = sorted({path for end in ends for path in place.rglob(f"*{end}")})
    if not found:
        known = ", ".join(list_logged())
        fix = f"Name an agent ({known}), a directory that holds logs, or one log."
        raise InvalidInput(str(place), "there are no logs", fix)
    return found

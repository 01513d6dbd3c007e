"""binding.py: `hkgit doctor --ci`, whether the gate in this job binds or only advises."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

import hkgit
from hkgit.cli.common import echo_json, open_repository
from hkgit.gate.entrypoints.binding import Check, Level, run_checks, sum_up
from hkgit.gate.entrypoints.ci import CiEvent, read_event
from hkgit.text.escaping import escape_console, to_json_text

_SAID = {
    Level.BROKEN: "broken: the gate cannot judge here as it should",
    Level.ADVISORY: "advisory: it says what it sees, and can be passed by",
    Level.UNASKED: "binds, if the target's rules require this check and pin its source",
}


def look(*, as_json: bool) -> bool:
    """Print what was found; whether the gate can do its work here. Raises InvalidInput."""
    event = read_event(os.environ)
    found = list(run_checks(open_repository(), event, os.environ, Path(hkgit.__file__)))
    level = sum_up(found)
    if as_json:
        echo_json(_document(event, found, level))
    else:
        click.echo("\n".join(map(escape_console, _lines(found, level))))
    return level is not Level.BROKEN


def _document(event: CiEvent, found: Sequence[Check], level: Level) -> dict[str, object]:
    listed = [
        {
            "name": check.name,
            "level": str(check.level),
            "what": to_json_text(check.what),
            "fix": check.fix,
        }
        for check in found
    ]
    described = {"host": event.host, "name": event.name, "ref": event.ref}
    return {
        "status": str(level),
        "event": described | {"old": event.old, "new": event.new},
        "checks": listed,
    }


def _lines(found: Sequence[Check], level: Level) -> Iterator[str]:
    for check in found:
        yield f"{check.level:9}{check.name}: {check.what}"
        if check.fix:
            yield f"         -> {check.fix}"
    yield _SAID[level]

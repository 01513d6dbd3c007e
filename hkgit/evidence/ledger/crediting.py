"""crediting.py: the `Assisted-by` trailer that an entry comes to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hkgit.evidence.ledger.entry import Entry

KEY = "Assisted-by"
_LINE = re.compile(rb"^assisted-by[ \t]*:(.*(?:\n[ \t].*)*)$", re.IGNORECASE | re.MULTILINE)


def list_credited_agents(message: bytes) -> list[str]:
    """List everyone whom a message names as having assisted, as written."""
    return [" ".join(each.decode("utf-8", "replace").split()) for each in _LINE.findall(message)]


def list_missing_lines(entries: Iterable[Entry], message: bytes) -> list[str]:
    """List the trailers of entries that a message has not."""
    there = set(list_credited_agents(message))
    wanted = dict.fromkeys(" ".join(each.agent.split()) for each in entries)
    return [f"{KEY}: {agent}" for agent in wanted if agent not in there]

"""What a conversation was shown before its first event here, as its transcript tells.

One that goes on from another, or is a fork of it, begins with what that one was shown. Only lines
that still stand in their files count, and nothing of the answer that asks for the present call:
its words were written before that was shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.agents.agent import Agent
from hkgit.agents.events import Shell, ToolReading
from hkgit.agents.json_fields import parse_value
from hkgit.agents.logged_call import Line, LoggedCall
from hkgit.agents.shown_readings import find_turn

_LARGEST = 64 * 2**20
"""A transcript of more bytes is not read: the agent waits."""


def find_earlier_readings(agent: Agent, transcript: Path, call: str) -> Iterator[LoggedCall]:
    """Find what calls have shown to whom asks for this call. Raises OSError."""
    if not transcript.is_file() or transcript.stat().st_size > _LARGEST:
        return
    lines = [*_read_lines(transcript)]
    calls = [each for log in agent.logs for each in agent.read_log(log, lines)]
    turn = find_turn(transcript, call) or (calls[-1].turn if calls else "")
    for each in calls:
        is_shown = isinstance(each.did, Shell) or (
            isinstance(each.did, ToolReading) and each.did.answer is not None
        )
        # What was attached names no answer, and is learnt by itself.
        if is_shown and each.turn not in ("", turn):
            yield each


def _read_lines(transcript: Path) -> Iterator[Line]:
    """Read the lines of a transcript but those of sub-agents, which a log may hold as well."""
    is_own = transcript.stem.startswith("agent-")
    with transcript.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            record = parse_value(raw)
            if isinstance(record, dict) and (
                is_own
                or (record.get("isSidechain") is not True and record.get("type") != "progress")
            ):
                yield Line(f"{transcript.name}:{number}", record)

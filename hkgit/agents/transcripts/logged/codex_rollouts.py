"""codex_rollouts.py: the sessions of Codex, `~/.codex/sessions/**/rollout-*.jsonl`.

A patch is the input of the tool `apply_patch` or stands in a shell command; files are read with
shell commands. The log holds no file: what one said is what the calls before it left, or a
version of the repository's history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.agents.transcripts.codex import CALLS, OUTPUTS, detects, read_arguments, read_result
from hkgit.agents.transcripts.fields import Line, Record, table, text
from hkgit.agents.transcripts.logged.claude_code import parse_time
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ShellCall
from hkgit.values import dataclass

__all__ = ["NAME", "calls", "detects"]

NAME = "codex"


@dataclass
class _Session:
    """What the log has said of its session so far."""

    id: str = "unnamed"
    version: str = "unknown"
    directory: str = ""


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Every call of a log whose result it holds, in the order of the results."""
    session = _Session()
    pending: dict[object, Record] = {}
    for line in lines:
        payload = table(line.record.get("payload"))
        kind, call = payload.get("type"), payload.get("call_id")
        if line.record.get("type") == "session_meta":
            session.id = text(payload.get("id")) or session.id
            session.version = text(payload.get("cli_version")) or session.version
        session.directory = text(payload.get("cwd")) or session.directory
        if kind in CALLS:
            pending[call] = payload
        elif kind in OUTPUTS and (asked := pending.pop(call, None)) is not None:
            yield from _call(line, session, asked, payload)


def _call(line: Line, session: _Session, asked: Record, answer: Record) -> Iterator[LoggedCall]:
    is_well, said = read_result(answer)
    sent = read_arguments(asked)
    words = _words(sent.get("command", sent.get("cmd")))
    patch = _patch((text(sent.get("input")), text(sent.get("patch")), *words))
    did: EditCall | ShellCall
    if patch is not None:
        did = EditCall((), patch, "apply-patch")
    elif words:
        did = ShellCall(words[-1] if len(words) == 3 else " ".join(words), said)
    else:
        return
    # A patch of which nothing is said may have been refused; one that failed was.
    if is_well is False or (patch is not None and is_well is not True):
        return
    yield LoggedCall(
        time=parse_time(line.record.get("timestamp")),
        conversation=session.id,
        agent=f"codex/{session.version}",
        directory=text(sent.get("workdir")) or session.directory,
        where=line.where,
        id=str(asked.get("call_id")),
        tool=text(asked.get("name")) or "shell",
        did=did,
    )


def _words(command: object) -> list[str]:
    if isinstance(command, str):
        return [command]
    found = command if isinstance(command, list) else []
    return [word for word in found if isinstance(word, str)]


def _patch(texts: Sequence[str | None]) -> str | None:
    """The patch in some texts, without the command around it."""
    for said in texts:
        if said is not None and "*** Begin Patch" in said and "*** End Patch" in said:
            start, end = said.index("*** Begin Patch"), said.rindex("*** End Patch")
            return said[start:end] + "*** End Patch\n"
    return None

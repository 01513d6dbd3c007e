"""codex.py: the rollouts that Codex keeps, one JSON object a line, the call in `payload`.

A patch is the input of the tool `apply_patch`, or an argument of a shell command; its result has
the same `call_id`. A log holds no files: what one said is known where a command (`cat`, `sed -n`)
printed the whole of it, or where a patch made it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from hkgit.agents.transcripts.events import Called, Event, Ran, Seen
from hkgit.agents.transcripts.fields import Line, Record, inside, parse_value, table, tables, text

DIALECT = "apply-patch"
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output")
_EXIT = re.compile(r"^(?:Exit code|Process exited with code):? (\d+)", re.MULTILINE)
_FROM_THE_TOP = re.compile(r"1,(\d+)p")
_FAILURE = re.compile(r"\A.*(?:fail|error|invalid)", re.IGNORECASE)


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return record.get("type") in ("session_meta", "response_item", "event_msg", "turn_context")


def events(lines: Sequence[Line]) -> Iterator[Event]:
    """Yield what happened, call by call; a call whose result is not in the log is left out."""
    outputs = {
        payload.get("call_id"): payload
        for _, payload in _payloads(lines)
        if payload.get("type") in OUTPUTS
    }
    root: str | None = None
    for where, payload in _payloads(lines):
        root = text(payload.get("cwd")) or root
        if payload.get("type") in CALLS and payload.get("call_id") in outputs:
            is_applied, output = read_result(outputs[payload["call_id"]])
            yield from _call(where, root, payload, is_applied, output)


def _payloads(lines: Sequence[Line]) -> Iterator[tuple[str, Record]]:
    for line in lines:
        yield line.where, table(line.record.get("payload"))


def read_result(payload: Record) -> tuple[bool | None, str]:
    """Whether a call succeeded, None where that is not said, and what it printed."""
    output = payload.get("output")
    if isinstance(output, list):
        output = "".join(text(part.get("text")) or "" for part in tables(output))
    detail = table(parse_value(output)) if isinstance(output, str) and output[:1] == "{" else {}
    if "metadata" in detail or "success" in detail:
        code = table(detail.get("metadata")).get("exit_code")
        is_well = code == 0 if code is not None else detail.get("success") is True
        return is_well, text(detail.get("output")) or text(detail.get("content")) or ""
    said = text(output) or ""
    head, mark, body = said.partition("Output:\n")
    found = _EXIT.search(head) if mark else None
    if found is None and mark and "\n" not in head.strip():
        # A patch in a shell command: what the patch tool said stands in what the command printed.
        head, inner, said = body.partition("Output:\n")
        found = _EXIT.search(head) if inner else None
        body = said = said or body
    if found is not None:
        return found[1] == "0", body
    return _verdict(said), said


def _verdict(output: str) -> bool | None:
    """What a tool that says no exit code thinks of a patch."""
    if output.startswith(("Success", "Done!")):
        return True
    return False if _FAILURE.search(output) else None


def _call(
    where: str, root: str | None, payload: Record, is_applied: bool | None, output: str
) -> Iterator[Event]:
    sent = read_arguments(payload)
    words = sent.get("command", sent.get("cmd"))
    if isinstance(words, str):
        words = ["bash", "-lc", words]
    patch = text(sent.get("input")) or text(sent.get("patch"))
    command = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    spec = patch or next((word for word in command if "*** Begin Patch" in word), None)
    if spec is not None and "*** Begin Patch" in spec:
        tool = "apply_patch"
        yield Called(
            where=where, tool=tool, spec=spec, dialect=DIALECT, root=root, applied=is_applied
        )
    elif command:
        yield from _ran(command, text(sent.get("workdir")) or root, root, is_applied, output)


def read_arguments(payload: Record) -> Record:
    if payload.get("type") == "custom_tool_call":
        return {"input": payload.get("input")}
    if payload.get("type") == "local_shell_call":
        return table(payload.get("action"))
    return table(parse_value(text(payload.get("arguments")) or "{}"))


def _ran(
    command: Sequence[str], place: str | None, root: str | None, is_well: bool | None, output: str
) -> Iterator[Event]:
    """A command: one that prints a whole file tells what it says, any other may have changed it."""
    words = command
    if len(command) == 3 and command[1] in ("-lc", "-c"):
        try:
            words = shlex.split(command[2])
        except ValueError:
            words = []
    shown = _find_printed_file(words, output)
    if shown is None:
        yield Ran()
        return
    path = inside(shown if shown.startswith("/") else f"{place or ''}/{shown}", root)
    if is_well is not False and path is not None and "truncated" not in output:
        yield Seen(path, output)


def _find_printed_file(words: Sequence[str], output: str) -> str | None:
    """Find the file that a command prints whole; `sed` does if asked for more than there is."""
    if len(words) == 2 and words[0] == "cat":
        return words[1]
    if len(words) == 4 and words[:2] == ["sed", "-n"]:
        asked = _FROM_THE_TOP.fullmatch(words[2])
        if asked is not None and output.count("\n") < int(asked[1]):
            return words[3]
    return None

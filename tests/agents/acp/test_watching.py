"""What the messages say: which readings are the model's, whose ids are whose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hkgit.agents.acp.watching import Watch
from hkgit.agents.events import Editing, Shell, ToolReading

ASK = {"sessionId": "s", "path": "/w/a.py", "line": 3, "limit": 2}
READ = {"id": 1, "method": "fs/read_text_file", "params": ASK}
SHOWN = {"id": 1, "result": {"content": "x\ny\n"}}
WRITTEN = {"sessionId": "s", "path": "/w/a.py", "content": "z\n"}
WRITE = {"id": 2, "method": "fs/write_text_file", "params": WRITTEN}
DONE: dict[str, Any] = {"id": 2, "result": None}


def _call(kind: str, status: str = "in_progress") -> dict[str, Any]:
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "kind": kind, "status": status}
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}


def _hear(*messages: tuple[str, dict[str, Any]]) -> list[object]:
    """The readings and edits that a conversation comes to."""
    watch = Watch(Path("/w"))
    return [
        (event.is_before, event.did)
        for side, message in messages
        for event in (watch.hear_agent if side == "agent" else watch.hear_client)(message)
    ]


SEEN = (False, ToolReading("/w/a.py", 3, 4, "x\ny\n"))
EDIT = Editing('{"file_path": "/w/a.py", "content": "z\\n"}', "text-editor")
EDITED = [(True, EDIT), (False, EDIT)]
ASKED_AND_WRITTEN = [("agent", WRITE), ("client", DONE)]


def test_a_reading_counts_while_an_agent_says_that_it_reads() -> None:
    heard = _hear(("agent", _call("read")), ("agent", READ), ("client", SHOWN))
    assert heard == [SEEN]


def test_a_file_that_the_edit_tool_reads_is_not_read_by_the_model() -> None:
    reads = [("agent", READ), ("client", SHOWN)]
    assert _hear(("agent", _call("edit")), *reads, *ASKED_AND_WRITTEN) == EDITED


def test_nor_is_one_that_it_reads_before_the_call_is_announced() -> None:
    reads = [("agent", READ), ("client", SHOWN)]
    assert _hear(*reads, ("agent", _call("edit")), *ASKED_AND_WRITTEN) == EDITED


def test_an_agent_that_announces_no_call_has_its_readings_counted_at_the_write() -> None:
    assert _hear(("agent", READ), ("client", SHOWN), *ASKED_AND_WRITTEN) == [SEEN, *EDITED]


def test_a_call_that_is_over_is_none() -> None:
    calls = [("agent", _call("read")), ("agent", _call("read", "completed"))]
    assert _hear(*calls, ("agent", READ), ("client", SHOWN)) == []


def test_a_refused_write_is_no_edit() -> None:
    refused = {"id": 2, "error": {"code": -32000, "message": "no"}}
    assert _hear(("agent", WRITE), ("client", refused)) == [(True, EDIT)]


def test_a_command_of_the_editor_is_a_command_of_the_shell() -> None:
    asked = {"sessionId": "s", "command": "cat", "args": ["a b.py"], "cwd": "/w/x"}
    heard = _hear(
        ("agent", {"id": 1, "method": "terminal/create", "params": asked}),
        ("client", {"id": 1, "result": {"terminalId": "t"}}),
        ("agent", {"id": 2, "method": "terminal/output", "params": {"terminalId": "t"}}),
        ("client", {"id": 2, "result": {"output": "x\n", "truncated": False}}),
    )
    assert heard == [(False, Shell("cat 'a b.py'", "x\n"))]


def test_requests_of_the_two_sides_may_have_the_same_number() -> None:
    prompt = {"id": 1, "method": "session/prompt", "params": {"sessionId": "s"}}
    answer = {"id": 1, "result": {"stopReason": "end_turn"}}
    heard = _hear(
        ("agent", _call("read")),
        ("client", prompt),
        ("agent", READ),
        ("client", SHOWN),
        ("agent", answer),
    )
    assert heard == [SEEN]

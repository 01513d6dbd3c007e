"""What the messages say: which readings are the model's, whose ids are whose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hkgit.agents.acp.watching import Watch
from hkgit.agents.events import END, Editing, PendingToolEdit, Shell, ToolReading

ASK = {"sessionId": "s", "path": "/w/a.py", "line": 3, "limit": 2}
READ = {"id": 1, "method": "fs/read_text_file", "params": ASK}
SHOWN = {"id": 1, "result": {"content": "x\ny\n"}}
WRITTEN = {"sessionId": "s", "path": "/w/a.py", "content": "z\n"}
WRITE = {"id": 2, "method": "fs/write_text_file", "params": WRITTEN}
DONE: dict[str, Any] = {"id": 2, "result": None}


def _call(kind: str, status: str = "in_progress", **more: Any) -> dict[str, Any]:
    """A call that is announced; one that is over brings only what is new."""
    update = {"toolCallId": "t", "status": status, "kind": kind} | more
    said = {"sessionUpdate": "tool_call" if status == "in_progress" else "tool_call_update"}
    return {"method": "session/update", "params": {"sessionId": "s", "update": said | update}}


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
READS = [("agent", READ), ("client", SHOWN)]
OVER = ("agent", _call("read", "completed"))
AT: dict[str, Any] = {"locations": [{"path": "/w/a.py"}]}


def test_a_reading_counts_once_the_call_that_it_was_for_is_over() -> None:
    assert _hear(("agent", _call("read")), *READS, OVER) == [SEEN]


def test_what_the_model_was_shown_counts_before_what_its_tool_has_read() -> None:
    shown: list[object] = [{"type": "content", "content": {"type": "text", "text": "x\n"}}]
    over = ("agent", _call("read", "completed", content=shown))
    heard = _hear(("agent", _call("read", **AT)), *READS, over)
    assert heard == [(False, ToolReading("/w/a.py", 1, END, "x\n"))]


def test_a_call_that_failed_has_shown_nothing() -> None:
    assert _hear(("agent", _call("read")), *READS, ("agent", _call("read", "failed"))) == []


def test_a_file_that_the_edit_tool_reads_is_not_read_by_the_model() -> None:
    assert _hear(("agent", _call("edit")), *READS, *ASKED_AND_WRITTEN) == EDITED


def test_nor_is_one_that_it_reads_before_the_call_is_announced() -> None:
    assert _hear(OVER, *READS, ("agent", _call("edit")), *ASKED_AND_WRITTEN) == EDITED


def test_an_agent_that_announces_no_call_has_its_readings_counted_at_the_write() -> None:
    assert _hear(*READS, *ASKED_AND_WRITTEN) == [SEEN, *EDITED]


def test_a_refused_write_is_no_edit() -> None:
    refused = {"id": 2, "error": {"code": -32000, "message": "no"}}
    assert _hear(("agent", WRITE), ("client", refused)) == [(True, EDIT)]


DIFF = {"type": "diff", "path": "/w/a.py", "oldText": "x", "newText": "y"}
OWN = Editing('{"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}', "text-editor")


def test_an_edit_without_the_editor_is_put_aside_and_taken_from_its_announcements() -> None:
    made = _call("edit", "completed", content=[DIFF])
    heard = _hear(("agent", _call("edit", **AT)), ("agent", made))
    assert heard == [(True, PendingToolEdit("/w/a.py")), (False, OWN)]


def test_an_edit_that_the_editor_wrote_is_taken_once() -> None:
    made = ("agent", _call("edit", "completed", content=[DIFF]))
    assert _hear(("agent", _call("edit")), *ASKED_AND_WRITTEN, made) == EDITED


def test_a_command_that_the_agent_runs_itself_is_one_of_the_shell() -> None:
    begun = _call("execute", rawInput={"command": "cat a.py"})
    over = _call("execute", "completed", rawOutput={"content": "x\n"})
    assert _hear(("agent", begun), ("agent", over)) == [(False, Shell("cat a.py", "x\n"))]


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
        OVER,
    )
    assert heard == [SEEN]

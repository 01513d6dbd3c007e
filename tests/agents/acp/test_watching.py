"""What the messages say: which readings are the model's, whose ids are whose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hkgit.agents.acp.messages import Watch
from hkgit.agents.events import (
    END,
    Editing,
    LateEdit,
    PendingToolEdit,
    Shell,
    ToolReading,
    UntoldLook,
)
from hkgit.agents.tools import make_editing
from hkgit.values import replace

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
UNTOLD = (False, UntoldLook("t"))
"""The transcript of an agent that tells no more may have what the model was shown."""
EDIT = Editing('{"file_path": "/w/a.py", "content": "z\\n"}', "text-editor")
EDITED = [(True, PendingToolEdit("/w/a.py")), (False, PendingToolEdit("/w/a.py"))]
ASKED_AND_WRITTEN = [("agent", WRITE), ("client", DONE)]
READS = [("agent", READ), ("client", SHOWN)]
OVER = ("agent", _call("read", "completed"))
AT: dict[str, Any] = {"locations": [{"path": "/w/a.py"}]}


def test_a_reading_counts_once_the_call_that_it_was_for_is_over() -> None:
    assert _hear(("agent", _call("read")), *READS, OVER) == [SEEN, UNTOLD]


def test_what_the_model_was_shown_counts_before_what_its_tool_has_read() -> None:
    shown: list[object] = [{"type": "content", "content": {"type": "text", "text": "x\n"}}]
    over = ("agent", _call("read", "completed", content=shown))
    heard = _hear(("agent", _call("read", **AT)), *READS, over)
    assert heard == [(False, ToolReading("/w/a.py", 1, END, "x\n")), UNTOLD]


def test_a_call_that_failed_has_shown_nothing() -> None:
    assert _hear(("agent", _call("read")), *READS, ("agent", _call("read", "failed"))) == []


def test_a_file_that_the_edit_tool_reads_is_not_read_by_the_model() -> None:
    assert _hear(("agent", _call("edit")), *READS, *ASKED_AND_WRITTEN) == EDITED


def test_nor_is_one_that_it_reads_before_the_call_is_announced() -> None:
    heard = _hear(OVER, *READS, ("agent", _call("edit")), *ASKED_AND_WRITTEN)
    assert heard == [UNTOLD, *EDITED]


def test_an_agent_that_announces_no_call_has_its_readings_counted_at_the_write() -> None:
    assert _hear(*READS, *ASKED_AND_WRITTEN) == [SEEN, *EDITED]


def test_a_refused_write_is_no_edit() -> None:
    refused = {"id": 2, "error": {"code": -32000, "message": "no"}}
    assert _hear(("agent", WRITE), ("client", refused)) == EDITED[:1]


DIFF = {"type": "diff", "path": "/w/a.py", "oldText": "x", "newText": "y"}
OWN = Editing('{"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}', "text-editor")


LATE = LateEdit(OWN, (("x", "y"),))
ASIDE = (True, PendingToolEdit("/w/a.py"))


def _ask(**more: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "toolCall": {"toolCallId": "t", "kind": "edit"} | more}
    return {"id": 9, "method": "session/request_permission", "params": params}


def test_an_edit_without_the_editor_is_put_aside_and_taken_from_its_announcements() -> None:
    made = _call("edit", "completed", content=[DIFF])
    assert _hear(("agent", _call("edit", **AT)), ("agent", made)) == [ASIDE, (False, LATE)]


def test_before_a_person_is_asked_nothing_is_changed() -> None:
    made = ("agent", _call("edit", "completed", content=[DIFF]))
    heard = _hear(("agent", _call("edit", **AT)), ("agent", _ask(**AT)), made)
    assert heard == [ASIDE, ASIDE, (False, replace(LATE, is_asked=True))]


def test_an_edit_may_be_told_before_it_is_made_and_never_again() -> None:
    """As the adapter of Claude Code tells it (claude-agent-acp 0.23.1)."""
    begun = ("agent", _call("edit", "pending"))
    told = ("agent", _call("edit", "pending", content=[DIFF], **AT))
    over = ("agent", _call("edit", "completed", rawOutput="updated"))
    assert _hear(begun, told, over) == [ASIDE, (False, LATE)]


def test_edits_of_one_file_at_once_are_one_edit() -> None:
    """When the first is told to be over the second may be made as well."""
    other = DIFF | {"oldText": "v", "newText": "w"}
    began = [("agent", _call("edit", toolCallId=name, **AT)) for name in "ab"]
    over = [
        ("agent", _call("edit", "completed", toolCallId=name, content=[diff]))
        for name, diff in (("a", DIFF), ("b", other))
    ]
    replaced = (("x", "y"), ("v", "w"))
    told = [{"old_string": old, "new_string": new} for old, new in replaced]
    late = LateEdit(make_editing("/w/a.py", told), replaced)
    assert _hear(*began, *over) == [ASIDE, (False, late)]


def test_of_edits_at_once_those_count_that_did_not_fail() -> None:
    began = [("agent", _call("edit", toolCallId=name, **AT)) for name in "ab"]
    over = ("agent", _call("edit", "completed", toolCallId="a", content=[DIFF]))
    failed = ("agent", _call("edit", "failed", toolCallId="b"))
    assert _hear(*began, over, failed) == [ASIDE, (False, LATE)]


def test_a_new_file_may_be_told_in_the_arguments_alone() -> None:
    """As OpenCode 1.18.33 tells of its `write`."""
    given = {"filePath": "/w/a.py", "content": "z\n"}
    begun = ("agent", _call("edit", rawInput=given, **AT))
    over = ("agent", _call("edit", "completed", rawOutput={"output": "Wrote it."}))
    assert _hear(begun, over) == [ASIDE, (False, LateEdit(EDIT))]


def test_a_deleted_file_is_known_by_what_was_put_aside() -> None:
    heard = _hear(("agent", _call("delete", **AT)), ("agent", _call("delete", "completed")))
    assert heard == [ASIDE, (False, PendingToolEdit("/w/a.py"))]


def test_the_answer_of_a_tool_counts_before_what_a_person_is_shown() -> None:
    """OpenCode shows the person a preview; its model sees lines behind their numbers."""
    shown: list[object] = [{"type": "content", "content": {"type": "text", "text": "x"}}]
    output = {"output": "1: x\n2: y"}
    over = ("agent", _call("read", "completed", content=shown, rawOutput=output))
    heard = _hear(("agent", _call("read", **AT)), over)
    assert heard == [(False, ToolReading("/w/a.py", 1, END, "1: x\n2: y"))]


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
    assert heard == [SEEN, UNTOLD]

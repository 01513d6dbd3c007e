"""What the messages say: which readings are the model's, whose ids are whose."""

from pathlib import Path
from typing import Any

from hkgit.agents.acp.messages import AGENT, EDITOR, Watch
from hkgit.agents.events import (
    END,
    Editing,
    LateEdit,
    PendingToolEdit,
    Shell,
    ToolReading,
    UntoldLook,
)
from hkgit.agents.tools import write_edit
from tests.support.cases import cases

ASK = {"sessionId": "s", "path": "/w/a.py", "line": 3, "limit": 2}
READ = {"id": 1, "method": "fs/read_text_file", "params": ASK}
SHOWN = {"id": 1, "result": {"content": "x\ny\n"}}
WRITTEN = {"sessionId": "s", "path": "/w/a.py", "content": "z\n"}
WRITE = {"id": 2, "method": "fs/write_text_file", "params": WRITTEN}
DONE: dict[str, Any] = {"id": 2, "result": None}


Message = tuple[str, dict[str, Any]]
"""One of the agent, or of the editor."""


def _call(kind: str, status: str = "in_progress", **more: Any) -> Message:
    """A call that is announced; one that is over brings only what is new."""
    update = {"toolCallId": "t", "status": status, "kind": kind} | more
    said = {"sessionUpdate": "tool_call" if status == "in_progress" else "tool_call_update"}
    params = {"sessionId": "s", "update": said | update}
    return AGENT, {"method": "session/update", "params": params}


def _ask(**more: Any) -> Message:
    """The agent asks a person for leave."""
    params = {"sessionId": "s", "toolCall": {"toolCallId": "t", "kind": "edit"} | more}
    return AGENT, {"id": 9, "method": "session/request_permission", "params": params}


SEEN = (False, ToolReading("/w/a.py", 3, 4, "x\ny\n"))
UNTOLD = (False, UntoldLook("t"))
"""The transcript of an agent that tells no more may have what the model was shown."""
SHOWS: list[object] = [{"type": "content", "content": {"type": "text", "text": "x\n"}}]
DIFF = {"type": "diff", "path": "/w/a.py", "oldText": "x", "newText": "y"}
OTHER = DIFF | {"oldText": "v", "newText": "w"}
OWN = Editing('{"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}', "text-editor")
WHOLE = Editing('{"file_path": "/w/a.py", "content": "z\\n"}', "text-editor")
PAIRS = (("x", "y"), ("v", "w"))
BOTH = write_edit(
    file_path="/w/a.py", edits=[{"old_string": old, "new_string": new} for old, new in PAIRS]
)
LATE = (False, LateEdit(OWN, PAIRS[:1]))
ASIDE, MADE = ((is_before, PendingToolEdit("/w/a.py")) for is_before in (True, False))
AT: dict[str, Any] = {"locations": [{"path": "/w/a.py"}]}
ASKED_AND_WRITTEN = [(AGENT, WRITE), (EDITOR, DONE)]
READS = [(AGENT, READ), (EDITOR, SHOWN)]
OVER = _call("read", "completed")
BEGUN = [_call("edit", toolCallId=name, **AT) for name in "ab"]
TERMINAL = {"sessionId": "s", "command": "cat", "args": ["a b.py"], "cwd": "/w/x"}


@cases(
    "messages, heard",
    {
        "a reading counts once the call that it was for is over": (
            [_call("read"), *READS, OVER],
            [SEEN, UNTOLD],
        ),
        "what the model was shown counts before what its tool has read": (
            [_call("read", **AT), *READS, _call("read", "completed", content=SHOWS)],
            [(False, ToolReading("/w/a.py", 1, END, "x\n")), UNTOLD],
        ),
        "the answer of a tool counts before what a person is shown": (
            [  # as OpenCode shows the person a preview, and its model lines behind their numbers
                _call("read", **AT),
                _call("read", "completed", content=SHOWS, rawOutput={"output": "1: x\n2: y"}),
            ],
            [(False, ToolReading("/w/a.py", 1, END, "1: x\n2: y"))],
        ),
        "a call that failed has shown nothing": (
            [_call("read"), *READS, _call("read", "failed")],
            [],
        ),
        "a file that the edit tool reads is not read by the model": (
            [_call("edit"), *READS, *ASKED_AND_WRITTEN],
            [ASIDE, MADE],
        ),
        "nor is one that it reads before the call is announced": (
            [OVER, *READS, _call("edit"), *ASKED_AND_WRITTEN],
            [UNTOLD, ASIDE, MADE],
        ),
        "an agent that announces no call has its readings counted at the write": (
            [*READS, *ASKED_AND_WRITTEN],
            [SEEN, ASIDE, MADE],
        ),
        "a refused write is no edit": (
            [(AGENT, WRITE), (EDITOR, {"id": 2, "error": {"code": -32000, "message": "no"}})],
            [ASIDE],
        ),
        "an edit without the editor is put aside and taken from its announcements": (
            [_call("edit", **AT), _call("edit", "completed", content=[DIFF])],
            [ASIDE, LATE],
        ),
        "before a person is asked nothing is changed": (
            [_call("edit", **AT), _ask(**AT), _call("edit", "completed", content=[DIFF])],
            [ASIDE, ASIDE, (False, LateEdit(OWN, PAIRS[:1], is_asked=True))],
        ),
        "an edit may be told before it is made and never again": (
            [  # as the adapter of Claude Code tells it (claude-agent-acp 0.23.1)
                _call("edit", "pending"),
                _call("edit", "pending", content=[DIFF], **AT),
                _call("edit", "completed", rawOutput="updated"),
            ],
            [ASIDE, LATE],
        ),
        "edits of one file at once are one edit": (
            [  # when the first is told to be over the second may be made as well
                *BEGUN,
                _call("edit", "completed", toolCallId="a", content=[DIFF]),
                _call("edit", "completed", toolCallId="b", content=[OTHER]),
            ],
            [ASIDE, (False, LateEdit(BOTH, PAIRS))],
        ),
        "of edits at once those count that did not fail": (
            [
                *BEGUN,
                _call("edit", "completed", toolCallId="a", content=[DIFF]),
                _call("edit", "failed", toolCallId="b"),
            ],
            [ASIDE, LATE],
        ),
        "a new file may be told in the arguments alone": (
            [  # as OpenCode 1.18.33 tells of its `write`
                _call("edit", rawInput={"filePath": "/w/a.py", "content": "z\n"}, **AT),
                _call("edit", "completed", rawOutput={"output": "Wrote it."}),
            ],
            [ASIDE, (False, LateEdit(WHOLE))],
        ),
        "a deleted file is known by what was put aside": (
            [_call("delete", **AT), _call("delete", "completed")],
            [ASIDE, MADE],
        ),
        "an edit that the editor wrote is taken once": (
            [
                _call("edit"),
                *ASKED_AND_WRITTEN,
                _call("edit", "completed", content=[DIFF]),
            ],
            [ASIDE, MADE],
        ),
        "a command that the agent runs itself is one of the shell": (
            [
                _call("execute", rawInput={"command": "cat a.py"}),
                _call("execute", "completed", rawOutput={"content": "x\n"}),
            ],
            [(False, Shell("cat a.py", "x\n"))],
        ),
        "a command of the editor is a command of the shell": (
            [
                (AGENT, {"id": 1, "method": "terminal/create", "params": TERMINAL}),
                (EDITOR, {"id": 1, "result": {"terminalId": "t"}}),
                (AGENT, {"id": 2, "method": "terminal/output", "params": {"terminalId": "t"}}),
                (EDITOR, {"id": 2, "result": {"output": "x\n", "truncated": False}}),
            ],
            [(False, Shell("cat 'a b.py'", "x\n"))],
        ),
        "requests of the two sides may have the same number": (
            [
                _call("read"),
                (EDITOR, {"id": 1, "method": "session/prompt", "params": {"sessionId": "s"}}),
                *READS,
                (AGENT, {"id": 1, "result": {"stopReason": "end_turn"}}),
                OVER,
            ],
            [SEEN, UNTOLD],
        ),
    },
)
def test_what_messages_come_to(messages: list[Message], heard: list[object]) -> None:
    watch = Watch(Path("/w"))
    events = (event for side, message in messages for event in watch.hear(side, message))
    assert [(event.is_before, event.did) for event in events] == heard

"""The calls of each agent's own tools, in its own words, become receipts and edits with evidence.

A stream is a list of inputs of the agent's hooks; between those before and after an edit stands
what the tool itself writes to the disk.
"""

from __future__ import annotations

import json
import re
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import HOOKED, UNSHOWN, find_agent
from hkgit.agents.events import Editing, PendingToolEdit
from hkgit.agents.servers.connection import Connection
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from tests.agents.streaming import (
    GREETING,
    begin_session,
    keep_message,
    replay_lines,
    replayed,
    session,
    stream,
    told,
)
from tests.support.cases import cases
from tests.support.properties import is_thorough
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks


@pytest.fixture(autouse=True)
def _own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path / "goose"))


@pytest.mark.parametrize("agent", HOOKED)
def test_every_edit_is_recorded_with_evidence(agent: str, greeting: Repo) -> None:
    replayed(agent, greeting)
    status = session(greeting)
    assert [call.files for call in status.calls] == [("greet.py",), ("notes.txt",)]
    assert status.uncommitted == 2
    assert status.blind == (agent in UNSHOWN)


@pytest.mark.sampled
@pytest.mark.parametrize("agent", HOOKED)
def test_nothing_is_said_where_nothing_is_wrong(agent: str, greeting: Repo) -> None:
    assert set(map(str, replayed(agent, greeting))) == {"{}"}


@pytest.mark.parametrize("agent", HOOKED)
def test_the_session_is_named_after_the_agents_conversation(agent: str, greeting: Repo) -> None:
    replayed(agent, greeting)
    assert session(greeting).session.startswith(f"{agent}-")


@pytest.mark.parametrize("agent", HOOKED)
def test_an_edit_of_what_was_not_read_is_recorded_as_blind(agent: str, greeting: Repo) -> None:
    lines = list(stream(agent, greeting))
    for line in lines:
        for name, content in line.get("disk", {}).items():
            greeting.write(name, content.encode())
        if "input" in line and _is_edit(agent, line["input"]):
            told(agent, line["input"])
    assert session(greeting).blind == 1


def _is_edit(agent: str, payload: dict[str, Any]) -> bool:
    event = find_agent(agent).read_event(payload)
    return event is not None and isinstance(event.did, Editing | PendingToolEdit)


@pytest.mark.parametrize("agent", HOOKED)
def test_steering_stops_an_edit_and_names_the_tool_and_its_text(agent: str, greeting: Repo) -> None:
    first = next(
        line["input"]
        for line in stream(agent, greeting)
        if "input" in line and _is_edit(agent, line["input"])
    )
    answer = json.dumps(told(agent, first, "--steer"))
    assert any(word in answer for word in ("deny", "block", "cancel"))
    assert f"({find_agent(agent).edit_tool})" in answer


def test_what_cursor_may_have_shown_only_in_part_does_not_count(greeting: Repo) -> None:
    """`beforeReadFile` has the whole of a file, also where the tool is asked for a few lines."""
    lines = [*stream("cursor", greeting)]
    unanswered = [each for each in lines if "tool_output" not in each.get("input", {})]
    replay_lines("cursor", unanswered, greeting)
    assert session(greeting).blind == 1


def test_a_file_that_cursor_deletes_is_recorded(greeting: Repo) -> None:
    [shown] = [
        each for each in stream("cursor", greeting) if "tool_output" in each.get("input", {})
    ]
    call = {"tool_name": "Delete", "tool_input": {"file_path": f"{greeting.path}/greet.py"}}
    before = shown["input"] | call | {"hook_event_name": "preToolUse"}
    told("cursor", shown["input"])
    told("cursor", before)
    (greeting.path / "greet.py").unlink()
    told("cursor", shown["input"] | call)
    [deleted] = session(greeting).calls
    assert (deleted.files, deleted.blind) == (("greet.py",), 0)


def test_a_steered_edit_rests_on_what_the_agents_own_tool_has_read(greeting: Repo) -> None:
    inputs = [line for line in stream("claude", greeting) if "input" in line]
    asked = [line for line in inputs if line["input"]["hook_event_name"] == "PreToolUse"]
    looked = [line for line in inputs if _reads(line)]
    answers = replay_lines("claude", [*looked, *asked], greeting, "--steer")
    [reason] = [
        answer["hookSpecificOutput"]["permissionDecisionReason"]
        for answer in answers
        if "old_string" in str(answer)
    ]
    found = re.search(r"with session (\S+) and this text: (.*)", reason)
    assert found is not None
    greeting.write("greet.py", GREETING)
    reply = Connection(greeting.path, None).answer("edit", {"session": found[1], "text": found[2]})
    assert reply.document["edits"][0]["evidence"] == "receipt"


def test_an_edit_that_is_blind_is_told_at_once(greeting: Repo) -> None:
    before, after = (
        line["input"]
        for line in stream("claude", greeting)
        if line.get("input", {}).get("tool_name") == "Edit"
    )
    told("claude", before)
    greeting.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    answer = told("claude", after)
    assert "greet.py:2-2 was not read" in answer["hookSpecificOutput"]["additionalContext"]


def test_a_formatter_after_the_edit_is_recorded_as_the_difference(greeting: Repo) -> None:
    for line in stream("claude", greeting):
        for name, content in line.get("disk", {}).items():
            greeting.write(name, content.replace('"', "'").encode())
        if "input" in line:
            told("claude", line["input"])
    [changed] = [call for call in session(greeting).calls if call.files == ("greet.py",)]
    assert (changed.edits, changed.blind) == (2, 0)


def test_a_commit_after_it_carries_the_evidence(greeting: Repo) -> None:
    run("init", cwd=greeting.path)
    preload_hooks(greeting)
    greeting.git("add", ".hkgit")
    greeting.git("commit", "-q", "-m", "Set up")
    replayed("claude", greeting)
    greeting.git("add", "-A")
    greeting.git("commit", "-q", "-m", "Mend the greeting")
    assert greeting.git("log", "-1", "--format=%B").count("Hkgit-Entry: ") == 2
    assert run("gate", "--range", "HEAD~1..HEAD", cwd=greeting.path).code == 0


def _reads(line: dict[str, Any]) -> bool:
    asked = line.get("input", {})
    return bool(asked.get("tool_name") == "Read" and asked["hook_event_name"] == "PostToolUse")


def _edit(**changed: object) -> dict[str, object]:
    given = {"file_path": "greet.py", "old_string": "Helo", "new_string": "Hello"} | changed
    return {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": given}


@cases(
    "payload",
    {
        "nothing": "",
        "an array": "[1]",
        "brackets without end": "{" * 9999,
        "no event": {},
        "no arguments": {"hook_event_name": "PostToolUse", "tool_name": "Edit"},
        "an edit that was not seen before it was made": _edit(),
        "a file elsewhere": _edit(file_path="/etc/passwd"),
        "a NUL in a path": _edit(file_path="a\0b"),
        "a path that is a number": _edit(file_path=7),
        "a file of git's own": _edit(file_path=".git/config"),
        "a session that leads elsewhere": _edit() | {"session_id": "../../x"},
        "a directory that is not there": _edit() | {"cwd": "/nonexistent"},
    },
)
def test_what_cannot_be_recorded_stands_in_nobodys_way(
    payload: object, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(greeting.path)
    assert told("claude", payload) == {}


def test_outside_a_checkout_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "greet.py").write_bytes(GREETING)
    payload = {"cwd": str(tmp_path), "hook_event_name": "PostToolUse", "tool_name": "Read"}
    told("claude", payload | {"tool_input": {"file_path": str(tmp_path / "greet.py")}})
    assert [path.name for path in tmp_path.iterdir()] == ["greet.py"]


WRONG: tuple[object, ...] = (None, 7, [7], {"a": 7}, "\0")


@pytest.mark.sampled
@pytest.mark.parametrize("agent", HOOKED)
def test_no_value_of_an_input_stands_in_anybodys_way(agent: str, greeting: Repo) -> None:
    """Each value of each input of a stream, one at a time, is another than it should be."""
    turns = cycle(WRONG)
    for line in stream(agent, greeting):
        for key in line.get("input", {}):
            for value in WRONG if is_thorough() else (next(turns),):
                told(agent, line["input"] | {key: value})


def test_what_a_command_of_cursor_prints_is_read(greeting: Repo) -> None:
    lines = [*stream("cursor", greeting)]
    [shown] = [line for line in lines if "output" in line.get("input", {})]
    told("cursor", shown["input"] | {"output": GREETING.decode()})
    for line in lines:
        for name, content in line.get("disk", {}).items():
            greeting.write(name, content.encode())
        if "input" in line and line["input"]["hook_event_name"] in ("preToolUse", "afterFileEdit"):
            told("cursor", line["input"])
    assert session(greeting).blind == 0


def test_what_goose_has_not_kept_yet_counts_at_the_next_event(greeting: Repo) -> None:
    lines = [*stream("goose", greeting)]
    [first] = [each["database"] for each in lines if "call_0_0" in str(each.get("database"))]
    begun = [each for each in lines if each.get("input", {}).get("tool_call_id") == "call_0_0"]
    replay_lines("goose", begun, greeting)
    assert list(places.find_folders(greeting.path)) == []
    keep_message(**first)
    told("goose", lines[-1]["input"])
    [read] = session(greeting).receipts
    assert (read.start_line, read.end_line) == (1, 5)


@cases(
    "starts, blind",
    {
        "the same conversation, taken up again": (["2026-11-24 04:13:05"] * 2, 0),
        "another home": (["2026-11-24 04:13:05", "2026-11-24 09:00:00"], 1),
    },
)
def test_goose_counts_its_conversations_anew_in_each_home(
    starts: list[str], blind: int, greeting: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading is of the first conversation, the edit of the second, and both have one id."""
    lines = [*stream("goose", greeting)]
    edit = next(at for at, each in enumerate(lines) if _starts_edit("goose", each))
    for number, (start, part) in enumerate(zip(starts, (lines[:edit], lines[edit:]), strict=True)):
        monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path / f"home{number}"))
        begin_session("20261123_1", start)
        replay_lines("goose", part, greeting)
        told("goose", lines[-1]["input"])  # it has kept its messages by now
    states = [
        EditSession.open(greeting.path, each.name).status()
        for each in places.find_folders(greeting.path)
    ]
    assert sum(each.blind for each in states) == blind


def _starts_edit(agent: str, line: dict[str, Any]) -> bool:
    return "input" in line and _is_edit(agent, line["input"])


def test_what_a_sub_agent_of_goose_changes_is_recorded_as_of_a_command(gated: Repo) -> None:
    """`delegate` starts one, of whose calls goose tells no hook."""
    call: dict[str, Any] = {"session_id": "1", "working_dir": str(gated.path)}
    call |= {
        "tool_call_id": "call_1",
        "tool_name": "delegate",
        "tool_input": {"instructions": "Mend a.txt."},
    }
    gated.commit({"a.txt": b"one\n"})
    told("goose", call | {"event": "PreToolUse"})
    gated.write("a.txt", b"two\n")
    told("goose", call | {"event": "PostToolUse"})
    assert [each.files for each in session(gated).calls] == [("a.txt",)]
    assert session(gated).blind == 1


def test_goose_is_not_told_of_a_blind_edit_for_it_heeds_nothing_then() -> None:
    assert find_agent("goose").note is None


def test_each_of_several_files_that_cline_reads_at_once_counts(greeting: Repo) -> None:
    greeting.write("b.py", b"x = 1\ny = 2\n")
    told(
        "cline",
        _cline(
            greeting,
            "read_files",
            {"files": [{"path": "greet.py"}, {"path": "b.py"}]},
            [
                {"query": "greet.py", "result": "1 | def greet(name):", "success": True},
                {"query": "b.py", "result": "1 | x = 1\n2 | y = 2", "success": True},
            ],
        ),
    )
    shown = {(each.path, each.end_line) for each in session(greeting).receipts}
    assert shown == {("greet.py", 1), ("b.py", 2)}


def test_each_of_several_commands_that_cline_runs_counts(greeting: Repo) -> None:
    greeting.write("b.py", b"x = 1\ny = 2\n")
    told(
        "cline",
        _cline(
            greeting,
            "run_commands",
            {"commands": ["true", "head -n 1 b.py"]},
            [
                {"query": "true", "result": "", "success": True},
                {"query": "head -n 1 b.py", "result": "x = 1\n", "success": True},
            ],
        ),
    )
    assert {(each.path, each.end_line) for each in session(greeting).receipts} == {("b.py", 1)}


def test_what_cline_inserts_before_a_line_is_recorded_as_it_says(greeting: Repo) -> None:
    told(
        "cline",
        _cline(
            greeting,
            "run_commands",
            {"commands": ["cat greet.py"]},
            [{"query": "cat greet.py", "result": GREETING.decode(), "success": True}],
        ),
    )
    call = {"path": "greet.py", "new_text": "# Greets.\n", "insert_line": 1}
    told("cline", _cline(greeting, "editor", call, None))
    greeting.write("greet.py", b"# Greets.\n" + GREETING)
    told(
        "cline",
        _cline(greeting, "editor", call, {"query": "edit", "result": "ok", "success": True}),
    )
    [inserted] = session(greeting).calls
    assert (inserted.files, inserted.blind) == (("greet.py",), 0)


def _cline(repo: Repo, tool: str, given: object, answer: object) -> dict[str, Any]:
    """An input of Cline's hooks; before the call where there is no answer."""
    call: dict[str, object] = {"id": "call_1", "name": tool, "input": given}
    if answer is None:
        named: dict[str, object] = {"hookName": "tool_call", "tool_call": call}
    else:
        named = {"hookName": "tool_result", "tool_result": call | {"output": answer}}
    return named | {"taskId": "conv_1", "workspaceRoots": [repo.path.as_posix()]}

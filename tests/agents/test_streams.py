"""The calls of each agent's own tools, in its own words, become receipts and edits with evidence.

A stream is a list of inputs of the agent's hooks; between those before and after an edit stands
what the tool itself writes to the disk.
"""

import json
import re
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import HOOKED, find_agent
from hkgit.agents.events import Editing, PendingToolEdit, ToolEvent, ToolReading
from hkgit.agents.servers.connection import Connection
from hkgit.sessions import homes as places
from tests.agents.streaming import (
    GREETING,
    Talk,
    list_calls,
    open_goose_database,
    replay,
    session,
    statuses,
    stream,
    told,
)
from tests.support.cases import cases
from tests.support.properties import is_thorough
from tests.support.repos import Repo


@pytest.fixture(autouse=True)
def _own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path / "goose"))


@pytest.mark.parametrize("agent", HOOKED)
def test_every_edit_is_recorded_with_evidence_and_nothing_said(agent: str, greeting: Repo) -> None:
    answers = replay(agent, greeting)
    status = session(greeting)
    assert status.session.startswith(f"{agent}-")
    assert [call.files for call in status.calls] == [("greet.py",), ("notes.txt",)]
    assert status.uncommitted == 2
    assert status.blind == (agent == "windsurf")  # it does not tell what was shown
    assert set(map(str, answers)) == {"{}"}


@pytest.mark.parametrize("agent", HOOKED)
def test_an_edit_of_what_was_not_read_is_recorded_as_blind(agent: str, greeting: Repo) -> None:
    calls = list_calls(agent, greeting)
    edits = [line for line, event in calls if _is_edit(event) or "disk" in line]
    replay(agent, greeting, lines=edits)
    assert session(greeting).blind == 1


def _is_edit(event: ToolEvent | None) -> bool:
    return event is not None and isinstance(event.did, Editing | PendingToolEdit)


@pytest.mark.parametrize("agent", HOOKED)
def test_steering_stops_an_edit_and_names_the_tool_and_its_text(agent: str, greeting: Repo) -> None:
    first = next(line["input"] for line, event in list_calls(agent, greeting) if _is_edit(event))
    answer = json.dumps(told(agent, first, "--steer"))
    assert any(word in answer for word in ("deny", "block", "cancel"))
    assert f"({find_agent(agent).edit_tool})" in answer


def test_what_cursor_may_have_shown_only_in_part_does_not_count(greeting: Repo) -> None:
    """`beforeReadFile` has the whole of a file, also where the tool is asked for a few lines."""
    lines = [*stream("cursor", greeting)]
    unanswered = [each for each in lines if "tool_output" not in each.get("input", {})]
    replay("cursor", greeting, lines=unanswered)
    assert session(greeting).blind == 1


def test_what_a_command_of_cursor_prints_is_read(greeting: Repo) -> None:
    lines = [*stream("cursor", greeting)]
    [shown] = [line for line in lines if "output" in line.get("input", {})]
    shown["input"]["output"] = GREETING.decode()
    stages = (None, "preToolUse", "afterFileEdit")  # and what is written to the disk
    edits = [each for each in lines if each.get("input", {}).get("hook_event_name") in stages]
    replay("cursor", greeting, lines=[shown, *edits])
    assert session(greeting).blind == 0


def test_a_file_that_cursor_deletes_is_recorded(greeting: Repo) -> None:
    [shown] = [
        each for each in stream("cursor", greeting) if "tool_output" in each.get("input", {})
    ]
    call = {"tool_name": "Delete", "tool_input": {"file_path": f"{greeting.path}/greet.py"}}
    after = shown["input"] | call
    before, gone = after | {"hook_event_name": "preToolUse"}, {"disk": {"greet.py": None}}
    replay("cursor", greeting, lines=[shown, {"input": before}, gone, {"input": after}])
    [deleted] = session(greeting).calls
    assert (deleted.files, deleted.blind) == (("greet.py",), 0)


def test_a_steered_edit_rests_on_what_the_agents_own_tool_has_read(greeting: Repo) -> None:
    calls = [(line, event) for line, event in list_calls("claude", greeting) if event]
    asked = [line for line, event in calls if event.is_before]
    looked = [line for line, event in calls if isinstance(event.did, ToolReading)]
    answers = replay("claude", greeting, "--steer", lines=[*looked, *asked])
    [reason] = [
        answer["hookSpecificOutput"]["permissionDecisionReason"]
        for answer in answers
        if "old_string" in str(answer)
    ]
    found = re.search(r"with session (\S+) and this text: (.*)", reason)
    assert found is not None
    reply = Connection(greeting.path, None).answer("edit", {"session": found[1], "text": found[2]})
    assert reply.document["edits"][0]["evidence"] == "receipt"


def test_a_formatter_after_the_edit_is_recorded_as_the_difference(greeting: Repo) -> None:
    lines = [*stream("claude", greeting)]
    for line in lines:
        for name, content in line.get("disk", {}).items():
            line["disk"][name] = content.replace('"', "'")
    replay("claude", greeting, lines=lines)
    [changed] = [call for call in session(greeting).calls if call.files == ("greet.py",)]
    assert (changed.edits, changed.blind) == (2, 0)


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


def test_what_goose_has_not_kept_yet_counts_at_the_next_event(greeting: Repo) -> None:
    lines = [*stream("goose", greeting)]
    [first] = [each for each in lines if "call_0_0" in str(each.get("database"))]
    begun = [each for each in lines if each.get("input", {}).get("tool_call_id") == "call_0_0"]
    replay("goose", greeting, lines=begun)
    assert list(places.find_folders(greeting.path)) == []
    replay("goose", greeting, lines=[first, lines[-1]])
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
    calls = [*list_calls("goose", greeting)]
    edit = next(at for at, (_, event) in enumerate(calls) if _is_edit(event))
    lines = [line for line, _ in calls]
    for number, (start, part) in enumerate(zip(starts, (lines[:edit], lines[edit:]), strict=True)):
        monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path / f"home{number}"))
        with closing(open_goose_database()) as database, database:
            database.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TIMESTAMP)")
            database.execute("INSERT INTO sessions VALUES ('20261123_1', ?)", [start])
        # It has kept its messages by the end of a turn.
        replay("goose", greeting, lines=[*part, lines[-1]])
    assert sum(each.blind for each in statuses(greeting)) == blind


def test_what_a_sub_agent_of_goose_changes_is_recorded_as_of_a_command(repo: Repo) -> None:
    """`delegate` starts one, of whose calls goose tells no hook."""
    repo.commit({"a.txt": b"one\n"})
    end = Talk(repo.path, "1", agent="goose").begin("delegate", instructions="Mend a.txt.")
    repo.write("a.txt", b"two\n")
    end()
    assert [each.files for each in session(repo).calls] == [("a.txt",)]
    assert session(repo).blind == 1


def _cline(repo: Repo, tool: str, given: object, *results: tuple[str, str]) -> None:
    """Tell Cline's hooks of a call that is made, or, without results, is about to be."""
    call: dict[str, object] = {"id": "call_1", "name": tool, "input": given}
    said = [{"query": query, "result": text, "success": True} for query, text in results]
    named: dict[str, object] = {"hookName": "tool_call", "tool_call": call}
    if results:
        named = {"hookName": "tool_result", "tool_result": call | {"output": said}}
    told("cline", named | {"taskId": "conv_1", "workspaceRoots": [repo.path.as_posix()]})


@cases(
    "tool, given, results, shown",
    {
        "files": (
            "read_files",
            {"files": [{"path": "greet.py"}, {"path": "b.py"}]},
            [("greet.py", "1 | def greet(name):"), ("b.py", "1 | x = 1\n2 | y = 2")],
            {("greet.py", 1), ("b.py", 2)},
        ),
        "commands": (
            "run_commands",
            {"commands": ["true", "head -n 1 b.py"]},
            [("true", ""), ("head -n 1 b.py", "x = 1\n")],
            {("b.py", 1)},
        ),
    },
)
def test_each_of_several_parts_of_a_call_of_cline_counts(
    tool: str, given: Any, results: list[tuple[str, str]], shown: object, greeting: Repo
) -> None:
    greeting.write("b.py", b"x = 1\ny = 2\n")
    _cline(greeting, tool, given, *results)
    assert {(each.path, each.end_line) for each in session(greeting).receipts} == shown


def test_what_cline_inserts_before_a_line_is_recorded_as_it_says(greeting: Repo) -> None:
    _cline(greeting, "run_commands", {"commands": ["cat greet.py"]}, ("cat", GREETING.decode()))
    call = {"path": "greet.py", "new_text": "# Greets.\n", "insert_line": 1}
    _cline(greeting, "editor", call)
    greeting.write("greet.py", b"# Greets.\n" + GREETING)
    _cline(greeting, "editor", call, ("edit", "ok"))
    [inserted] = session(greeting).calls
    assert (inserted.files, inserted.blind) == (("greet.py",), 0)

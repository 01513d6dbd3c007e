"""What an agent reads and edits through hkgit's server is of the session that its hooks name.

So what its own tools have read counts for an edit by the server, and the reverse. A sub-agent has a
session of its own.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import HOOKED, find_agent
from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.roots import FOLDER, note_caller, session_of_call, take_caller
from hkgit.sessions.homes import list_candidates
from hkgit.text.strict_json import JsonObject
from tests.agents.servers.clients import request, wired
from tests.agents.streaming import Talk, stream, told
from tests.support.cases import cases
from tests.support.repos import Repo

MAIN = "claude-47692ff9-03d5-4545-a370-1bef2dcc0e5b"
SUB = f"{MAIN}-ae158e85e23542464"
ASKED = {"path": "a.txt"}
TELLING = [each for each in HOOKED if find_agent(each).server]


@pytest.fixture(autouse=True)
def _start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)


def test_all_that_tell_hooks_of_servers_are_known() -> None:
    """Codex tells the server itself; pi starts none; Cursor and Windsurf were not run."""
    assert {*HOOKED} - {*TELLING} == {"codex", "cursor", "pi", "windsurf"}


@pytest.mark.parametrize("agent", TELLING)
def test_a_call_of_the_server_is_in_the_session_of_the_agent(
    agent: str, repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path))
    repo.commit({"a.txt": b"one\n"})
    name = f"{find_agent(agent).server}read"
    call: dict[str, Any] = Talk(repo.path, agent=agent).payload("before", name, **ASKED)
    if agent == "copilot":
        call = {"sessionId": "s", "cwd": str(repo.path), "toolName": name, "toolArgs": ASKED}
    if agent == "cline":
        call = {"hookName": "tool_call", "tool_call": {"name": name, "input": ASKED}}
        call |= {"taskId": "s", "workspaceRoots": [str(repo.path)]}
    told(agent, call)
    connection = Connection(repo.path, None)
    connection.answer("read", ASKED)
    edit = {
        "text": {"file": "a.txt", "old_text": "one", "new_text": "two"},
        "session": f"{agent}-s",
    }
    assert connection.answer("edit", edit).document["status"] == "applied"
    other = connection.answer("status", {"session": "other"}).document
    assert not other["receipts"]


@pytest.mark.parametrize("options", [(), ("--steer",)])
def test_a_call_of_a_sub_agent_is_in_its_session_once(repo: Repo, options: tuple[str, ...]) -> None:
    """As Claude Code has sent it, steered or not."""
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    assert told("claude", payload, *options) == {}
    asked = payload["tool_input"]
    assert take_caller(repo.path, {**asked, "more": 1}) is None
    assert take_caller(repo.path, asked) == SUB
    assert take_caller(repo.path, asked) is None


def test_the_last_to_ask_for_the_same_is_meant(repo: Repo) -> None:
    """One whose call was refused by a person never makes it."""
    note_caller(repo.path, ASKED, SUB)
    note_caller(repo.path, ASKED, MAIN)
    assert take_caller(repo.path, ASKED) == MAIN


def test_after_a_call_of_the_server_nothing_is_left(repo: Repo) -> None:
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    told("claude", payload | {"hook_event_name": "PostToolUse"})
    assert [home for home in list_candidates(repo.path) if home.exists()] == []


def test_it_is_noted_where_the_main_agent_was_started(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sub-agent may work in a worktree of its own; the server does not."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    told("claude", payload | {"cwd": str(tmp_path)})
    assert take_caller(repo.path, payload["tool_input"]) == SUB


def test_notes_of_calls_that_were_never_made_are_removed(repo: Repo) -> None:
    note_caller(repo.path, {}, SUB)
    [folder] = [home / FOLDER for home in list_candidates(repo.path) if home.exists()]
    for each in folder.iterdir():
        os.utime(each, (0, 0))
    note_caller(repo.path, ASKED, SUB)
    assert len([*folder.iterdir()]) == 1
    assert take_caller(repo.path, ASKED) == SUB


CODEX = {"callId": "call_1", "x-codex-turn-metadata": {"session_id": "01a2", "thread_id": "01a2"}}
"""As Codex 0.169.0 sends it beside each call."""


@cases(
    "meta, session",
    {
        "codex": (CODEX, "codex-01a2"),
        "a sub-agent of it": (
            {"x-codex-turn-metadata": {"session_id": "01a2", "thread_id": "b7"}},
            "codex-01a2-b7",
        ),
        "claude": ({"claudecode/toolUseId": "toolu_1"}, None),
        "a number": ({"x-codex-turn-metadata": {"session_id": 7}}, None),
        "a text": ({"x-codex-turn-metadata": "x"}, None),
        "nothing": ({}, None),
    },
)
def test_a_call_tells_its_session(meta: JsonObject, session: str | None) -> None:
    assert session_of_call(meta) == session


@cases(
    "options, meta, session",
    {
        "noted by a hook": ((), None, SUB),
        "told with the call": ((), CODEX, "codex-01a2"),
        "named": (("--session", "mine"), CODEX, "mine"),
    },
)
def test_a_call_over_the_wire_is_in_the_session_that_makes_it(
    options: tuple[str, ...], meta: object, session: str, repo: Repo
) -> None:
    if meta is None:
        note_caller(repo.path, {}, SUB)
    call = request(1, "tools/call", name="status", arguments={}, _meta=meta)
    with wired(repo.path, "mcp", *options) as wire:
        assert wire.ask(call)["result"]["structuredContent"]["session"] == session


def test_a_session_that_is_named_comes_before_one_that_is_told(repo: Repo) -> None:
    for chosen, named, session in (
        (None, "mine", "mine"),
        ("mine", None, "mine"),
        (None, None, "told"),
    ):
        given = {} if named is None else {"session": named}
        reply = Connection(repo.path, chosen).answer("status", given, "told")
        assert reply.document["session"] == session

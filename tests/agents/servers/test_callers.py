"""What a sub-agent reads and edits through hkgit's server is its own, where a hook tells of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from hkgit.agents.programs import claude
from hkgit.agents.servers import roots
from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.roots import FOLDER, note_caller, take_caller
from hkgit.agents.setup.settings import JsonPart
from hkgit.sessions.homes import list_candidates
from tests.agents.servers.clients import Agent, talk
from tests.agents.streaming import stream, told
from tests.support.repos import Repo

MAIN, CALL = "claude-47692ff9-03d5-4545-a370-1bef2dcc0e5b", "toolu_01"
SUB = f"{MAIN}-ae158e85e23542464"


@pytest.fixture(autouse=True)
def _start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)


def _session(repo: Repo, call: str | None) -> str:
    connection = Connection(repo.path, None, conversation=MAIN)
    name: str = connection.answer("status", {}, None, call).document["session"]
    return name


@pytest.mark.parametrize("options", [(), ("--steer",)])
def test_a_call_of_a_sub_agent_is_in_its_session_once(repo: Repo, options: tuple[str, ...]) -> None:
    """As Claude Code has sent it, steered or not."""
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    assert told("claude", payload, *options) == {}
    call = payload["tool_use_id"]
    assert [_session(repo, each) for each in ("other", call, call, None)] == [MAIN, SUB, MAIN, MAIN]


def test_the_id_comes_over_the_wire(repo: Repo) -> None:
    note_caller(repo.path, CALL, SUB)

    async def said(agent: Agent) -> object:
        meta = types.RequestParamsMeta(**{"claudecode/toolUseId": CALL})  # type: ignore[typeddict-unknown-key]
        result = await agent.client.call_tool("status", {}, meta=meta)
        assert isinstance(result, types.CallToolResult)
        return (result.structured_content or {})["session"]

    assert talk(repo.path, said) == SUB


@pytest.mark.parametrize("change", [{"agent_id": None}, {"hook_event_name": "PostToolUse"}])
def test_other_calls_of_the_server_leave_nothing(repo: Repo, change: dict[str, Any]) -> None:
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    told("claude", payload | change)
    assert [home for home in list_candidates(repo.path) if home.exists()] == []


def test_it_is_noted_where_the_main_agent_was_started(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sub-agent may work in a worktree of its own; the server does not."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    [payload] = [line["input"] for line in stream("claude-sub-mcp", repo) if "input" in line]
    told("claude", payload | {"cwd": str(tmp_path)})
    assert _session(repo, payload["tool_use_id"]) == SUB


@pytest.mark.parametrize("call", ["../x", "", "a/b", "a\0b", "x" * 81])
def test_an_id_that_is_no_name_is_left_out(repo: Repo, call: str) -> None:
    note_caller(repo.path, call, SUB)
    assert take_caller(repo.path, call) is None
    assert [home for home in list_candidates(repo.path) if home.exists()] == []


def test_notes_of_calls_that_were_never_made_are_removed(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_caller(repo.path, "old", SUB)
    [folder] = [home / FOLDER for home in list_candidates(repo.path) if home.exists()]
    os.utime(folder / "old", (0, 0))
    note_caller(repo.path, CALL, SUB)
    assert [each.name for each in folder.iterdir()] == [CALL]
    assert roots.take_caller(repo.path, CALL) == SUB


@pytest.mark.skipif(os.name == "nt", reason="the hook is a line for a POSIX shell")
@pytest.mark.parametrize(("payload", "is_run"), [('{"agent_id": "a1"}', True), ("{}", False)])
@pytest.mark.parametrize("option", ["", " --user"])
def test_for_the_main_agent_the_hook_starts_nothing(
    payload: str, is_run: bool, option: str, repo: Repo
) -> None:
    settings = claude.AGENT.list_parts(f"./hkgit hook claude{option}")[1]
    (repo.path / ".hkgit").mkdir()
    assert isinstance(settings, JsonPart)
    [hook] = settings.value["hooks"]["PreToolUse"][1]["hooks"]
    (repo.path / "hkgit").write_text("#!/bin/sh\ncat >seen\nexit 3\n")
    (repo.path / "hkgit").chmod(0o755)
    subprocess.run(["sh", "-c", hook["command"]], cwd=repo.path, input=payload.encode(), check=True)
    assert (repo.path / "seen").exists() == is_run
    assert not is_run or (repo.path / "seen").read_text() == f"{payload}\n"

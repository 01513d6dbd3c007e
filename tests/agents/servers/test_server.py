"""The tools of `hkgit mcp`, as the SDK's own client sees them over real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.servers.clients import Agent, Answer, connected, talk
from tests.support.repos import Repo
from tests.support.running import script

GREETING = b'def greet(name):\n    print("Helo, " + name)\n\n\ngreet("you")\n'
MENDED = GREETING.replace(b"Helo", b"Hello")


def replacing(old: str, new: str, path: str = "greet.py", **more: object) -> str:
    """An edit in the notation of seed harnesskit."""
    return json.dumps({"file": path, "old_text": old, "new_text": new, **more})


MEND = replacing('"Helo, "', '"Hello, "')


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_reads_edits_and_undoes(greeting: Repo, mode: str) -> None:
    async def said(agent: Agent) -> list[Any]:
        read = await agent.call("read", path="greet.py", start_line=2, end_line=2)
        edit = await agent.call("edit", text=MEND)
        after = greeting.read("greet.py")
        undo = await agent.call("undo")
        refused = await agent.call("read", path="../outside.txt")
        return [
            read.document["range_lines"],
            edit.document["edits"][0]["evidence"],
            after,
            undo.document["files"],
            greeting.read("greet.py"),
            (refused.is_error, "outside" in refused.text, refused.document["status"]),
        ]

    assert talk(greeting.path, said, mode=mode) == [
        ['    print("Helo, " + name)'],
        "receipt",
        MENDED,
        ["greet.py"],
        GREETING,
        (True, True, "invalid"),
    ]


def test_apply_commits_with_the_receipt_as_evidence_in_the_clients_name(greeting: Repo) -> None:
    async def said(agent: Agent) -> Answer:
        await agent.call("read", path="greet.py")
        return await agent.call("apply", text=MEND, message="Greet in English")

    commit = talk(greeting.path, said).document["commit"]
    assert greeting.head == commit
    message = greeting.git("log", "-1", "--format=%B")
    assert "Hkgit-Evidence: edits=1 hash=0 receipt=1" in message
    assert "Hkgit-Agent: mcp/" in message


def test_two_agents_at_once_both_commit(repo: Repo) -> None:
    import anyio

    repo.commit({"a.txt": b"one here\n", "b.txt": b"two here\n"})

    async def said(agent: Agent) -> list[bool]:
        failed: list[bool] = []

        async def one(who: Agent, path: str) -> None:
            answer = await who.call("apply", text=replacing("here", "done", path))
            failed.append(answer.is_error)

        async with connected(repo.path) as other, anyio.create_task_group() as group:
            group.start_soon(one, agent, "a.txt")
            group.start_soon(one, other, "b.txt")
        return failed

    assert talk(repo.path, said) == [False, False]
    assert repo.read("a.txt") + repo.read("b.txt") == b"one done\ntwo done\n"


def test_every_tool_says_what_it_takes_and_answers(greeting: Repo) -> None:
    async def said(agent: Agent) -> Any:
        return (await agent.client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(greeting.path, said)}
    assert list(tools) == ["read", "edit", "apply", "undo", "status"]
    assert tools["edit"].input_schema["required"] == ["text"]
    answer, _ = tools["edit"].output_schema["anyOf"]
    assert answer["properties"]["edits"]["items"]["properties"]["tier"]


def test_the_clients_root_goes_before_the_directory_of_the_start(
    greeting: Repo, make_repo: Callable[..., Repo]
) -> None:
    other = make_repo("other")
    other.commit({"greet.py": b"other\n"})

    async def said(agent: Agent) -> Answer:
        return await agent.call("read", path="greet.py")

    answer = talk(greeting.path, said, roots=[other.path])
    assert answer.document["range_lines"] == ["other"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_mcp_on_a_terminal_says_what_it_is_and_ends_with_its_input(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = [str(script("hkgit")), "mcp"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        said = process.stderr.readline()
        os.write(ours, b"\x04")
        out, _ = process.communicate(timeout=60)
        os.close(ours)
    assert b"is a server that an agent starts" in said
    assert b"hkgit serve" in said
    assert out == b""
    assert process.returncode == 0

"""The tools of `hkgit mcp`, as the SDK's own client sees them over real pipes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.servers.clients import MEND, Agent, talk
from tests.agents.streaming import GREETING
from tests.support.repos import Repo
from tests.support.running import script

MENDED = GREETING.replace(b"Helo", b"Hello")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_reads_edits_undoes_and_commits(greeting: Repo, mode: str) -> None:
    """The client holds every answer against the schema of its tool."""

    async def said(agent: Agent) -> list[Any]:
        tools = {each.name: each for each in (await agent.client.list_tools()).tools}
        read = await agent.call("read", path="greet.py", start_line=2, end_line=2)
        edit = await agent.call("edit", text=MEND)
        after = greeting.read("greet.py")
        undo = await agent.call("undo")
        refused = await agent.call("read", path="../outside.txt")
        back = greeting.read("greet.py")
        done = await agent.call("apply", text=MEND, message="Greet in English")
        return [
            ([*tools], tools["edit"].input_schema["required"]),
            read.document["range_lines"],
            (edit.document["edits"][0]["evidence"], after),
            (undo.document["files"], back),
            (refused.is_error, "outside" in refused.text, refused.document["status"]),
            done.document["commit"],
        ]

    assert talk(greeting.path, said, mode=mode) == [
        (["read", "edit", "apply", "undo", "status"], ["text"]),
        ['    print("Helo, " + name)'],
        ("receipt", MENDED),
        (["greet.py"], GREETING),
        (True, True, "invalid"),
        greeting.head,
    ]
    message = greeting.git("log", "-1", "--format=%B")
    assert "Hkgit-Evidence: edits=1 hash=0 receipt=1" in message
    assert "Hkgit-Agent: mcp/" in message


def test_the_clients_root_goes_before_the_directory_of_the_start(
    greeting: Repo, make_repo: Callable[..., Repo]
) -> None:
    other = make_repo("other")
    other.commit({"greet.py": b"other\n"})

    async def said(agent: Agent) -> object:
        return (await agent.call("read", path="greet.py")).document["range_lines"]

    assert talk(greeting.path, said, roots=[other.path]) == ["other"]


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
    assert (out, process.returncode) == (b"", 0)

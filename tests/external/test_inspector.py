"""`hkgit mcp` as the MCP inspector sees it: a client that shares no code with the SDK.

Needs node, and npm's registry the first time; so it is run by name: `pytest -n0 tests/external`.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.repos import Repo
from tests.support.running import script

INSPECTOR = ["npx", "-y", "@modelcontextprotocol/inspector@2.12.0", "--cli"]
GREETING = b'def greet(name):\n    print("Helo, " + name)\n'
MEND = (
    'greet.py\n<<<<<<< SEARCH\n    print("Helo, " + name)\n=======\n    print("Hello, " + name)\n'
    ">>>>>>> REPLACE\n"
)


def asked(cwd: Path, *words: str) -> Any:
    """What the inspector prints of an answer."""
    server = [str(script("hkgit")), "mcp", "--root", str(cwd), "--session", "inspected"]
    done = subprocess.run(
        [*INSPECTOR, *server, "--method", *words], cwd=cwd, capture_output=True, timeout=300
    )
    return json.JSONDecoder().raw_decode(done.stdout.decode())[0]


def called(cwd: Path, tool: str, **arguments: object) -> Any:
    """What a tool answers."""
    given = (f"--tool-arg={name}={value}" for name, value in arguments.items())
    return asked(cwd, "tools/call", "--tool-name", tool, *given)


@pytest.fixture
def greeting(repo: Repo) -> Repo:
    """A repository with one file."""
    repo.commit({"greet.py": GREETING})
    return repo


def test_it_lists_the_tools(greeting: Repo) -> None:
    tools = asked(greeting.path, "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["read", "edit", "apply", "undo", "status"]


def test_it_reads_and_commits_with_evidence(greeting: Repo) -> None:
    read = called(greeting.path, "read", path="greet.py")["structuredContent"]
    done = called(greeting.path, "apply", text=MEND)["structuredContent"]
    assert read["range_lines"] == GREETING.decode().splitlines()
    assert (done["commit"], done["edits"][0]["evidence"]) == (greeting.head, "receipt")


def test_it_edits_and_undoes(greeting: Repo) -> None:
    edited = called(greeting.path, "edit", text=MEND)
    after = greeting.read("greet.py")
    called(greeting.path, "undo")
    assert (edited["isError"], after) == (False, GREETING.replace(b"Helo", b"Hello"))
    assert greeting.read("greet.py") == GREETING


def test_a_refusal_is_an_answer(greeting: Repo) -> None:
    refused = called(greeting.path, "read", path="../outside")
    assert (refused["isError"], refused["structuredContent"]["status"]) == (True, "invalid")

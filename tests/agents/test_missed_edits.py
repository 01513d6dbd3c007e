"""An edit whose hook was stopped by its limit is recorded at the next hook, or at the commit."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import parts_of
from hkgit.agents.begun_calls import OVERDUE
from hkgit.agents.programs import gemini
from hkgit.agents.setup.settings import LIMIT, FilePart, JsonPart
from hkgit.sessions import homes as places
from hkgit.sessions.blobs import find_open_sessions
from tests.agents.streaming import GREETING, session, told
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

MENDED = GREETING.replace(b"Helo", b"Hello")


def _call(repo: Repo, stage: str, tool: str, answer: object = None, **given: object) -> Any:
    call: dict[str, object] = {
        "session_id": "s1",
        "cwd": str(repo.path),
        "hook_event_name": f"{stage}Tool",
    }
    call |= {"tool_name": tool, "tool_input": {"file_path": f"{repo.path}/greet.py", **given}}
    return call | ({} if answer is None else {"tool_response": {"llmContent": answer}})


def _edit(repo: Repo, stage: str) -> Any:
    answer = None if stage == "Before" else "Modified."
    return _call(repo, stage, "replace", answer, old_string="Helo", new_string="Hello")


def _read(repo: Repo, text: bytes) -> Any:
    return _call(repo, "After", "read_file", text.decode())


@pytest.fixture
def missed(greeting: Repo) -> Repo:
    """An edit has been made that no hook has told of since."""
    told("gemini", _read(greeting, GREETING))
    told("gemini", _edit(greeting, "Before"))
    greeting.write("greet.py", MENDED)
    return greeting


def _age(repo: Repo) -> None:
    """Let the hook that is stopped have been due."""
    then = time.time() - OVERDUE - 1
    [folder] = find_open_sessions(repo.path)
    for note in folder.glob("aside/open-*"):
        os.utime(note, (then, then))


def _calls(repo: Repo) -> list[tuple[tuple[str, ...], int]]:
    return [(call.files, call.blind) for call in session(repo).calls]


def test_it_is_recorded_at_the_next_hook(missed: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    _age(missed)
    told("gemini", _read(missed, MENDED))
    assert _calls(missed) == [(("greet.py",), 0)]
    assert find_open_sessions(missed.path) == []


def test_a_hook_that_may_still_come_is_waited_for(missed: Repo) -> None:
    told("gemini", _call(missed, "After", "run_shell_command", "", command="true"))
    assert _calls(missed) == []
    told("gemini", _edit(missed, "After"))
    assert _calls(missed) == [(("greet.py",), 0)]


def test_a_hook_that_comes_after_all_records_nothing_twice(missed: Repo) -> None:
    _age(missed)
    told("gemini", _read(missed, MENDED))
    told("gemini", _edit(missed, "After"))
    assert len(_calls(missed)) == 1


def test_what_became_something_else_is_left_to_the_gate(missed: Repo) -> None:
    """Somebody may have gone on by hand."""
    _age(missed)
    missed.write("greet.py", MENDED + b"# by hand\n")
    told("gemini", _read(missed, MENDED))
    assert _calls(missed) == []


def test_an_edit_that_failed_is_none(missed: Repo) -> None:
    _age(missed)
    missed.write("greet.py", GREETING)
    told("gemini", _read(missed, GREETING))
    assert _calls(missed) == []


def test_an_edit_that_was_not_seen_before_is_recorded_by_what_fits(greeting: Repo) -> None:
    """The hook before it was stopped; the file was read, and stands in HEAD's commit."""
    told("gemini", _read(greeting, GREETING))
    greeting.write("greet.py", MENDED)
    told("gemini", _edit(greeting, "After"))
    assert _calls(greeting) == [(("greet.py",), 0)]


def test_an_edit_that_fits_no_known_version_is_not_recorded(greeting: Repo) -> None:
    greeting.write("greet.py", MENDED + b"# by hand\n")
    told("gemini", _edit(greeting, "After"))
    assert [folder for folder in places.find_folders(greeting.path) if _calls(greeting)] == []


@pytest.fixture
def governed(greeting: Repo) -> Repo:
    run("init", cwd=greeting.path)
    preload_hooks(greeting)
    greeting.git("add", ".hkgit")
    greeting.git("commit", "-q", "-m", "Set up")
    return greeting


def test_it_is_recorded_at_the_commit(governed: Repo) -> None:
    told("gemini", _read(governed, GREETING))
    told("gemini", _edit(governed, "Before"))
    governed.write("greet.py", MENDED)
    governed.git("commit", "-q", "-a", "-m", "Mend the greeting")
    shown = json.loads(run("show", "--json", cwd=governed.path).stdout)
    assert (shown["replay"], find_open_sessions(governed.path)) == ("strict", [])


@pytest.mark.skipif(os.name == "nt", reason="the hook is a line for a POSIX shell")
@pytest.mark.parametrize("agent", ["cline", "copilot", "gemini", "goose", "windsurf"])
def test_a_hook_that_ignores_the_signal_of_its_limit_ends(agent: str, tmp_path: Path) -> None:
    """These agents wait for a hook until it ends, or stop the call where it takes too long."""
    program = tmp_path / "hkgit"
    program.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n")
    program.chmod(0o755)
    hook = _find_hook(agent)
    assert LIMIT in hook
    done = subprocess.run(
        ["sh", "-c", hook.replace(LIMIT, "timeout -k 0.1 0.1")],
        input=b'{"toolName":"editor"}',
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == b"{}\n"


def _find_hook(agent: str) -> str:
    """Find the command of a hook, or the script that is one."""
    for part in parts_of(agent, "record"):
        if isinstance(part, FilePart) and part.text.startswith("#!"):
            return part.text
        value = part.value if isinstance(part, JsonPart) else None
        if isinstance(part, FilePart) and part.text.startswith("{"):
            value = json.loads(part.text)
        for command in _list_commands(value):
            return command
    raise AssertionError(f"no hook of {agent} has a limit")


def _list_commands(value: object) -> Iterator[str]:
    if isinstance(value, str) and LIMIT in value:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _list_commands(each)


@pytest.mark.skipif(os.name == "nt", reason="the hook is a line for a POSIX shell")
def test_a_hook_that_its_limit_stops_loses_no_edit(governed: Repo, tmp_path: Path) -> None:
    """The hook as it is set up, with a limit of no time at all: the agent goes on as if none."""
    program = tmp_path / "hkgit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hkgit "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    told("gemini", _read(governed, GREETING))
    told("gemini", _edit(governed, "Before"))
    governed.write("greet.py", MENDED)
    settings = gemini.AGENT.list_parts("hkgit hook gemini")[0]
    assert isinstance(settings, JsonPart)
    [group] = settings.value["hooks"]["AfterTool"]
    hook = group["hooks"][0]["command"].replace(LIMIT, "timeout 0.001")
    assert "timeout 0.001" in hook
    done = subprocess.run(
        ["sh", "-c", hook],
        cwd=governed.path,
        input=json.dumps(_edit(governed, "After")).encode(),
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    assert (done.stdout, _calls(governed)) == (b"{}\n", [])
    governed.git("commit", "-q", "-a", "-m", "Mend the greeting")
    assert json.loads(run("show", "--json", cwd=governed.path).stdout)["replay"] == "strict"

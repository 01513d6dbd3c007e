"""An edit whose hook was stopped by its limit is recorded at the next hook, or at the commit."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hkgit.agents.agent import LIMIT
from hkgit.agents.begun_calls import OVERDUE
from hkgit.agents.setup.settings import FilePart, JsonPart, list_parts
from hkgit.sessions.homes import find_unsettled
from tests.agents.streaming import GREETING, Talk, list_commands, statuses
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

MENDED = GREETING.replace(b"Helo", b"Hello")


def _talk(repo: Repo) -> Talk:
    return Talk(repo.path, agent="gemini")


def _name_edit(repo: Repo) -> dict[str, str]:
    return {"file_path": f"{repo.path}/greet.py", "old_string": "Helo", "new_string": "Hello"}


def _edit(repo: Repo, stage: str) -> None:
    """Tell the hook of an edit."""
    _talk(repo).tell(stage, "replace", {"llmContent": "Modified."}, **_name_edit(repo))


def _read(repo: Repo, text: bytes) -> None:
    shown = {"llmContent": text.decode()}
    _talk(repo).tell("after", "read_file", shown, file_path=f"{repo.path}/greet.py")


@pytest.fixture
def missed(greeting: Repo) -> Repo:
    """An edit has been made that no hook has told of since."""
    _read(greeting, GREETING)
    _edit(greeting, "before")
    greeting.write("greet.py", MENDED)
    return greeting


def _age(repo: Repo) -> None:
    """Let the hook that is stopped have been due."""
    then = time.time() - OVERDUE - 1
    [folder] = find_unsettled(repo.path)
    for note in folder.glob("aside/open-*"):
        os.utime(note, (then, then))


def _calls(repo: Repo) -> list[tuple[tuple[str, ...], int]]:
    return [(call.files, call.blind) for status in statuses(repo) for call in status.calls]


def test_it_is_recorded_at_the_next_hook_and_once(missed: Repo) -> None:
    """Also where its own comes after all."""
    _age(missed)
    _read(missed, MENDED)
    assert find_unsettled(missed.path) == []
    _edit(missed, "after")
    assert _calls(missed) == [(("greet.py",), 0)]


def test_a_hook_that_may_still_come_is_waited_for(missed: Repo) -> None:
    _talk(missed).tell("after", "run_shell_command", command="true")
    assert _calls(missed) == []
    _edit(missed, "after")
    assert _calls(missed) == [(("greet.py",), 0)]


@cases("now", {"somebody went on by hand": MENDED + b"# by hand\n", "it failed": GREETING})
def test_what_its_words_do_not_lead_to_is_left_to_the_gate(now: bytes, missed: Repo) -> None:
    _age(missed)
    missed.write("greet.py", now)
    _read(missed, now)
    assert _calls(missed) == []


def test_an_edit_that_was_not_seen_before_is_recorded_by_what_fits(greeting: Repo) -> None:
    """The hook before it was stopped; the file was read, and stands in HEAD's commit."""
    _read(greeting, GREETING)
    greeting.write("greet.py", MENDED)
    _edit(greeting, "after")
    assert _calls(greeting) == [(("greet.py",), 0)]


def test_an_edit_that_fits_no_known_version_is_not_recorded(greeting: Repo) -> None:
    greeting.write("greet.py", MENDED + b"# by hand\n")
    _edit(greeting, "after")
    assert _calls(greeting) == []


@pytest.fixture
def governed(greeting: Repo) -> Repo:
    return guard(greeting)


def test_it_is_recorded_at_the_commit(governed: Repo) -> None:
    _read(governed, GREETING)
    _edit(governed, "before")
    governed.write("greet.py", MENDED)
    governed.git("commit", "-q", "-a", "-m", "Mend the greeting")
    shown = json.loads(run("show", "--json", cwd=governed.path).stdout)
    assert (shown["replay"], find_unsettled(governed.path)) == ("strict", [])


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
    parts = list_parts(agent)
    scripts = (each.text for each in parts if isinstance(each, FilePart))
    settings = (each.value for each in parts if isinstance(each, JsonPart))
    commands = (each for value in settings for each in list_commands(value) if LIMIT in each)
    return next(iter([*commands, *scripts]))


@pytest.mark.skipif(os.name == "nt", reason="the hook is a line for a POSIX shell")
def test_a_hook_that_its_limit_stops_loses_no_edit(governed: Repo, tmp_path: Path) -> None:
    """The hook as it is set up, with a limit of no time at all: the agent goes on as if none."""
    program = tmp_path / "hkgit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hkgit "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    _read(governed, GREETING)
    _edit(governed, "before")
    governed.write("greet.py", MENDED)
    settings = list_parts("gemini")[0]
    assert isinstance(settings, JsonPart)
    [group] = settings.value["hooks"]["AfterTool"]
    payload = _talk(governed).payload("after", "replace", **_name_edit(governed))
    hook = group["hooks"][0]["command"].replace(LIMIT, "timeout 0.001")
    assert "timeout 0.001" in hook
    done = subprocess.run(
        ["sh", "-c", hook],
        cwd=governed.path,
        input=json.dumps(payload).encode(),
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    assert (done.stdout, _calls(governed)) == (b"{}\n", [])
    governed.git("commit", "-q", "-a", "-m", "Mend the greeting")
    assert json.loads(run("show", "--json", cwd=governed.path).stdout)["replay"] == "strict"

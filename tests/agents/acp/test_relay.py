"""An editor and an agent of the protocol's SDK talk through `hkgit acp`, each a real process."""

import asyncio
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import Status
from tests.agents.streaming import GREETING
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

MENDER = [sys.executable, str(Path(__file__).with_name("mender.py"))]
MENDED = GREETING.replace(b"Helo", b"Hello")


def _prompt(repo: Repo, command: list[str]) -> None:
    from tests.agents.real.editor import prompt  # a second of imports, where tests are collected

    asyncio.run(prompt(str(repo.path), command))


def _drive(repo: Repo, *way: str) -> Status:
    command = [sys.executable, "-m", "hkgit", "acp", "--", *MENDER, *way]
    _prompt(repo, command)
    assert (repo.path / "greet.py").read_bytes() == MENDED
    [folder] = places.find_folders(repo.path)
    return EditSession.open(repo.path, folder.name).status()


def test_a_write_of_what_was_not_read_is_recorded_as_blind(greeting: Repo) -> None:
    status = _drive(greeting, "blind")
    assert status.session == "acp-s-1"
    assert [call.files for call in status.calls] == [("greet.py",)]
    assert status.blind == 1


@pytest.mark.slow
def test_what_is_said_of_a_blind_edit_mends_it(greeting: Repo, tmp_path: Path) -> None:
    said = tmp_path / "said"
    quietly = ["sh", "-c", f'exec "$@" 2>{shlex.quote(str(said))}', "sh"]
    relay = [sys.executable, "-m", "hkgit", "acp", "--", *MENDER, "blind"]
    _prompt(greeting, [*quietly, *relay])
    [line] = said.read_text().splitlines()
    assert line.startswith("hkgit: a blind edit: greet.py:2-2 was not read before it;")
    advice = line.partition(" run ")[2].partition(" and then make the edit again")[0]
    for command in advice.split(" && "):
        hkgit, *words = shlex.split(command)
        assert (hkgit, run(*words, cwd=greeting.path).code) == ("hkgit", 0)
    assert EditSession.open(greeting.path, "acp-s-1").status().blind == 0


@pytest.mark.slow
def test_a_commit_after_it_is_judged_by_what_was_read(greeting: Repo) -> None:
    guard(greeting)
    _drive(greeting, "read")
    greeting.git("commit", "-qam", "Mend the greeting")
    shown = run("show", "HEAD", "--json", cwd=greeting.path).json()
    assert (shown["replay"], shown["agents"]) == ("strict", ["mender/1.0"])


def _relay(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "hkgit", "acp", "--", *words]
    return subprocess.run(command, input=given, capture_output=True, check=False, timeout=60)


def test_every_line_passes_byte_for_byte() -> None:
    lines = b'{"id": 1, "method": "fs/write_text_file"}\nno json \xff\n[1]\n{"a":  1}\r\nno end'
    done = _relay("cat", given=lines)
    assert (done.returncode, done.stdout) == (0, lines)


@pytest.mark.parametrize(
    ("script", "code"), [("exit 7", 7), ("exit 1", 1), ("kill -9 $$", 128 + 9)]
)
def test_the_agents_exit_code_is_passed_on(script: str, code: int) -> None:
    assert _relay("sh", "-c", script).returncode == code


def test_an_agent_that_is_not_there_is_said() -> None:
    done = _relay("/nonexistent/agent")
    assert done.returncode == InvalidInput.exit_code
    assert b"/nonexistent/agent: cannot be started: No such file or directory" in done.stderr

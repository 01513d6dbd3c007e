"""Tests see nothing of the machine that they run on: no identity, home, agent, CI or terminal."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.repos import REAL_EDITS, Repo, sealed_environment

FOREIGN = [
    "GIT_AUTHOR_NAME",
    "GIT_DIR",
    "EMAIL",
    "XDG_STATE_HOME",
    "SSH_AUTH_SOCK",
    "GITHUB_EVENT_PATH",
    "CI_PIPELINE_SOURCE",
    "CODEX_HOME",
    "CLAUDE_CONFIG_DIR",
    "HKGIT_STATE",
    "NO_COLOR",
    "COLUMNS",
    "LANG",
]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_variable_that_something_heeds_is_taken_away(name: str, tmp_path: Path) -> None:
    assert name not in sealed_environment({name: "x"}, tmp_path)


def test_what_tests_are_told_and_what_finds_programs_stays(tmp_path: Path) -> None:
    told = {REAL_EDITS: "edits.xz", "PATH": "/bin"}
    assert told.items() <= sealed_environment(told, tmp_path).items()


def test_home_and_identity_are_those_of_the_tests(tmp_path: Path) -> None:
    sealed = sealed_environment({"HOME": "/home/somebody"}, tmp_path)
    assert sealed["HOME"] == str(tmp_path)
    assert "ada@example.org" in Path(sealed["GIT_CONFIG_GLOBAL"]).read_text()


def test_git_knows_nobody_else(repo: Repo) -> None:
    listed = repo.git("config", "--list", "--show-scope").splitlines()
    assert [line for line in listed if line.startswith(("system", "command"))] == []
    assert repo.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Tester <ada@example.org>")
    assert os.environ["HOME"] in repo.git("config", "--global", "--show-origin", "user.name")


def test_no_signal_that_stops_a_command_is_ignored() -> None:
    """Children of a process that ignores one would ignore it as well."""
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    assert signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN
    assert signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN

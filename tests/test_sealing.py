"""Tests see nothing of the machine that they run on: no identity, home, agent, CI or terminal."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.memory import choose_directory, clear
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


def test_what_something_heeds_is_taken_away_and_what_tests_are_told_stays(tmp_path: Path) -> None:
    told = {REAL_EDITS: "edits.xz", "PATH": "/bin"}
    sealed = sealed_environment(told | dict.fromkeys(FOREIGN, "x"), tmp_path)
    assert told.items() <= sealed.items()
    assert [name for name in FOREIGN if name in sealed] == []


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


def test_directories_are_where_the_user_wants_them_or_on_the_disk(tmp_path: Path) -> None:
    assert choose_directory({"TMPDIR": "/var/tmp"}, tmp_path) is None
    assert choose_directory({}, tmp_path / "missing") is None


@pytest.mark.parametrize(("flag", "blocks"), [(os.ST_NOEXEC, 2**20), (os.ST_RDONLY, 2**20), (0, 9)])
def test_memory_must_have_room_and_let_hooks_run(
    flag: int, blocks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = os.statvfs_result((4096, 4096, blocks, blocks, blocks, 9, 9, 9, flag, 255))
    monkeypatch.setattr(os, "statvfs", lambda place: system)
    assert choose_directory({}, tmp_path) is None
    roomy = os.statvfs_result((4096, 4096, 2**20, 2**20, 2**20, 9, 9, 9, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda place: roomy)
    assert choose_directory({}, tmp_path) == str(tmp_path)


def test_only_what_is_in_memory_is_cleared(tmp_path: Path) -> None:
    (kept := tmp_path / "disk").mkdir()
    (freed := tmp_path / "memory" / "run" / "test").mkdir(parents=True)
    clear(kept, tmp_path / "memory")
    clear(freed.parent, tmp_path / "memory")
    assert kept.exists()
    assert not freed.parent.exists()

"""What lies in the git directory: who may read it, and what happens where nobody may."""

import os
import shutil
import stat
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hkgit.evidence import refusal_log
from hkgit.evidence.refusal_log import Refusal, RefusalLog
from tests.support.commands import PATH, hkgit
from tests.support.repos import Repo
from tests.support.serving import guard
from tests.support.sessions import TextSession

SECRET = "hunter2-4711"
BLOCK = ".env\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"


@pytest.fixture
def kept(repo: Repo) -> Repo:
    """A repository with hooks, and a file that only its owner may read."""
    repo.commit({".env": f"KEY={SECRET}\nPORT=1\n"}, "Begin")
    (repo.path / ".env").chmod(0o600)
    return guard(repo)


def list_readable(folder: Path) -> Iterator[Path]:
    """The files below a directory that others than their owner can come to and read."""
    for place in sorted(folder.iterdir()):
        mode = place.lstat().st_mode
        if stat.S_ISDIR(mode) and mode & 0o011:
            yield from list_readable(place)
        elif stat.S_ISREG(mode) and mode & 0o044:
            yield place


def read(place: Path) -> bytes:
    data = place.read_bytes()
    try:
        return data + zlib.decompress(data)
    except zlib.error:
        return data


def find_telling(repo: Repo) -> list[Path]:
    return [
        each for each in list_readable(repo.path / ".git/hkgit") if SECRET.encode() in read(each)
    ]


def work(repo: Repo) -> None:
    """All that leaves copies: readings, edits, a refused one, and calls of an agent's own tools."""
    desk = TextSession.open(repo.path, "task")
    desk.read(".env")
    assert desk.edit(BLOCK.format("PORT=1", "PORT=2")).ok
    assert not desk.edit(BLOCK.format(f"KEY={SECRET}\nnot there at all", "x")).ok
    call = f'{{"session_id": "t", "cwd": "{repo.path}", "tool_name": "Bash", "tool_use_id": "u"'
    command = f'"tool_input": {{"command": "sed -i s/{SECRET}/x/ .env"}}'
    said = f'{call}, "hook_event_name": "PreToolUse", {command}}}'
    hkgit(repo, "hook", "claude", stdin=said)


def test_no_copy_of_a_private_file_is_readable_by_others(kept: Repo) -> None:
    work(kept)
    everything = [place for place in (kept.path / ".git/hkgit").rglob("*") if place.is_file()]
    assert any(SECRET.encode() in read(place) for place in everything), "nothing was kept"
    assert find_telling(kept) == []


def test_what_an_earlier_hkgit_has_left_open_is_closed(kept: Repo) -> None:
    desk = TextSession.open(kept.path, "task")
    desk.read(".env")
    (kept.path / ".git/hkgit/sessions").chmod(0o755)
    assert find_telling(kept) != []
    assert desk.edit(BLOCK.format("PORT=1", "PORT=2")).ok
    assert find_telling(kept) == []


def test_a_record_of_refusals_that_is_cut_stays_private(
    kept: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = RefusalLog.of(kept.path / ".git")
    monkeypatch.setattr(refusal_log, "LARGEST", 2000)
    for number in range(20):
        log.note("tester/1", "edit", number, [Refusal(".env", "no-match", f"KEY={SECRET}")])
    assert 0 < len(log.read()) < 20
    assert find_telling(kept) == []


def as_others(*command: str, repo: Repo) -> subprocess.CompletedProcess[str]:
    """Run a program whose rights are what files say, though the tests may be root's."""
    words = [*command]
    if os.geteuid() == 0:
        words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *words]
    environment = os.environ | PATH
    return subprocess.run(words, cwd=repo.path, env=environment, capture_output=True, text=True)


needs_rights = pytest.mark.skipif(
    not hasattr(os, "geteuid") or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="root may do everything",
)


@needs_rights
@pytest.mark.parametrize(
    "command",
    [("read", ".env", "--session", "task"), ("doctor",), ("init", "--remove")],
    ids=lambda words: words[0],
)
def test_state_that_nobody_may_read_is_no_fault_of_hkgit(
    kept: Repo, command: tuple[str, ...]
) -> None:
    state = kept.path / ".git/hkgit"
    work(kept)
    state.chmod(0)
    try:
        done = as_others("hkgit", *command, repo=kept)
    finally:
        state.chmod(0o755)
    assert done.returncode == 7, done.stderr
    assert f"{state}" in done.stderr
    assert "cannot be used: Permission denied" in done.stderr
    assert "ls -ld" in done.stderr


@needs_rights
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can")
def test_another_users_sessions_stop_nobody(kept: Repo) -> None:
    """Two people share a checkout; each sees the sessions of his own."""
    work(kept)
    home = kept.path / ".git/hkgit/sessions"
    kept.git("checkout", "-q", ".env")
    os.chown(home, 1234, 1234)
    kept.write("more.txt", "more\n")
    kept.git("add", "more.txt")
    assert as_others("git", "commit", "-q", "-m", "Say more", repo=kept).stderr == ""
    assert "more.txt" in kept.git("ls-tree", "--name-only", "HEAD")
    done = as_others("hkgit", "read", ".env", "--session", "mine", repo=kept)
    assert (done.returncode, done.stderr) == (0, "")

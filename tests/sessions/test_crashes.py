"""What dies, dies between two whole states: every file of a call is written, or none."""

import errno
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hkgit.applying import files
from hkgit.applying.files import take_place
from hkgit.errors import GitRefused
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.writer import find_crashed
from tests.sessions.committing import LINES, replacing
from tests.support.commands import ROOT
from tests.support.sessions import TextSession

DYING = """
import os, signal, sys
from pathlib import Path
from hkgit.applying import files as directory
from tests.support.sessions import TextSession
from hkgit.sessions.call_journal import SessionJournal

last = int(sys.argv[2])
done = 0
take_place = directory.take_place

def dying(*args):
    global done
    if done == last:
        os.kill(os.getpid(), signal.SIGKILL)
    done += 1
    return take_place(*args)

directory.take_place = dying
TextSession.open(Path(sys.argv[1]), "task").edit(sys.stdin.read())
os.kill(os.getpid(), signal.SIGKILL)
"""
THREE = json.dumps(
    {
        "edits": [
            {"file": "a.py", "old_text": "line 5\n", "new_text": "five\n"},
            {"file": "b.py", "old_text": "line 5\n", "new_text": "five\n"},
            {"file": "new/c.py", "old_text": "", "new_text": "c\n"},
        ]
    }
)


def contents(root: Path) -> dict[str, str]:
    """Every file of the checkout."""
    paths = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text() for path in paths}


@pytest.fixture
def root(root: Path) -> Path:
    (root / "b.py").write_text(LINES)
    return root


def die(root: Path, after: int) -> None:
    """An edit of three files, killed when so many of them are written."""
    command = [sys.executable, "-c", DYING, str(root), str(after)]
    done = subprocess.run(command, input=THREE, text=True, check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_call_that_died_is_taken_back_by_the_next(root: Path, after: int) -> None:
    before = contents(root)
    die(root, after)
    died = contents(root)
    assert find_crashed(root, fix=False) == ["call 1 of session task died half-written"]
    assert contents(root) == died
    TextSession.open(root, "other").read("a.py")
    assert contents(root) == before


def test_a_call_that_wrote_everything_before_it_died_stands(root: Path) -> None:
    die(root, 3)
    assert [call.call for call in TextSession.open(root, "task").status().calls] == ["1"]
    assert "five\n" in (root / "b.py").read_text()


def test_what_somebody_changed_since_the_crash_is_left_alone(root: Path) -> None:
    die(root, 1)
    (root / "a.py").write_text("mine\n")
    said = find_crashed(root, fix=True)
    assert contents(root) == {"a.py": "mine\n", "b.py": LINES}
    assert "changed since, and left as they are: a.py" in said[0]


def test_when_the_second_of_three_files_cannot_be_written_none_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(root)

    def full(place: Path, *args: Any) -> Any:
        if place.name == "b.py":
            raise OSError(errno.ENOSPC, "No space left on device")
        return take_place(place, *args)

    monkeypatch.setattr(files, "take_place", full)
    with pytest.raises(GitRefused, match="No space left"):
        TextSession.open(root, "task").edit(THREE)
    assert contents(root) == before


def test_what_a_crash_cut_short_was_never_said(root: Path) -> None:
    desk = TextSession.open(root, "task")
    desk.read("a.py", 1, 3)
    (root / ".git/hkgit/sessions/task/state.new").write_bytes(b'{"last":0,"kno')
    TextSession.open(root, "task").read("a.py", 4, 6)
    receipts = TextSession.open(root, "task").status().receipts
    assert [(each.start_line, each.end_line) for each in receipts] == [(1, 6)]


def test_a_damaged_journal_is_refused_and_says_what_to_do(root: Path) -> None:
    desk = TextSession.open(root, "task")
    desk.read("a.py", 1, 3)
    state = root / ".git/hkgit/sessions/task/state.json"
    state.write_bytes(state.read_bytes()[:-9])
    with pytest.raises(GitRefused, match="Move this file away"):
        TextSession.open(root, "task").status()


def test_without_its_state_a_session_has_every_call(root: Path) -> None:
    desk = TextSession.open(root, "task")
    assert desk.edit(THREE).ok
    (root / ".git/hkgit/sessions/task/state.json").unlink()
    assert desk.edit(replacing("line 6", "six")).ok
    assert [call.call for call in TextSession.open(root, "task").status().calls] == ["1", "2"]


def test_a_call_that_cannot_be_closed_stands_all_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = TextSession.open(root, "task")
    with monkeypatch.context() as full:
        full.setattr(SessionJournal, "end", _full)
        assert desk.edit(THREE).ok
    assert [call.call for call in TextSession.open(root, "task").status().calls] == []
    TextSession.open(root, "task").read("a.py")
    assert [call.call for call in TextSession.open(root, "task").status().calls] == ["1"]


def _full(*args: object) -> None:
    raise GitRefused("journal", "cannot be written: No space left on device")

"""Where the state of sessions is kept, and by what names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.sessions import homes as places
from hkgit.sessions.homes import check_session, choose_folder, find_folders, list_candidates
from tests.sessions.committing import replacing
from tests.support.sessions import TextSession


@pytest.mark.parametrize("name", ["a", "claude-4.5_x", "2026-01-01", "A" * 64])
def test_names_of_sessions(name: str) -> None:
    check_session(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/b", "a\\b", "/x", ".hidden", "-rf", "a b", "a\n", "é"),
        *("A" * 65, "con", "nul.txt", "x.", "a:b", "_x"),
    ],
)
def test_what_is_no_name_of_a_session(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_session(name)


def read_only(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Let nothing be made below some folders, as a sandbox does."""
    made = Path.mkdir

    def mkdir(self: Path, mode: int = 0o777, **options: bool) -> None:
        if any(self.is_relative_to(folder) for folder in folders):
            raise PermissionError(13, "Permission denied", str(self))
        made(self, mode, **options)

    monkeypatch.setattr(Path, "mkdir", mkdir)


def test_state_is_in_the_git_directory(root: Path) -> None:
    assert choose_folder(root, "task") == root / ".git/hkgit/sessions/task"


def test_state_is_in_the_git_directory_of_a_linked_worktree(tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").write_text("gitdir: ../main/.git/worktrees/linked\n")
    (tmp_path / "main/.git/worktrees/linked").mkdir(parents=True)
    found = choose_folder(tmp_path / "linked", "task").resolve()
    assert found == tmp_path / "main/.git/worktrees/linked/hkgit/sessions/task"


def test_where_the_git_directory_is_read_only_a_variable_names_a_place(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_only(monkeypatch, root / ".git")
    monkeypatch.setenv(places.STATE, str(tmp_path / "state"))
    assert choose_folder(root, "task").parent.parent == tmp_path / "state"


def test_else_state_is_in_the_checkout_and_ignores_itself(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_only(monkeypatch, root / ".git")
    TextSession.open(root, "task").read("a.py")
    assert (root / ".hkgit/local/sessions/task/state.json").exists()
    assert (root / ".hkgit/local/.gitignore").read_text() == "*\n"


def test_a_session_is_found_where_it_was_begun(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as sandbox:
        read_only(sandbox, root / ".git")
        TextSession.open(root, "task").read("a.py")
    assert choose_folder(root, "task") == root / ".hkgit/local/sessions/task"
    assert [folder.name for folder in find_folders(root)] == ["task"]


def test_a_call_without_a_session_makes_nothing_in_the_checkout(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_only(monkeypatch, root / ".git")
    assert TextSession.open(root, places.UNNAMED).edit(replacing("line 5\n", "five\n")).ok
    assert sorted(path.name for path in root.iterdir()) == [".git", "a.py"]


def test_two_checkouts_share_a_named_place_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(places.STATE, str(tmp_path))
    first, second = (list(list_candidates(tmp_path / name)) for name in ("one", "two"))
    assert set(first).isdisjoint(second)


READER = """
import sys
from pathlib import Path
from tests.support.sessions import TextSession
desk = TextSession.open(Path(sys.argv[1]), "shared")
for line in range(int(sys.argv[2]), 31, 3):
    desk.read("a.py", line, line)
    assert desk.edit('{"file": "b%d.py", "old_text": "", "new_text": "x"}' % line).ok
"""


def test_agents_that_share_a_session_lose_nothing_of_each_other(root: Path) -> None:
    commands = [[sys.executable, "-c", READER, str(root), str(start)] for start in (1, 2, 3)]
    running = [subprocess.Popen(command, env=os.environ) for command in commands]
    assert [each.wait() for each in running] == [0, 0, 0]
    status = TextSession.open(root, "shared").status()
    read = [each for each in status.receipts if each.path == "a.py"]
    assert [(each.start_line, each.end_line) for each in read] == [(1, 30)]
    assert [call.call for call in status.calls] == [str(number) for number in range(1, 31)]

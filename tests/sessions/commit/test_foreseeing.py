"""What post-commit finds done by pre-commit: never more than it would find out by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hkgit.sessions.commit.prompt import FORESEEN, settle_foreseen
from tests.cli.test_start import KNOWN
from tests.hooks.test_recorded import edit
from tests.support.commands import git, hkgit, start
from tests.support.repos import Repo


@pytest.fixture
def edited(native: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A session's edit, which waits for a commit; no hook runs after that."""
    monkeypatch.chdir(native.path)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    (native.path / ".git/hooks/post-commit").unlink()
    edit(native, "two", "2")
    return native


def commit(repo: Repo, *words: str) -> None:
    done, said = git(repo, "commit", "-q", "-m", "Say two", *words)
    assert done, said


def state_of(repo: Repo) -> dict[str, bytes]:
    """All that a session and a checkout hold."""
    found = [*repo.path.glob(".git/hkgit/sessions/**/*"), *repo.path.glob(".hkgit/**/*")]
    texts = {
        str(each.relative_to(repo.path)): each.read_bytes() for each in found if each.is_file()
    }
    return texts | {"status": repo.git("status", "--short").encode()}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param((), id="what is staged"),
        pytest.param(("-a",), id="all"),
        pytest.param(("-a", "--amend"), id="amended"),
    ],
)
def test_what_is_foreseen_is_what_the_whole_way_does(
    edited: Repo, tmp_path: Path, words: tuple[str, ...]
) -> None:
    commit(edited, *words)
    other = Repo(Path(shutil.copytree(edited.path, tmp_path / "other", symlinks=True)))
    (other.path / ".git" / FORESEEN).unlink()

    assert settle_foreseen(".git")
    assert start("hkgit", "record", "--committed", cwd=other.path).returncode == 0

    assert state_of(edited) == state_of(other)
    assert not (edited.path / ".git/hkgit/sessions/.waiting").exists()
    assert not (edited.path / ".git" / FORESEEN).exists()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param("hkgit read app.py --session s", id="the session has read"),
        pytest.param("hkgit read app.py --session t", id="another session has read"),
        pytest.param("git commit -q --amend --no-verify -m x -- else.py", id="another tree"),
        pytest.param("git reset -q --soft HEAD~1", id="no commit"),
        pytest.param("git checkout -q --detach HEAD~1", id="another commit"),
        pytest.param("truncate -s -9 .git/hkgit/foreseen", id="cut short"),
        pytest.param(": >.git/hkgit/foreseen", id="emptied"),
        pytest.param("mkdir -p .hkgit/local/sessions", id="sessions elsewhere"),
    ],
)
def test_whatever_came_meanwhile_is_left_to_the_whole_way(edited: Repo, meanwhile: str) -> None:
    commit(edited)
    edited.write("else.py", "x = 1\n")
    edited.git("add", "else.py")
    assert start("sh", "-c", meanwhile, cwd=edited.path).returncode == 0
    before = state_of(edited)

    assert not settle_foreseen(".git")

    assert state_of(edited) == before


def test_post_commit_loads_next_to_nothing(edited: Repo) -> None:
    commit(edited)
    command = [sys.executable, "-S", "-c", KNOWN, "record", "--committed"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    modules = {*subprocess.check_output(command, text=True, env=environment).split()}
    assert modules & {"pathlib", "json", "re", "subprocess", "contextlib"} == set()
    assert len([each for each in modules if each.startswith("hkgit")]) <= 11
    assert not (edited.path / ".git/hkgit/sessions/.waiting").exists()


def test_a_commit_that_failed_leaves_its_edits_waiting(edited: Repo) -> None:
    hook = edited.write_hook("commit-msg", "exit 1\n")
    assert not git(edited, "commit", "-q", "-a", "-m", "One")[0]
    hook.unlink()
    edited.write("app.py", "one\nby hand\nthree\n")
    commit(edited, "-a", "--no-verify")
    assert not settle_foreseen(".git")
    assert (edited.path / ".git/hkgit/sessions/.waiting").exists()


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param("true", ("--", "app.py"), id="some paths"),
        pytest.param("hkgit session end s", (), id="a session that ends"),
        pytest.param(
            "hkgit read other.py --session t &&"
            " hkgit edit --session t --file other.py --old one --new 1",
            (),
            id="another session's edit",
        ),
    ],
)
def test_what_post_commit_must_look_into_is_not_foreseen(
    edited: Repo, before: str, words: tuple[str, ...]
) -> None:
    edited.write("other.py", "one\n")
    assert start("sh", "-c", before, cwd=edited.path).returncode == 0
    commit(edited, *words)
    assert not (edited.path / ".git" / FORESEEN).exists()


def test_a_refusal_that_is_met_is_not_foreseen(edited: Repo) -> None:
    absent = ("--file", "app.py", "--old", "nowhere", "--new", "2")
    hkgit(edited, "edit", "--session", "s", *absent, code=1)
    edit(edited, "three", "3")
    commit(edited)
    assert not (edited.path / ".git" / FORESEEN).exists()


def test_a_symbolic_link_in_the_way_is_not_followed(edited: Repo, tmp_path: Path) -> None:
    commit(edited, "-a")
    shutil.rmtree(edited.path / ".hkgit/ledger", ignore_errors=True)
    (edited.path / ".hkgit/ledger").symlink_to(tmp_path, target_is_directory=True)
    assert not settle_foreseen(".git")
    assert [*tmp_path.glob("??")] == []

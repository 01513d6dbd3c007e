"""The temporary worktree: what is in it, and that nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import GitRefused
from hkgit.git.transaction.worktree import (
    Worktree,
    advance,
    commit_worktree,
    make_directory,
    remove_directory,
    temporary_root,
    temporary_worktree,
)
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import CONFIG, Repo

ODD_NAMES = [
    "a*b",
    "a?b",
    "[ab]",
    "!bang",
    "#hash",
    "-dash",
    "back\\slash",
    "blank ",
    "caf\udce9",
    "é",
]

pytestmark = pytest.mark.usefixtures("temporary_directory")


def files_in(path: Path) -> list[str]:
    """Every file of a worktree but its `.git`."""
    found = (each.relative_to(path) for each in path.rglob("*") if not each.is_dir())
    return sorted(str(each) for each in found if each.parts[0] != ".git")


def worktree_of(
    repo: Repo, *touched: str, tree: str | None = None, full: bool = False
) -> AbstractContextManager[Worktree]:
    """A worktree on HEAD, with its tree or another in the index."""
    opened = open_repository(repo)
    return temporary_worktree(opened, repo.head, tree or repo.tree(), touched, full=full)


def test_the_touched_files_and_settings_of_hooks_are_checked_out_or_all(repo: Repo) -> None:
    settings = ".pre-commit-config.yaml"
    repo.commit({"a": "1", "dir/b": "1", "dir/c": "1", settings: "repos: []\n"})
    files = {"dir/b": File(b"2"), "new": File(b"3")}
    tree = open_repository(repo).write_tree(repo.tree(), files)
    with worktree_of(repo, "dir/b", "new", tree=tree) as worktree:
        assert files_in(worktree.path) == [settings, "dir/b", "new"]
        assert Repo(worktree.path).git("write-tree") == tree
        assert Repo(worktree.path).status() == ["M  dir/b", "A  new"]
    with worktree_of(repo, full=True) as worktree:
        assert files_in(worktree.path) == [settings, "a", "dir/b", "dir/c"]


def test_a_name_is_no_pattern(repo: Repo) -> None:
    repo.commit(dict.fromkeys([*ODD_NAMES, "aab", "axb", "a", "sub/a"], "x"))
    for name in ODD_NAMES:
        with worktree_of(repo, name) as worktree:
            assert files_in(worktree.path) == [name]


@cases(
    "options",
    {
        "plain": (),
        "a sparse checkout": ("sparse-checkout", "set", "--cone", "dir"),
        "a sparse index": ("sparse-checkout", "set", "--sparse-index", "dir"),
        "a split index": ("config", "core.splitIndex", "true"),
    },
)
def test_neither_configuration_nor_checkout_of_the_repository_change(
    repo: Repo, options: tuple[str, ...]
) -> None:
    repo.commit({"a": "1", "dir/b": "1", "other/c": "1"})
    if options:
        repo.git(*options)
    before = (repo.path / ".git" / "config").read_bytes(), files_in(repo.path), repo.status()
    for full, expected in ((True, ["a", "dir/b", "other/c"]), (False, ["other/c"])):
        with worktree_of(repo, "other/c", full=full) as worktree:
            assert files_in(worktree.path) == expected
    after = (repo.path / ".git" / "config").read_bytes(), files_in(repo.path), repo.status()
    assert after == before


def test_submodules_are_left_alone(repo: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit({"x": "1"})
    repo.git("submodule", "--quiet", "add", str(library.path), "sub")
    repo.commit({"a": "1"})
    repo.git("config", "submodule.recurse", "true")
    with worktree_of(repo, full=True) as worktree:
        assert files_in(worktree.path) == [".gitmodules", "a"]


def test_it_serves_a_series_of_commits(repo: Repo) -> None:
    parent = repo.commit({"a": "1", "b": "1"})
    opened = open_repository(repo)
    first = opened.write_tree(repo.tree(), {"a": File(b"2")})
    second = opened.write_tree(first, {"b": File(b"2")})
    with temporary_worktree(opened, parent, first, ["a"], full=False) as worktree:
        commit = commit_worktree(opened, worktree, b"First\n")
        worktree = advance(worktree, commit, second, ["b"])
        assert files_in(worktree.path) == ["b"]
        assert opened.commit(commit_worktree(opened, worktree, b"Second\n")).parents == (commit,)


def test_the_post_checkout_hook_is_not_run(repo: Repo) -> None:
    repo.commit({"a": "1"})
    repo.write_hook("post-checkout", f"touch '{repo.path}/ran'")
    with worktree_of(repo, full=True):
        assert not (repo.path / "ran").exists()


@pytest.fixture
def expect_no_trace(repo: Repo, temporary_directory: Path) -> Callable[[], None]:
    """Asserts that git knows no worktree but the first, and that no file stayed."""

    def check() -> None:
        assert repo.git("worktree", "list").count("\n") == 0
        assert not (repo.path / ".git" / "worktrees").exists()
        assert list(temporary_directory.iterdir()) == []

    return check


def test_it_is_gone_afterwards(repo: Repo, expect_no_trace: Callable[[], None]) -> None:
    repo.commit({"a": "1"})
    with worktree_of(repo, "a") as worktree:
        assert worktree.git_dir == repo.path / ".git" / "worktrees" / worktree.path.name
    expect_no_trace()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_gone_after_a_failure(
    repo: Repo, expect_no_trace: Callable[[], None], error: type[BaseException]
) -> None:
    repo.commit({"a": "1"})
    with pytest.raises(error), worktree_of(repo, "a"):
        raise error
    expect_no_trace()


def test_it_is_gone_when_it_could_not_be_filled(
    repo: Repo, expect_no_trace: Callable[[], None]
) -> None:
    repo.commit({"a": "1"})
    missing = "0123456789" * 4
    with pytest.raises(GitRefused, match="git read-tree"):
        worktree_of(repo, "a", tree=missing).__enter__()
    expect_no_trace()


def test_it_is_gone_though_a_command_left_what_cannot_be_written(
    repo: Repo, expect_no_trace: Callable[[], None]
) -> None:
    repo.commit({"a": "1"})
    with worktree_of(repo, "a") as worktree:
        (worktree.path / "cache").mkdir()
        (worktree.path / "cache" / "x").write_text("")
        (worktree.path / "cache" / "x").chmod(0o400)
        (worktree.path / "cache").chmod(0o500)
        (worktree.git_dir / "index.lock").touch()
    expect_no_trace()


HOLD = """
import pathlib, sys, time
from hkgit.git.repository import Repository
from hkgit.git.transaction.worktree import temporary_worktree
opened = Repository.discover(pathlib.Path.cwd())
head = opened.resolve("HEAD")
with temporary_worktree(opened, head, opened.commit(head).tree, ["a"], full=False) as worktree:
    print(worktree.path, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_is_gone_after_a_signal(
    repo: Repo,
    temporary_directory: Path,
    expect_no_trace: Callable[[], None],
    number: signal.Signals,
) -> None:
    repo.commit({"a": "1"})
    environment = os.environ | {"TMPDIR": str(temporary_directory)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=repo.path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        held = Path(process.stdout.readline().decode().strip())
        assert held.is_dir()
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode != 0
    expect_no_trace()


def test_worktrees_of_others_stay(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "theirs"))
    with worktree_of(repo, "a") as first, worktree_of(repo, "a") as second:
        assert first.git_dir != second.git_dir
    listed = repo.git("worktree", "list", "--porcelain").splitlines()
    assert [line for line in listed if line.startswith("worktree ")] == [
        f"worktree {repo.path}",
        f"worktree {tmp_path / 'theirs'}",
    ]


def test_a_bare_repository_can_have_one(
    make_repo: Callable[..., Repo], repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({"a": "1"})
    bare = make_repo("bare.git", bare=True)
    repo.git("push", "-q", str(bare.path), "main")
    (tmp_path / "gitconfig").write_text(CONFIG + "[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    opened, touched = open_repository(bare), ["a"]
    with temporary_worktree(opened, repo.head, repo.tree(), touched, full=False) as worktree:
        assert files_in(worktree.path) == ["a"]


def test_a_git_directory_that_cannot_be_written_is_refused(repo: Repo) -> None:
    repo.commit({"a": "1"})
    (repo.path / ".git" / "worktrees").write_text("a file where the directory would be")
    with pytest.raises(GitRefused, match=r"could not create .*worktrees/hkgit-"):
        worktree_of(repo, "a").__enter__()


@pytest.mark.parametrize("setting", ["extensions.worktreeConfig=true", "core.abbrev=9"])
def test_git_finds_in_it_a_worktree_of_its_own(repo: Repo, tmp_path: Path, setting: str) -> None:
    head = repo.commit({"a": "1"})
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", *setting.split("="))
    repo.git("worktree", "add", "-q", "--no-checkout", "--detach", str(tmp_path / "theirs"))
    repo.git("worktree", "lock", str(tmp_path / "theirs"))
    with worktree_of(repo, full=True) as worktree:
        said = repo.git("worktree", "list", "--porcelain")
        assert f"worktree {worktree.path}\nHEAD {head}\ndetached" in said
        assert repo.git("worktree", "prune", "-n", "--expire=now", "-v") == ""
        theirs = repo.path / ".git" / "worktrees" / "theirs"
        for name in ("HEAD", "commondir"):
            assert (worktree.git_dir / name).read_text() == (theirs / name).read_text()
        assert (worktree.git_dir / "gitdir").read_text() == f"{worktree.path}/.git\n"


# Directories for a while


FOLDERS = ("TMPDIR", "TEMP", "TMP")


@pytest.mark.parametrize("named", [*FOLDERS, None])
def test_they_go_where_the_standard_library_puts_its_own(
    named: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    if named is not None:
        monkeypatch.setenv(named, str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert str(temporary_root()) == os.path.realpath(tempfile.gettempdir())


def test_a_named_directory_that_is_not_there_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    monkeypatch.setenv("TEMP", str(tmp_path))
    assert temporary_root() == tmp_path


def test_a_directory_is_its_owners_alone() -> None:
    one, other = make_directory("hkgit-try-"), make_directory("hkgit-try-")
    try:
        assert one != other
        assert one.parent == temporary_root()
        assert one.stat().st_mode & 0o777 == 0o700
    finally:
        remove_directory(one)
        remove_directory(other)


def test_it_goes_with_all_that_is_in_it_and_nothing_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("mine")
    folder = tmp_path / "folder"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_text("x")
    (folder / "to_file").symlink_to(outside / "kept")
    (folder / "to_folder").symlink_to(outside)
    (folder / "to_nowhere").symlink_to("missing")
    remove_directory(folder)
    assert not os.path.lexists(folder)
    assert (outside / "kept").read_text() == "mine"


def test_what_is_gone_already_is_no_fault() -> None:
    remove_directory(Path(tempfile.gettempdir(), "hkgit-was-never-there"))

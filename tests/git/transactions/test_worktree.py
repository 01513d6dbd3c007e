"""The temporary worktree: what is in it, and that nothing of it stays."""

import os
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
from tests.git.transactions.landing import expect_no_trace, list_worktrees
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import CONFIG, Repo

ODD_NAMES = ["a*b", "a?b", "[ab]", "!bang", "#hash", "-dash", "back\\slash", "blank ", "é"]
ODD_NAMES += ["caf\udce9"]

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


def test_it_serves_a_series_of_commits(based: Repo) -> None:
    opened = open_repository(based)
    first = opened.write_tree(based.tree(), {"a": File(b"2")})
    second = opened.write_tree(first, {"b": File(b"2")})
    with worktree_of(based, "a", tree=first) as worktree:
        commit = commit_worktree(opened, worktree, b"First\n")
        worktree = advance(worktree, commit, second, ["b"])
        assert files_in(worktree.path) == ["b"]
        assert opened.commit(commit_worktree(opened, worktree, b"Second\n")).parents == (commit,)


def test_the_post_checkout_hook_is_not_run(based: Repo) -> None:
    based.write_hook("post-checkout", f"touch '{based.path}/ran'")
    with worktree_of(based, full=True):
        assert not (based.path / "ran").exists()


def test_it_is_gone_afterwards(based: Repo) -> None:
    with worktree_of(based, "a") as worktree:
        assert worktree.git_dir == based.path / ".git" / "worktrees" / worktree.path.name
    expect_no_trace(based)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_gone_after_a_failure(based: Repo, error: type[BaseException]) -> None:
    with pytest.raises(error), worktree_of(based, "a"):
        raise error
    expect_no_trace(based)


def test_it_is_gone_when_it_could_not_be_filled(based: Repo) -> None:
    with pytest.raises(GitRefused, match="git read-tree"):
        worktree_of(based, "a", tree="0123456789" * 4).__enter__()
    expect_no_trace(based)


def test_it_is_gone_though_a_command_left_what_cannot_be_written(based: Repo) -> None:
    with worktree_of(based, "a") as worktree:
        (worktree.git_dir / "index.lock").touch()
        Repo(worktree.path).shell("mkdir cache; : >cache/x; chmod 400 cache/x; chmod 500 cache")
    expect_no_trace(based)


def test_worktrees_of_others_stay(based: Repo, tmp_path: Path) -> None:
    theirs = based.linked(tmp_path / "theirs", "--detach")
    with worktree_of(based, "a") as first, worktree_of(based, "a") as second:
        assert first.git_dir != second.git_dir
    assert list_worktrees(based) == [based.path, theirs.path]


def test_a_bare_repository_can_have_one(
    make_repo: Callable[..., Repo], based: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = make_repo("bare.git", bare=True)
    based.git("push", "-q", str(bare.path), "main")
    (tmp_path / "gitconfig").write_text(CONFIG + "[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    opened, tree = open_repository(bare), based.tree()
    with temporary_worktree(opened, based.head, tree, ["a"], full=False) as worktree:
        assert files_in(worktree.path) == ["a"]


def test_a_git_directory_that_cannot_be_written_is_refused(based: Repo) -> None:
    based.write(".git/worktrees", "a file where the directory would be")
    with pytest.raises(GitRefused, match=r"could not create .*worktrees/hkgit-"):
        worktree_of(based, "a").__enter__()


@pytest.mark.parametrize("setting", ["extensions.worktreeConfig=true", "core.abbrev=9"])
def test_git_finds_in_it_a_worktree_of_its_own(based: Repo, tmp_path: Path, setting: str) -> None:
    based.git("config", "core.repositoryFormatVersion", "1")
    based.git("config", *setting.split("="))
    based.linked(tmp_path / "theirs", "--no-checkout", "--detach", "--lock")
    with worktree_of(based, full=True) as worktree:
        said = based.git("worktree", "list", "--porcelain")
        assert f"worktree {worktree.path}\nHEAD {based.head}\ndetached" in said
        assert based.git("worktree", "prune", "-n", "--expire=now", "-v") == ""
        theirs = based.path / ".git" / "worktrees" / "theirs"
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
    Repo(tmp_path).shell(
        "mkdir -p outside folder/a/b; echo mine >outside/kept; echo x >folder/a/b/file; cd folder;"
        " ln -s ../outside/kept to_file; ln -s ../outside to_folder; ln -s missing to_nowhere"
    )
    remove_directory(tmp_path / "folder")
    assert not os.path.lexists(tmp_path / "folder")
    assert (tmp_path / "outside" / "kept").read_text() == "mine\n"


def test_what_is_gone_already_is_no_fault() -> None:
    remove_directory(Path(tempfile.gettempdir(), "hkgit-was-never-there"))

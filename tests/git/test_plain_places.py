"""Where a repository is plain it is found without git, and just where git would find it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.errors import HkgitError
from hkgit.git.repository import Repository
from tests.support.repos import Repo

Layout = Callable[[Repo, Path], Path]
"""Makes something of a repository, and tells where hkgit is started."""


def said_by(*words: str, start: str = "repo") -> Layout:
    """A layout that one command of git makes."""

    def make(repo: Repo, tmp_path: Path) -> Path:
        repo.git(*(word.format(tmp_path) for word in words))
        return tmp_path / start

    return make


def written(name: str, content: str, start: str = "repo") -> Layout:
    """A layout with one other file."""

    def make(repo: Repo, tmp_path: Path) -> Path:
        repo.write(name, content)
        return tmp_path / start

    return make


def through_a_link(repo: Repo, tmp_path: Path) -> Path:
    (repo.path / "deep").mkdir()
    (tmp_path / "link").symlink_to(repo.path / "deep")
    return tmp_path / "link"


def with_a_linked_git_directory(repo: Repo, tmp_path: Path) -> Path:
    (repo.path / ".git").rename(tmp_path / "real")
    (repo.path / ".git").symlink_to(tmp_path / "real")
    return repo.path


def of_somebody_else(repo: Repo, tmp_path: Path) -> Path:
    os.chown(repo.path / ".git", 12345, 12345)
    return repo.path


def without_objects(repo: Repo, tmp_path: Path) -> Path:
    (repo.path / ".git" / "objects").rename(tmp_path / "objects")
    return repo.path


LAYOUTS = {
    "plain": said_by("status"),
    "a bare one in the checkout": said_by("init", "-q", "--bare", "b", start="repo/b"),
    "a directory in one": said_by("init", "-q", "--bare", "b", start="repo/b/hooks"),
    "the git directory": said_by("status", start="repo/.git"),
    "a linked worktree": said_by("worktree", "add", "-q", "{}/w", start="w"),
    "SHA-256": said_by("init", "-q", "--object-format=sha256", "{}/x", start="x"),
    "no branch": said_by("checkout", "-q", "--detach"),
    "a branch by another name": said_by("checkout", "-q", "-b", "x.y"),
    "another work tree": said_by("config", "core.worktree", ".."),
    "settings of a worktree": said_by("config", "extensions.worktreeConfig", "true"),
    "said to be bare": said_by("config", "core.bare", "true"),
    "a later version": said_by("config", "core.repositoryFormatVersion", "1"),
    "an unknown version": said_by("config", "--add", "core.repositoryFormatVersion", "7"),
    "bare in one line": written(".git/config", "[core] bare = true\n"),
    "no settings": written(".git/config", ""),
    "a directory elsewhere": written(".git/commondir", "elsewhere"),
    "a broken HEAD": written(".git/HEAD", "ref: x\n"),
    "an empty HEAD": written(".git/HEAD", ""),
    "a HEAD of the checkout": written("HEAD", "x"),
    "a file": written("a", "x", start="repo/a"),
    "nothing there": written("a", "x", start="repo/b"),
    "through a link": through_a_link,
    "a linked git directory": with_a_linked_git_directory,
    "of somebody else": of_somebody_else,
    "without objects": without_objects,
}


def find_places(start: Path) -> object:
    try:
        found = Repository.discover(start)
    except HkgitError as error:
        return str(error)
    return found.git_dir, found.work_tree, found.object_format


@pytest.mark.parametrize("layout", [pytest.param(each, id=name) for name, each in LAYOUTS.items()])
def test_where_git_is_not_asked_it_would_say_the_same(
    repo: Repo, tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a": "1"})
    start = layout(repo, tmp_path)
    found = find_places(start)
    monkeypatch.setattr("hkgit.git.backend._find_plain", lambda _: None)
    assert find_places(start) == found


def test_a_plain_repository_is_found_without_a_process(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.path / "deep").mkdir()
    monkeypatch.setenv("PATH", "/nowhere")
    assert find_places(repo.path / "deep") == (repo.path / ".git", repo.path, "sha1")

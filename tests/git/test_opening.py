"""Where a repository is found, whose it is, and what is not fetched for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hkgit.errors import GitRefused, HkgitError, Unverifiable
from hkgit.git import program
from hkgit.git.repository import Repository
from tests.support.repos import Repo

NEW_ENOUGH = program.read_version() >= (2, 45)
"""For references kept in tables."""


def test_what_git_cannot_open_either_is_refused_with_its_words(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.unheardOf", "true")
    with pytest.raises(GitRefused, match=r"(?s)unknown repository extension.*newer git"):
        Repository.discover(repo.path)


@pytest.mark.skipif(NEW_ENOUGH, reason="this git knows references in tables")
def test_a_git_too_old_for_references_in_tables_is_told(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    with pytest.raises(HkgitError, match="refstorage"):
        Repository.discover(repo.path).head()


# The places of a repository


def test_from_inside_the_git_directory_the_work_tree_is_found(repo: Repo) -> None:
    for below in (".git", ".git/refs"):
        found = Repository.discover(repo.path / below)
        assert (found.git_dir, found.work_tree) == (repo.path / ".git", repo.path)


def test_a_git_directory_may_stand_elsewhere(repo: Repo, tmp_path: Path) -> None:
    repo.git("init", "-q", f"--separate-git-dir={tmp_path / 'apart.git'}", "checkout")
    found = Repository.discover(repo.path / "checkout")
    assert found.git_dir == tmp_path / "apart.git"
    assert found.work_tree == repo.path / "checkout"


def test_a_hook_s_variables_lead_to_the_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repo.commit({"a": "1"})
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.path))
    assert Repository.discover(tmp_path, in_hook=True).resolve("HEAD") == head
    with pytest.raises(GitRefused, match="is not in a git repository"):
        Repository.discover(tmp_path)


def test_objects_in_quarantine_are_read_in_a_hook_alone(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quarantine, objects = tmp_path / "incoming", repo.path / ".git" / "objects"
    shutil.copytree(objects, quarantine)
    apart = {
        "GIT_OBJECT_DIRECTORY": str(quarantine),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
    }
    pushed = repo.git("hash-object", "-w", "--stdin", stdin=b"pushed", env=apart)
    known = repo.git("hash-object", "-w", "--stdin", stdin=b"known")
    for name, value in apart.items():
        monkeypatch.setenv(name, value)
    in_hook = Repository.discover(repo.path, in_hook=True)
    assert [in_hook.blob(pushed), in_hook.blob(known)] == [b"pushed", b"known"]
    with pytest.raises(Unverifiable, match="not in this repository"):
        Repository.discover(repo.path).blob(pushed)


# Whom a repository belongs to


def taken_for_another_s(_: Repo) -> dict[str, str]:
    return {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}


def owned_by_another(repo: Repo) -> dict[str, str]:
    for place in (repo.path, *repo.path.rglob("*")):
        os.chown(place, 12345, 12345)
    return {}


FOREIGN = [pytest.param(taken_for_another_s, id="as git's own tests do")]
if getattr(os, "geteuid", lambda: 1)() == 0:  # only root can give files away
    FOREIGN.append(pytest.param(owned_by_another, id="in fact"))


@pytest.fixture(params=FOREIGN)
def foreign(request: pytest.FixtureRequest, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository of somebody else."""
    repo.commit({"a": "1"})
    for name, value in request.param(repo).items():
        monkeypatch.setenv(name, value)
    return repo


def test_what_belongs_to_somebody_else_is_refused_with_git_s_advice(foreign: Repo) -> None:
    with pytest.raises(GitRefused, match=r"owne[\s\S]*safe\.directory"):
        Repository.discover(foreign.path)


def test_what_the_user_trusts_is_read(foreign: Repo) -> None:
    foreign.git("config", "--global", "--add", "safe.directory", str(foreign.path))
    try:
        assert Repository.discover(foreign.path).resolve("HEAD") == foreign.head
    finally:
        foreign.git("config", "--global", "--unset-all", "safe.directory")


# Partial clones


def test_nothing_is_fetched_for_being_asked_for(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1", "b": "2"})
    repo.git("config", "uploadpack.allowFilter", "true")
    path, asked = tmp_path / "partial", tmp_path / "asked"
    options = ("--filter=blob:none", "--no-checkout")
    repo.git("clone", "-q", *options, f"file://{repo.path}", str(path))
    Repo(path).git("config", "protocol.ext.allow", "always")
    Repo(path).git("config", "remote.origin.url", f"ext::touch {asked}")
    files = Repository.discover(path).snapshot("HEAD")
    for name in ("a", "b"):
        with pytest.raises(Unverifiable, match="is not in this repository"):
            files.get(name)
    assert not asked.exists()

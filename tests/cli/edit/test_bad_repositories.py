"""Repositories that nothing can land in: a stable code, a reason, no traceback, no trace."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, run, script
from tests.support.specs import NEW, SOURCE, search_replace

UNBORN = "git checkout -q --orphan unborn"
FORMAT = "git config core.repositoryFormatVersion 1; git config extensions.unheardOf true"
REPOSITORIES = {
    "no repository": ("mv .git not-git", (), 7, "is not in a git repository"),
    "an unborn branch": (UNBORN, (), 7, "no commit yet"),
    "a branch off nothing": (UNBORN, ("--branch", "topic"), 4, "no commit here yet"),
    "a detached HEAD": ("git checkout -q --detach", (), 7, "detached"),
    "no identity": ("git config user.useConfigOnly true", (), 7, "user.email"),
    "a rewritten history": ("git rev-parse HEAD >.git/info/grafts", (), 7, "grafts"),
    "a file in place of the ledger": (
        "echo file >.hkgit; git add .hkgit; git commit -qm File",
        (),
        4,
        ".hkgit: is not a directory",
    ),
    "an unknown format": (FORMAT, (), 7, "unheardof"),
}


@cases("make, options, code, words", REPOSITORIES)
def test_a_repository_that_cannot_be_landed_in(
    bench: Bench, make: str, options: tuple[str, ...], code: int, words: str
) -> None:
    bench.repo.shell(make)
    with bench.untouched():
        result = bench.apply(search_replace(), *options, env={"GIT_CONFIG_GLOBAL": os.devnull})
    assert result.code == code, result.err
    assert words in result.err, result.err


@pytest.fixture
def bare(sources: Repo, tmp_path: Path) -> Bench:
    path = tmp_path / "bare"
    sources.git("clone", "-q", "--bare", ".", str(path))
    return make_bench(Repo(path), tmp_path)


def test_a_bare_repository_has_branches_to_land_on_and_no_checkout(bare: Bench) -> None:
    with bare.untouched():
        result = bare.apply(search_replace())
    assert result.code == 7
    assert "bare" in result.err
    assert bare.apply(search_replace(), "--branch", "main").code == 0
    assert NEW.encode() in bare.repo.show("main", SOURCE)


@cases(
    "file, words",
    {
        "HEAD is garbage": (".git/HEAD", "HEAD"),
        "the configuration is garbage": (".git/config", "config"),
        "the branch is garbage": (".git/refs/heads/main", "main"),
    },
)
def test_a_damaged_repository_is_git_s_refusal(bench: Bench, file: str, words: str) -> None:
    bench.repo.write(file, "[garbage\n")
    result = bench.apply(search_replace())
    assert result.code == 7, result.err
    assert words in result.err, result.err
    assert list(bench.temporary.iterdir()) == []


def test_a_missing_object_is_said_to_be_missing(bench: Bench) -> None:
    blob = bench.repo.resolve(f"HEAD:{SOURCE}")
    (bench.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    result = bench.apply(search_replace())
    assert result.code == 7
    assert blob in result.err


def test_without_git_it_is_said_that_there_is_none(bench: Bench) -> None:
    spec = bench.write(search_replace())
    with bench.untouched():
        result = run("apply", spec, cwd=bench.repo.path, env={"PATH": str(bench.scratch)})
    assert result.code == 7
    assert "no git program" in result.err


def test_a_fault_of_hkgit_itself_is_70_and_says_how_to_see_more(bench: Bench) -> None:
    broken = bench.scratch / "hkgit_broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text("import hkgit.applying.planner as p\np.plan = None\n")
    spec = bench.write(search_replace())
    result = bench.run("apply", spec, env={"PYTHONPATH": str(broken)})
    assert result.code == 70
    assert "--debug" in result.err


def test_a_closed_standard_input_holds_no_spec(bench: Bench) -> None:
    command = f"'{script('hkgit')}' apply <&-"
    done = subprocess.run(command, cwd=bench.repo.path, shell=True, capture_output=True, text=True)
    assert done.returncode == 64
    assert "Give a SPEC" in done.stderr

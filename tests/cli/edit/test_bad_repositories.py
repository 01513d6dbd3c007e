"""Repositories that nothing can land in: a stable code, a reason, no traceback, no trace."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, run, script
from tests.support.specs import NEW, SOURCE, search_replace


def not_a_repository(bench: Bench) -> None:
    (bench.repo.path / ".git").rename(bench.repo.path / "not-git")


def unborn(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--orphan", "unborn")


def detached(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--detach")


def without_identity(bench: Bench) -> None:
    bench.repo.git("config", "user.useConfigOnly", "true")


def grafted(bench: Bench) -> None:
    bench.repo.write(".git/info/grafts", bench.repo.head + "\n")


def without_place_for_a_ledger(bench: Bench) -> None:
    bench.repo.commit({".hkgit": "a file\n"})


def unknown_format(bench: Bench) -> None:
    bench.repo.git("config", "core.repositoryFormatVersion", "1")
    bench.repo.git("config", "extensions.unheardOf", "true")


REPOSITORIES = {
    "no repository": (not_a_repository, (), 7, "is not in a git repository"),
    "an unborn branch": (unborn, (), 7, "no commit yet"),
    "a branch off nothing": (unborn, ("--branch", "topic"), 4, "no commit here yet"),
    "a detached HEAD": (detached, (), 7, "detached"),
    "no identity": (without_identity, (), 7, "user.email"),
    "a rewritten history": (grafted, (), 7, "grafts"),
    "a file in place of the ledger": (
        without_place_for_a_ledger,
        (),
        4,
        ".hkgit: is not a directory",
    ),
    "an unknown format": (unknown_format, (), 7, "unheardof"),
}


@cases("make, options, code, words", REPOSITORIES)
def test_a_repository_that_cannot_be_landed_in(
    bench: Bench, make: Callable[[Bench], None], options: tuple[str, ...], code: int, words: str
) -> None:
    make(bench)
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


def _without_root_s_powers() -> None:
    """Let file modes bind root too: drop what lets it pass them (prctl(2), capabilities(7))."""
    drop, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


@pytest.fixture
def read_only(bench: Bench) -> Iterator[Bench]:
    """A repository in which nothing can be written."""
    folders = [Path(folder) for folder, _, _ in os.walk(bench.repo.path)]
    for folder in folders:
        folder.chmod(0o555)
    yield bench
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_repository_cannot_be_written(read_only: Bench) -> None:
    spec = read_only.write(search_replace())
    with read_only.untouched():
        done = subprocess.run(
            [script("hkgit"), "apply", spec],
            cwd=read_only.repo.path,
            env=os.environ | {"TMPDIR": str(read_only.temporary)},
            preexec_fn=_without_root_s_powers if os.geteuid() == 0 else None,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 7
    assert "Traceback" not in done.stderr
    assert "written" in done.stderr or "writable" in done.stderr


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

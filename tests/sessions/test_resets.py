"""Commits that are taken back: what was edited waits again, with its evidence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import render_script
from hkgit.sessions.homes import may_wait
from tests.sessions.committing import PROVEN, Work
from tests.support.commands import start
from tests.support.repos import Repo


@pytest.fixture
def template(hooked: Repo) -> Repo:
    return hooked


def commit_twice(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Five")
    work.edit("line 25\n", "twenty-five\n")
    work.commit_with_hooks("-a", "-m", "Twenty-five")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "reset",
    [
        ["reset", "-q", "HEAD~1"],
        ["reset", "-q", "--soft", "HEAD~1"],
        ["reset", "-q", "HEAD~2"],
        ["reset", "-q", "--soft", "HEAD~2"],
    ],
    ids=" ".join,
)
def test_what_a_reset_gives_back_has_its_evidence_still(work: Work, reset: Sequence[str]) -> None:
    commit_twice(work)
    work.repo.git(*reset)
    assert work.desk.status().uncommitted == int(reset[-1][-1])
    work.commit_with_hooks("-a", "-m", "Again")
    assert work.verdict() == PROVEN
    assert work.repo.status() == []
    assert work.desk.status().uncommitted == 0


def test_so_has_a_part_of_it(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 25\n", "twenty-five\n", "b.py")
    work.commit_with_hooks("-a", "-m", "Both")
    work.repo.git("reset", "-q", "HEAD~1")
    work.commit_with_hooks("-m", "One", "--", "b.py")
    work.commit_with_hooks("-a", "-m", "The other")
    assert [work.verdict("HEAD~1"), work.verdict()] == [PROVEN, PROVEN]
    assert work.repo.status() == []


def test_so_has_what_was_amended(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Five")
    work.edit("line 25\n", "twenty-five\n")
    work.commit_with_hooks("-a", "--amend", "-m", "Both")
    work.repo.git("reset", "-q", "HEAD~1")
    work.commit_with_hooks("-a", "-m", "Again")
    assert work.verdict() == PROVEN


def test_what_a_reset_throws_away_waits_for_nothing(work: Work) -> None:
    commit_twice(work)
    work.repo.git("reset", "-q", "--hard", "HEAD~1")
    assert work.desk.status().uncommitted == 0
    work.edit("line 9\n", "nine\n")
    work.commit_with_hooks("-a", "-m", "Nine")
    assert work.verdict() == PROVEN


def test_what_is_committed_is_gits_to_take_back(work: Work) -> None:
    commit_twice(work)
    work.edit("line 9\n", "nine\n")
    work.desk.undo(whole_session=True)
    assert work.repo.status() == []


def test_a_later_commit_finds_that_nothing_waits(work: Work) -> None:
    commit_twice(work)
    assert may_wait(work.repo.path)
    work.repo.write("b.py", "by hand\n")
    work.commit_with_hooks("-a", "-m", "By hand", "--author", "Ada <ada@example.org>")
    assert not may_wait(work.repo.path)


def run_post_commit(work: Work, folder: Path) -> str:
    """The hook on its own; what it starts as hkgit."""
    (folder / "post-commit").write_bytes(render_script())
    (folder / "hkgit").write_text('#!/bin/sh\necho "$*"\n')
    (folder / "hkgit").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = start("sh", str(folder / "post-commit"), cwd=work.repo.path, env={"PATH": path})
    assert done.returncode == 0
    return done.stdout


def test_behind_a_commit_with_evidence_nothing_is_started(work: Work, tmp_path: Path) -> None:
    commit_twice(work)
    (tmp_path / "hook").mkdir()
    assert run_post_commit(work, tmp_path / "hook") == ""
    work.repo.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "Past")
    assert run_post_commit(work, tmp_path / "hook") == "record --committed\n"

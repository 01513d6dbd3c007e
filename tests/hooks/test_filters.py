"""The framework's own filters, which must not let anything past the gate."""

from __future__ import annotations

import os
import time

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, git, hkgit
from tests.support.repos import Repo

CO_AUTHORED = "Mine\n\nCo-authored-by: Claude <noreply@anthropic.com>"


@pytest.fixture(
    params=[
        pytest.param("files: ^src/\n", id="files"),
        pytest.param("exclude: ^\\.git/|app\n", id="exclude", marks=pytest.mark.slow),
    ]
)
def filtered(request: pytest.FixtureRequest, framework: Repo) -> Repo:
    """A configuration whose top level filters away the message's file and app.py."""
    config = framework.path / ".pre-commit-config.yaml"
    config.write_text(request.param + config.read_text())
    framework.git("commit", "-q", "--no-verify", "-a", "-m", "Filter")
    framework.write("app.py", "one\n2\nthree\n")
    framework.git("add", "-A")
    return framework


@pytest.mark.slow
def test_a_change_outside_the_filter_is_judged(filtered: Repo) -> None:
    done, _ = git(filtered, "commit", "-m", "Mine", env=AGENT)
    assert not done


@pytest.mark.slow
def test_a_message_whose_file_is_filtered_away_is_judged(filtered: Repo) -> None:
    done, said = git(filtered, "commit", "-m", CO_AUTHORED)
    assert not done, said


@pytest.mark.slow
def test_a_persons_commit_outside_the_filter_passes(filtered: Repo) -> None:
    done, said = git(filtered, "commit", "-m", "Mine")
    assert done, said


@pytest.mark.slow
def test_a_clean_merge_passes_where_the_name_of_its_message_is_filtered_away(
    filtered: Repo,
) -> None:
    filtered.git("restore", "--staged", "--worktree", ".")
    filtered.commit({"notes.md": "More\n"}, "Meanwhile", "--no-verify")

    done, said = git(filtered, "merge", "--no-ff", "-m", "Merge", "evidence")

    assert done, said


@cases(
    "newest, code",
    {"a commit after a merge": ("COMMIT_EDITMSG", 0), "a merge after a commit": ("MERGE_MSG", 6)},
)
def test_without_a_name_the_message_that_git_wrote_last_is_judged(
    native: Repo, newest: str, code: int
) -> None:
    native.write("app.py", "one\n2\nthree\n")
    native.git("add", "-A")
    native.write(".git/COMMIT_EDITMSG", "Mine")
    native.write(".git/MERGE_MSG", CO_AUTHORED)
    later = time.time() + 10
    os.utime(native.path / ".git" / newest, (later, later))

    hkgit(native, "gate", "--message-file", code=code)


def test_without_a_name_and_without_a_message_the_gate_says_so(repo: Repo) -> None:
    hkgit(repo, "gate", "--message-file", code=4)

"""The framework's own filters, which must not let anything past the gate."""

from __future__ import annotations

import os
import time

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, expect_pass, expect_refusal, hkgit, stage_line_two
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
    stage_line_two(framework, "2")
    return framework


@pytest.mark.slow
def test_what_the_filter_leaves_out_is_judged_by_author_and_message(filtered: Repo) -> None:
    expect_refusal(filtered, "commit", "-m", "Mine", env=AGENT)
    expect_refusal(filtered, "commit", "-m", CO_AUTHORED)
    expect_pass(filtered, "commit", "-m", "Mine")


@pytest.mark.slow
def test_a_clean_merge_passes_where_the_name_of_its_message_is_filtered_away(
    filtered: Repo,
) -> None:
    filtered.git("restore", "--staged", "--worktree", ".")
    filtered.commit({"notes.md": "More\n"}, "Meanwhile", "--no-verify")
    expect_pass(filtered, "merge", "--no-ff", "-m", "Merge", "evidence")


@cases(
    "newest, code",
    {"a commit after a merge": ("COMMIT_EDITMSG", 0), "a merge after a commit": ("MERGE_MSG", 6)},
)
def test_without_a_name_the_message_that_git_wrote_last_is_judged(
    native: Repo, newest: str, code: int
) -> None:
    stage_line_two(native, "2")
    native.write(".git/COMMIT_EDITMSG", "Mine")
    native.write(".git/MERGE_MSG", CO_AUTHORED)
    later = time.time() + 10
    os.utime(native.path / ".git" / newest, (later, later))

    hkgit(native, "gate", "--message-file", code=code)


def test_without_a_name_and_without_a_message_the_gate_says_so(repo: Repo) -> None:
    hkgit(repo, "gate", "--message-file", code=4)

"""A commit in an agent's shell is the agent's: what no session covers does not pass as by hand."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hkgit.git.facts import AGENT_SHELLS
from tests.support.cases import cases
from tests.support.commands import expect_pass, expect_refusal, hkgit, stage_line_two
from tests.support.repos import Repo

CLAUDE = {"CLAUDECODE": "1"}
COMMIT = ("commit", "-q", "-m", "Work")


@pytest.mark.sampled
@pytest.mark.parametrize("name", AGENT_SHELLS)
def test_a_commit_that_no_session_covers_is_refused_in_an_agents_shell(
    native: Repo, name: str
) -> None:
    stage_line_two(native, "2")
    said = expect_refusal(native, *COMMIT, env={name: "1"})
    assert f"{AGENT_SHELLS[name]} is an agent" in said
    assert f"This is the shell of {AGENT_SHELLS[name]}, and no session has recorded this" in said


@cases(
    "kind, passes",
    {
        "a session of goose's": ("user", False),
        "a person's terminal": ("terminal", True),
        "a session that nobody knows": (None, True),
    },
)
def test_gooses_database_tells_its_shell_from_a_persons_terminal(
    native: Repo, tmp_path: Path, kind: str | None, *, passes: bool
) -> None:
    """As goose 1.52.0 keeps it; `goose term init` gives people the same variable."""
    place = tmp_path / "data/sessions/sessions.db"
    place.parent.mkdir(parents=True)
    with closing(sqlite3.connect(place)) as found:
        found.execute("CREATE TABLE sessions (id TEXT, session_type TEXT)")
        found.execute(
            "INSERT INTO sessions VALUES (?, ?)", ("20261123_1" if kind else "other", kind)
        )
        found.commit()
    stage_line_two(native, "2")
    told = {"AGENT_SESSION_ID": "20261123_1", "GOOSE_PATH_ROOT": str(tmp_path)}
    (expect_pass if passes else expect_refusal)(native, *COMMIT, env=told)


def test_what_one_may_commit_is_not_remembered_of_the_other(native: Repo) -> None:
    for text in "12":
        stage_line_two(native, text)
        expect_refusal(native, *COMMIT, env=CLAUDE)
        assert expect_pass(native, *COMMIT, env={"CLAUDECODE": ""}) == ""


def test_a_commit_that_a_session_covers_passes(native: Repo) -> None:
    spec = "app.py\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
    hkgit(native, "read", "app.py", "--session", "s")
    hkgit(native, "edit", "--session", "s", "-", stdin=spec)
    native.git("add", "-A")
    assert expect_pass(native, *COMMIT, env=CLAUDE) == ""
    assert "Hkgit-Entry: " in native.git("log", "-1", "--format=%B")


def test_a_grant_and_a_mode_hold_for_it_as_for_any_agent(native: Repo) -> None:
    config = native.path / ".hkgit/config.toml"
    grant = '[gate]\n[[gate.manual]]\npaths = ["app.py"]\nnames = ["*"]\n'
    for text, is_told in ((grant, False), ('[gate]\nmode = "warn"\n', True)):
        config.write_text(text)
        native.git("add", "-A")
        native.git("commit", "-q", "--no-verify", "-m", "Change the policy")
        stage_line_two(native, text[:9])
        said = expect_pass(native, *COMMIT, env=CLAUDE)
        assert ("This is the shell of Claude Code" in said) == is_told


def test_before_there_is_a_policy_an_agent_may_set_hkgit_up(repo: Repo) -> None:
    repo.commit({"app.py": "one\n"})
    hkgit(repo, "init")
    repo.git("add", "-A")
    expect_pass(repo, *COMMIT, env=CLAUDE)


def test_what_git_makes_by_itself_needs_nobodys_evidence(native: Repo) -> None:
    native.git("checkout", "-q", "-b", "side")
    native.write("notes.md", "Other notes\n")
    native.git("commit", "-q", "-a", "-m", "By a person")
    native.git("checkout", "-q", "main")
    stage_line_two(native, "2")
    expect_pass(native, *COMMIT)
    assert expect_pass(native, "merge", "-q", "--no-edit", "side", env=CLAUDE) == ""
    expect_pass(native, "revert", "--no-edit", "HEAD~1", env=CLAUDE)


@pytest.mark.slow
def test_the_framework_refuses_it_as_well(framework: Repo) -> None:
    stage_line_two(framework, "2")
    assert "Claude Code is an agent" in expect_refusal(framework, *COMMIT, env=CLAUDE)
    expect_pass(framework, *COMMIT)

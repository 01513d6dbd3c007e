"""A commit in an agent's shell is the agent's: what no session covers does not pass as by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hkgit.cli.passed_commits import is_known_to_pass
from hkgit.git.facts import AGENT_SHELLS
from tests.support.cases import cases
from tests.support.commands import git, hkgit
from tests.support.repos import Repo

CLAUDE = {"CLAUDECODE": "1"}


def _stage(repo: Repo, text: str) -> None:
    repo.write("app.py", f"one\n{text}\nthree\n")
    repo.git("add", "-A")


def _commit(repo: Repo, env: dict[str, str] | None = None) -> tuple[bool, str]:
    return git(repo, "commit", "-q", "-m", "Work", env=env)


@pytest.mark.sampled
@pytest.mark.parametrize("name", AGENT_SHELLS)
def test_a_commit_that_no_session_covers_is_refused_in_an_agents_shell(
    native: Repo, name: str
) -> None:
    _stage(native, "2")
    passes, said = _commit(native, {name: "1"})
    assert not passes
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
    _stage(native, "2")
    told = {"AGENT_SESSION_ID": "20261123_1", "GOOSE_PATH_ROOT": str(tmp_path)}
    assert _commit(native, told)[0] == passes


def test_a_persons_shell_may_commit_the_same(native: Repo) -> None:
    _stage(native, "2")
    assert not _commit(native, CLAUDE)[0]
    assert _commit(native, {"CLAUDECODE": ""}) == (True, "")


def test_what_is_remembered_of_a_person_is_not_an_agents(
    native: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stage(native, "1")
    assert _commit(native)[0]
    _stage(native, "2")
    monkeypatch.chdir(native.path)
    (tmp_path / "message").write_text("Work\n")
    assert is_known_to_pass(str(tmp_path / "message"))
    monkeypatch.setenv("CLAUDECODE", "1")
    assert not is_known_to_pass(str(tmp_path / "message"))
    assert not _commit(native, CLAUDE)[0]


def test_what_an_agent_was_refused_is_not_remembered_of_a_person(native: Repo) -> None:
    _stage(native, "1")
    assert not _commit(native, CLAUDE)[0]
    assert _commit(native)[0]


def test_a_commit_that_a_session_covers_passes(native: Repo) -> None:
    spec = "app.py\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
    hkgit(native, "read", "app.py", "--session", "s")
    hkgit(native, "edit", "--session", "s", "-", stdin=spec)
    native.git("add", "-A")
    assert _commit(native, CLAUDE) == (True, "")
    assert "Hkgit-Entry: " in native.git("log", "-1", "--format=%B")


def test_a_grant_and_a_mode_hold_for_it_as_for_any_agent(native: Repo) -> None:
    config = native.path / ".hkgit/config.toml"
    grant = '[gate]\n[[gate.manual]]\npaths = ["app.py"]\nnames = ["*"]\n'
    for text, is_told in ((grant, False), ('[gate]\nmode = "warn"\n', True)):
        config.write_text(text)
        native.git("add", "-A")
        native.git("commit", "-q", "--no-verify", "-m", "Change the policy")
        _stage(native, text[:9])
        passes, said = _commit(native, CLAUDE)
        assert passes
        assert ("This is the shell of Claude Code" in said) == is_told


def test_before_there_is_a_policy_an_agent_may_set_hkgit_up(repo: Repo) -> None:
    repo.commit({"app.py": "one\n"})
    hkgit(repo, "init")
    repo.git("add", "-A")
    assert _commit(repo, CLAUDE)[0]


def test_what_git_makes_by_itself_needs_nobodys_evidence(native: Repo) -> None:
    native.git("checkout", "-q", "-b", "side")
    native.write("notes.md", "Other notes\n")
    native.git("commit", "-q", "-a", "-m", "By a person")
    native.git("checkout", "-q", "main")
    _stage(native, "2")
    assert _commit(native)[0]
    assert git(native, "merge", "-q", "--no-edit", "side", env=CLAUDE) == (True, "")
    assert git(native, "revert", "--no-edit", "HEAD~1", env=CLAUDE)[0]


@pytest.mark.slow
def test_the_framework_refuses_it_as_well(framework: Repo) -> None:
    _stage(framework, "2")
    passes, said = _commit(framework, CLAUDE)
    assert not passes
    assert "Claude Code is an agent" in said
    assert _commit(framework)[0]

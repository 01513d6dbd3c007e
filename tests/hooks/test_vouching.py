"""A person vouches for an agent's commit in a clone whose hooks judge it."""

from pathlib import Path

import pytest

from hkgit.gate.trusted_policy import CONFIG
from tests.support.cases import cases
from tests.support.commands import AGENT, expect_pass, expect_refusal, stage_line_two
from tests.support.keys import public, sign_with
from tests.support.repos import Repo
from tests.support.running import run

ADA = "Hkgit-Vouched-by: Ada Tester <ada@example.org>"
CO_AUTHOR = "Co-authored-by: Claude <noreply@anthropic.com>"
POLICY = """\
[gate]
allowed_signers = "signers"

[[gate.manual]]
paths = ["*.py"]
principals = ["ada@example.org"]
"""


@pytest.fixture
def granted(native: Repo, key: Path) -> Repo:
    """The policy grants Ada the code, and she can sign."""
    native.write(CONFIG, POLICY)
    native.write("signers", f"ada@example.org {public(key)}\n")
    native.git("add", "-A")
    native.git("commit", "-q", "-m", "Grant it")
    sign_with(native, key)
    stage_line_two(native, "2")
    return native


VOUCH = ("commit", "-q", "-S", "--trailer")


def test_a_person_commits_what_an_agent_made_and_vouches(granted: Repo) -> None:
    """Who made it stays beside who takes it upon himself."""
    message = ("-m", "Say two", "-m", CO_AUTHOR)
    assert "--trailer" in expect_refusal(granted, "commit", "-q", *message)
    assert expect_pass(granted, *VOUCH, ADA, *message) == ""
    said = granted.git("log", "-1", "--format=%B")
    assert said.rstrip() == f"Say two\n\n{CO_AUTHOR}\n{ADA}"


def test_a_person_amends_what_an_agent_has_committed(granted: Repo) -> None:
    granted.git("commit", "-q", "--no-verify", "-m", "Say two", env=AGENT)
    expect_pass(granted, *VOUCH, ADA, "--amend", "--no-edit")
    assert granted.git("log", "-1", "--format=%an") == "claude"


def test_nobody_vouches_in_the_shell_of_an_agent(granted: Repo) -> None:
    """An agent has a person's key there, and reads how one vouches."""
    claude = {"CLAUDECODE": "1"}
    said = expect_refusal(granted, *VOUCH, ADA, "-m", "Say two", env=claude)
    assert "their own work in their own shell" in " ".join(said.split())


@cases(
    "trailer, reason",
    {
        "nobody's grant": ("Hkgit-Vouched-by: Bob <bob@example.org>", "nothing proves"),
        "an agent": ("Hkgit-Vouched-by: Claude <noreply@anthropic.com>", "an agent"),
    },
)
def test_who_may_not_vouch_is_told_why(granted: Repo, trailer: str, reason: str) -> None:
    message = ("-m", "Say two", "-m", CO_AUTHOR)
    assert reason in expect_refusal(granted, *VOUCH, trailer, *message)


def test_a_commit_that_stands_is_vouched_for_by_one_command(granted: Repo) -> None:
    granted.git("commit", "-q", "--no-verify", "-m", "Say two", env=AGENT)
    made = granted.head
    granted.commit({"later.txt": "later\n"}, "Later")
    judged = run("gate", "--range", "HEAD~2..HEAD", cwd=granted.path)
    command = f"redo --vouch {made[:12]}"
    assert f"hkgit {command}" in judged.out

    refused = run(*command.split(), cwd=granted.path, env={"CLAUDECODE": "1"})
    assert (refused.code, "in their own shell" in refused.err) == (7, True)
    done = run(*command.split(), cwd=granted.path)
    assert done.code == 0, done.err

    assert run("gate", "--range", "HEAD~2..HEAD", cwd=granted.path).code == 0
    told = granted.git("log", "-1", "--format=%an %cn%n%b", "HEAD^")
    assert told == f"claude Ada Tester\n{ADA}"
    for words in (("log",), ("show", "HEAD^"), ("blame", "app.py"), ("stats",)):
        assert "vouched" in run(*words, cwd=granted.path).out, words


def test_where_the_policy_grants_nobody_nobody_is_asked_to_sign(granted: Repo) -> None:
    granted.write("notes.md", "by an agent\n")
    granted.git("add", "notes.md")
    granted.git("commit", "-q", "--no-verify", "-m", "Say two", env=AGENT)
    granted.git("config", "gpg.ssh.program", "false")
    refused = run("redo", "--vouch", "HEAD", cwd=granted.path)
    assert refused.code == 6
    assert "app.py, notes.md: .hkgit/config.toml grants nobody all of it" in refused.err

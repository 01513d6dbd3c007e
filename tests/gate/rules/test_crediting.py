"""The policy may require that a message names the agents of its entries, or forbid it."""

import os
from dataclasses import replace

import pytest

from hkgit.audit.reports.findings import mend
from hkgit.evidence.trailers import list_missing_lines
from hkgit.gate.policy.model import Policy
from tests.support.commands import replace_line_two
from tests.support.commits import applied, commit, judge, message_of
from tests.support.gating import begun, good
from tests.support.planning import protocol
from tests.support.repos import Repo
from tests.support.running import run

NAMED = "tester/1"
"""The agent of the entries of these tests."""

REQUIRE, FORBID = Policy(assisted_by="require"), Policy(assisted_by="forbid")


def commit_saying(repo: Repo, *lines: str) -> None:
    """An agent's commit with its entry, and more lines in its message."""
    change = applied(repo, protocol(good()))
    text = message_of(change).decode().rstrip("\n")
    commit(repo, replace(change, message="\n".join((text, *lines)) + "\n"))


@pytest.mark.parametrize("lines", [(), ("Assisted-by: somebody/else",)])
def test_a_message_must_name_the_agent_of_its_entry(repo: Repo, lines: tuple[str, ...]) -> None:
    commit_saying(begun(repo), *lines)
    assert judge(repo).passes
    ruling = judge(repo, policy=REQUIRE)
    assert (ruling.passes, ruling.rule) == (False, "assisted-by")
    assert ruling.findings[0].fix == f"Add to the message: Assisted-by: {NAMED}"


def test_a_message_that_names_it_passes_unless_that_is_forbidden(repo: Repo) -> None:
    begun(repo)
    commit_saying(repo, f"assisted-by:  {NAMED}")
    assert judge(repo, policy=REQUIRE).passes
    ruling = judge(repo, policy=FORBID)
    assert (ruling.passes, ruling.rule) == (False, "assisted-by")
    assert "Remove the Assisted-by line" in ruling.findings[0].fix


def test_the_command_under_the_finding_mends_it(repo: Repo) -> None:
    commit_saying(begun(repo))
    ruling = judge(repo, policy=REQUIRE)
    command, _, advice = mend(ruling).partition("  # reword it: ")
    line = advice.removeprefix("Add to the message: ")
    environment = {
        "GIT_SEQUENCE_EDITOR": "sed -i s/^pick/reword/",
        "GIT_EDITOR": f"git interpret-trailers --in-place --trailer '{line}'",
    }
    repo.git(*command.split()[1:], env=os.environ | environment)
    ruling = judge(repo, policy=REQUIRE)
    assert ruling.passes, (ruling.findings, repo.git("log", "-1"))


def test_apply_and_a_session_write_what_the_policy_requires(repo: Repo) -> None:
    repo.commit({"app.py": "a\nb\n", ".hkgit/config.toml": "[gate]\nassisted_by = 'require'\n"})
    run("read", "app.py", "--session", "s", cwd=repo.path)
    edit = ("--file", "app.py", "--old", "b", "--new", "c", "--agent", "robot/1")
    assert run("edit", "--session", "s", *edit, cwd=repo.path).code == 0
    repo.git("add", "-A")
    assert run("record", "--staged", cwd=repo.path).code == 0
    message = repo.path.parent / "message"
    message.write_text("Change b\n")
    assert run("record", "--message-file", message, cwd=repo.path).code == 0
    assert "\nAssisted-by: robot/1\n" in message.read_text()
    repo.git("reset", "-q", "--hard")
    document = replace_line_two(repo, "c\n").encode()
    done = run("apply", "-", "--agent", "robot/1", cwd=repo.path, stdin=document)
    assert done.code == 0, done.err
    assert repo.git("log", "-1", "--format=%(trailers:key=Assisted-by,valueonly)") == "robot/1"


def test_entries_of_one_agent_ask_for_one_line(repo: Repo) -> None:
    commit_saying(begun(repo))
    entries = [entry for _, entry in judge(repo).judged.entries] * 2
    assert list_missing_lines(entries, b"") == [f"Assisted-by: {NAMED}"]

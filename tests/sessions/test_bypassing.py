"""Commits that an agent made past git's hooks are found and said; what is said mends them."""

import re
from pathlib import Path

import pytest

from hkgit.sessions.bypass import (
    CommitPastHooks,
    describe_commits_past_hooks,
    find_commits_past_hooks,
)
from tests.sessions.committing import LINES, PROVEN, Work, replacing
from tests.support.commands import git
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import run

HOOKS_OFF = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "",
}
"""What Gemini CLI 0.61.0 gives to the commands of its shell."""


pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def template(hooked: Repo) -> Repo:
    return hooked


def bypass(work: Work, message: str = "Work") -> str:
    """Commit everything as in an agent's shell that has the hooks off."""
    work.repo.git("add", "-A")
    work.repo.git("commit", "-q", "-m", message, env=HOOKS_OFF)
    return work.repo.head


def find(work: Work) -> list[CommitPastHooks]:
    return find_commits_past_hooks(open_repository(work.repo))


def advice(work: Work) -> str:
    """The command of the last line of what is said."""
    repository = open_repository(work.repo)
    *_, line = describe_commits_past_hooks(repository)
    assert line.startswith("fix: ")
    return line.removeprefix("fix: ")


def verdicts(work: Work, count: int) -> list[str]:
    """Of the last commits, the newest first, whether they have evidence."""
    return [work.verdict(f"HEAD~{number}").split()[0] for number in range(count)]


def test_a_commit_past_the_hooks_is_found(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    head = bypass(work)
    assert find(work) == [CommitPastHooks(head, "Work", ("task",), ("a.py",))]


def test_with_the_hooks_nothing_is_found(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Work")
    work.edit("line 7\n", "seven\n")
    assert find(work) == []


def test_what_a_person_commits_meanwhile_is_their_own(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.write("b.py", LINES.replace("line 9\n", "nine\n"))
    work.repo.git("add", "b.py")
    work.repo.git("commit", "-q", "-m", "By hand", env=HOOKS_OFF)
    assert find(work) == []


def test_an_edit_that_somebody_changed_further_is_found(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.write("a.py", LINES.replace("line 5\n", "five\n").replace("line 30", "thirty"))
    bypass(work)
    assert [each.paths for each in find(work)] == [("a.py",)]


@pytest.mark.parametrize("environment", [{}, HOOKS_OFF], ids=["a shell", "gemini's shell"])
def test_what_is_said_mends_the_last_commit(
    environment: dict[str, str], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.edit("line 5\n", "five\n")
    bypass(work)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    work.follow(advice(work))
    assert verdicts(work, 1) == ["strict"]
    assert work.repo.git("log", "-1", "--format=%s").strip() == "Work"
    assert find(work) == []
    assert work.repo.status() == []


def test_what_is_said_mends_several(work: Work) -> None:
    for number, word in ((5, "five"), (7, "seven"), (9, "nine")):
        work.edit(f"line {number}\n", f"{word}\n")
        bypass(work, word)
    work.repo.write("b.py", LINES.replace("line 2", "two"))
    assert len(find(work)) == 3
    work.follow(advice(work))
    assert verdicts(work, 3) == ["strict"] * 3
    assert work.repo.git("log", "-3", "--format=%s").split() == ["nine", "seven", "five"]
    assert find(work) == []
    assert work.repo.status() == [" M b.py"]


def test_a_commit_that_the_hooks_refuse_stays_and_the_others_are_made_again(work: Work) -> None:
    """No rebase is left half done, and nothing is lost."""
    work.edit("line 5\n", "five\n")
    bypass(work, "five")
    assert work.desk.edit(replacing("line 2\n", "two\n", "b.py")).ok  # nobody has read that
    bypass(work, "blind")
    work.edit("line 9\n", "nine\n")
    bypass(work, "nine")
    work.repo.write("c.txt", "not committed\n")
    tree = work.repo.resolve("HEAD^{tree}")
    work.follow(advice(work))
    assert verdicts(work, 3) == ["strict", "without", "strict"]
    assert work.repo.git("log", "-3", "--format=%s").split() == ["nine", "blind", "five"]
    assert work.repo.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert work.repo.status() == ["?? c.txt"]
    shown = work.repo.git("diff", "--stat", tree.strip(), "HEAD", "--", "a.py", "b.py")
    assert shown == ""


def test_what_is_said_mends_amid_a_rebase(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    bypass(work, "five")
    work.repo.git("rebase", "-q", "-x", "false", "HEAD~1", check=False)
    assert "rebase in progress" in work.repo.git("status")
    work.follow(advice(work))
    work.repo.git("rebase", "--continue")
    assert verdicts(work, 1) == ["strict"]
    assert work.repo.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"


def test_a_later_commit_keeps_its_evidence(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    bypass(work)
    work.edit("line 2\n", "two\n", "b.py")
    said = work.commit_with_hooks("-a", "-m", "Later")
    assert "bypassed git's hooks" in said
    work.follow(advice(work))
    assert "without" not in verdicts(work, 2)
    assert find(work) == []


def test_what_is_published_is_not_made_again(work: Work, tmp_path: Path) -> None:
    Repo.init(tmp_path / "remote", bare=True)
    work.repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    work.edit("line 5\n", "five\n")
    head = bypass(work)
    work.repo.git("push", "-q", "--no-verify", "origin", "main")
    assert advice(work) == f"hkgit adopt {head[:9]}~1..HEAD"


def test_a_push_and_doctor_say_so(work: Work, tmp_path: Path) -> None:
    work.edit("line 5\n", "five\n")
    head = bypass(work)
    said = run("doctor", cwd=work.repo.path, env=HOOKS_OFF).out
    assert f"commit {head[:9]} (Work) bypassed git's hooks" in said
    assert "hooks off" in said
    checks = run("doctor", "--json", cwd=work.repo.path).json()["checks"]
    assert any(head[:9] in each["what"] for each in checks if each["name"] == "past hooks")
    Repo.init(tmp_path / "remote", bare=True)
    work.repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    _, said = git(work.repo, "push", "-q", "origin", "main")
    assert "bypassed git's hooks" in said
    assert "fix: hkgit redo" in said


def test_where_an_agent_made_it_the_gate_says_the_same(work: Work) -> None:
    """Though late evidence does not count: what the session has recorded does."""
    work.edit("line 5\n", "five\n")
    bypass(work)
    work.repo.git("commit", "-q", "--amend", "--no-edit", "--no-verify", "--author=codex <a@b.c>")
    said = run("gate", "--range", "HEAD~1..HEAD", cwd=work.repo.path).out
    work.follow(re.findall("fix: (.*)", said)[0])
    assert verdicts(work, 1) == ["strict"]


def test_a_commit_whose_message_no_longer_names_its_entries_is_not_accused(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Work")
    work.repo.git("commit", "-q", "--amend", "-m", "Other words")
    work.repo.git("switch", "-q", "-c", "topic", "HEAD~1")
    work.edit("line 2\n", "two\n", "b.py")
    work.commit_with_hooks("-a", "-m", "Topic")
    work.repo.git("rebase", "-q", "main")
    assert verdicts(work, 2) == ["strict", "strict"]
    assert find(work) == []
    assert "bypassed" not in run("doctor", cwd=work.repo.path).out


def conflict(work: Work, *command: str) -> None:
    """Let git stop in a conflict of two agents' commits, and resolve it."""
    work.repo.git("switch", "-q", "-c", "topic")
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Topic")
    work.repo.git("switch", "-q", "main")
    work.edit("line 5\n", "FIVE\n")
    work.commit_with_hooks("-a", "-m", "Main")
    with pytest.raises(AssertionError, match="could not apply"):
        work.repo.git(*command)
    text = work.repo.read("a.py").decode()
    block = text[text.index("<<<<<<<") : text.index("line 6\n")]
    work.edit(block, "FIVE\nfive\n")
    work.repo.git("add", "a.py")


def test_a_conflict_resolved_in_a_rebase_is_recorded_by_what_the_gate_says(work: Work) -> None:
    conflict(work, "rebase", "-q", "main", "topic")
    work.repo.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert verdicts(work, 1) == ["fail"]  # git runs no hook there that records
    said = run("gate", "--range", "HEAD~1..HEAD", cwd=work.repo.path).out
    work.follow(re.findall("fix: (.*)", said)[0])
    assert work.verdict() == PROVEN
    assert work.repo.git("log", "-1", "--format=%s") == "Topic"
    assert b"<<<<<<<" not in b"".join(each.to_bytes() for each in work.entries)


def test_a_conflict_resolved_in_a_cherry_pick_is_committed_by_what_is_said(work: Work) -> None:
    conflict(work, "cherry-pick", "topic")
    said = work.commit_with_hooks("--no-edit", code=1)
    work.follow(re.findall("fix: (.*)", said)[0])
    assert work.verdict() == PROVEN
    assert work.repo.git("log", "-1", "--format=%s") == "Topic"

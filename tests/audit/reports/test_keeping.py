"""What a hook rejects, and a first commit, are made again as they were; no advice hides a hand."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping

import pytest

from tests.audit.reports.test_mending_kinds import contents
from tests.support.cases import cases
from tests.support.commands import loaded_path
from tests.support.commits import TAKES_LATE
from tests.support.modules import read_sources
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

AGENT = {"GIT_AUTHOR_NAME": "Claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
BASE = "".join(f"line {number}\n" for number in range(1, 21))
WANTED = BASE.replace("line 5\n", "five\n")

HIDING = re.compile(
    r'--reset-author|--author\b(?!",)|without (the|its) co-author|/co-author', re.IGNORECASE
)
"""What would hide who made a change; `hkgit log` has an option of that name."""


def test_no_advice_takes_away_what_says_who_made_a_change() -> None:
    assert [found[0] for found in HIDING.finditer(read_sources())] == []


def shell(repo: Repo, command: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    env = os.environ | env | loaded_path()
    return subprocess.run(
        command, shell=True, cwd=repo.path, env=env, capture_output=True, text=True
    )


def paste(repo: Repo, command: str, env: Mapping[str, str]) -> None:
    done = shell(repo, command, env)
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def passes(repo: Repo, commits: str = "start..HEAD") -> bool:
    """Whether every commit passes."""
    rows = run("log", "--json", commits, cwd=repo.path).json()
    return all(each["policy"]["passes"] for each in rows)


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """With a policy that takes evidence made afterwards, and the hooks."""
    repo.commit({"a.txt": BASE, ".hkgit/config.toml": TAKES_LATE}, "Begin")
    repo.git("tag", "start")
    assert run("init", cwd=repo.path).code == 0
    preload_hooks(repo)
    (repo.path / ".hkgit/.gitattributes").unlink()
    return repo


def reject(repo: Repo, command: str, env: Mapping[str, str]) -> str:
    """Commit what the hook rejects; the command that it names."""
    done = shell(repo, command, env)
    assert done.returncode == 1
    return (done.stderr + done.stdout).partition("fix: ")[2].partition("\n")[0]


@cases("env", {"an agent": AGENT, "under govern = all": {}})
def test_what_a_hook_rejects_is_committed_again_with_evidence(
    guarded: Repo, env: Mapping[str, str]
) -> None:
    if not env:
        policy = {".hkgit/config.toml": TAKES_LATE + 'govern = "all"\n'}
        guarded.commit(policy, "All", "--no-verify")
        guarded.git("tag", "-f", "start")
    guarded.write("a.txt", WANTED)
    guarded.write("new.txt", "new\n")
    guarded.git("add", "new.txt")
    paste(guarded, reject(guarded, "git commit -q -a -m 'Say five'", env), env)
    assert guarded.read("a.txt") == WANTED.encode()
    assert guarded.read("new.txt") == b"new\n"
    assert passes(guarded)
    assert guarded.status() == []
    assert guarded.git("stash", "list") == ""


@pytest.mark.parametrize("again", ["unstaged\n", "line 5, again\n"], ids=["beside", "on it"])
def test_what_was_not_staged_stays_so(guarded: Repo, again: str) -> None:
    guarded.write("a.txt", WANTED)
    guarded.git("add", "a.txt")
    unstaged = WANTED.replace("five\n" if "again" in again else "line 20\n", again)
    guarded.write("a.txt", unstaged)
    paste(guarded, reject(guarded, "git commit -q -m 'Say five'", AGENT), AGENT)
    assert guarded.git("show", "HEAD:a.txt") == WANTED.rstrip("\n")
    assert (guarded.read("a.txt"), passes(guarded)) == (unstaged.encode(), True)
    assert " M a.txt" in guarded.status()


def test_the_first_commit_is_made_again_with_evidence(repo: Repo) -> None:
    """An entry is judged on a parent: the history begins with an empty commit."""
    repo.write("a.txt", BASE)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Begin", env=AGENT)
    repo.commit({"b.txt": "b\n", ".hkgit/config.toml": TAKES_LATE}, "Later")
    before = contents(repo, "HEAD")
    later, first = run("log", "--json", cwd=repo.path).json()
    assert later["policy"]["passes"]
    paste(repo, first["mend"], AGENT)
    assert contents(repo, "HEAD") == before
    assert passes(repo, "HEAD")

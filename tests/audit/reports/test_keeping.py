"""The command under each rejection is pasted as it is: the commit passes, its change stays."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import loaded_path
from tests.support.keys import sign_with
from tests.support.modules import read_sources
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

AGENT = {"GIT_AUTHOR_NAME": "Claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
TAKES_LATE = '[gate]\naccept = ["hash", "receipt", "late"]\n'
BASE = "".join(f"line {number}\n" for number in range(1, 21))
WANTED = BASE.replace("line 5\n", "five\n")


def applied(repo: Repo, *options: str) -> None:
    spec = {"file": "a.txt", "old_text": "line  5", "new_text": "five"}
    done = run("apply", "-", *options, cwd=repo.path, stdin=json.dumps(spec).encode())
    assert done.code == 0, done.err


def blind_edit(repo: Repo) -> None:
    applied(repo, "--allow-blind")


def protected(repo: Repo) -> None:
    repo.write("a.txt", WANTED)
    repo.write(".github/workflows/ci.yml", "on: push\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Say five", env=AGENT)


def co_authored(repo: Repo) -> None:
    repo.write("a.txt", WANTED)
    message = "Say five\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    repo.git("commit", "-q", "--no-verify", "-a", "-m", message)


def _hash(repo: Repo) -> str:
    return str(run("read", "--json", "a.txt", cwd=repo.path).json()["range_hash"])


def resolved_merge(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a.txt": BASE.replace("line 5\n", "5\n"), "c.txt": "side\n"}, "Side")
    repo.git("checkout", "-q", "main")
    repo.commit({"a.txt": BASE.replace("line 5\n", "Line 5\n")}, "Ours")
    repo.git("merge", "-q", "side", check=False)
    repo.write("a.txt", WANTED)
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Merge side", env=AGENT)


KINDS = {each.__name__: each for each in (blind_edit, co_authored, resolved_merge)}
"""Beside those of `test_mending_kinds`: what a message credits, and a resolved conflict."""


def paste(repo: Repo, command: str, **env: str) -> None:
    done = subprocess.run(
        command,
        shell=True,
        cwd=repo.path,
        env=os.environ | env | loaded_path(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def rejected(repo: Repo, start: str) -> list[str]:
    """The commands that mend what the gate rejects from a commit on."""
    done = run(
        "gate",
        "--range",
        f"{start}..HEAD",
        "--policy",
        str(repo.path / ".hkgit/config.toml"),
        "--format",
        "json",
        cwd=repo.path,
    )
    return [each["mend"] for each in done.json()["commits"] if not each["policy"]["passes"]]


@pytest.fixture
def started(repo: Repo) -> str:
    return repo.commit({"a.txt": BASE, ".hkgit/config.toml": TAKES_LATE}, "Begin")


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_a_rejected_commit_is_made_again_with_its_change(
    repo: Repo, started: str, kind: str
) -> None:
    KINDS[kind](repo)
    repo.commit({"later.txt": "later\n"}, "Later")
    subjects = repo.git("log", "--format=%s", f"{started}..")
    credited = repo.git("log", "--format=%(trailers:key=Co-Authored-By)", f"{started}..").strip()
    before = _contents(repo)
    [command] = rejected(repo, started)

    paste(repo, command)

    assert rejected(repo, started) == []
    assert _contents(repo) == before
    now = repo.git("log", "--format=%s", f"{started}..")
    assert set(subjects.split("\n")) <= set(now.split("\n"))
    assert credited in repo.git("log", "--format=%(trailers:key=Co-Authored-By)", f"{started}..")
    assert repo.status() == []
    assert repo.git("branch", "--list", "again-*") == ""


def _contents(repo: Repo) -> dict[str, bytes]:
    names = repo.git("ls-files", "-z").split("\0")
    return {
        name: repo.read(name)
        for name in names
        if name and not name.startswith(".hkgit/led") and name != ".hkgit/.gitattributes"
    }


def with_an_entry(repo: Repo) -> None:
    applied(repo, "--expect", f"a.txt={_hash(repo)}")
    repo.write(".github/workflows/ci.yml", "on: push\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "--amend", "--no-edit", env=AGENT)


@pytest.mark.parametrize("make", [protected, with_an_entry])
def test_what_only_a_person_may_change_is_taken_upon_himself_by_one(
    repo: Repo, started: str, make: Callable[[Repo], None], key: Path
) -> None:
    """What says who made it stays: the author, the message, the entries."""
    granted = sign_with(repo, key)
    started = repo.commit({".hkgit/config.toml": f"{TAKES_LATE}{granted}"}, "Grant it")
    make(repo)
    made = repo.head
    before = _contents(repo)
    [command] = rejected(repo, started)
    paste(repo, f"{command} --vouch")
    assert rejected(repo, started) == []
    assert _contents(repo) == before
    assert repo.git("log", "-1", "--format=%an%ae") == repo.git(
        "log", "-1", "--format=%an%ae", made
    )
    said = repo.git("log", "-1", "--format=%B")
    assert said.startswith(repo.git("log", "-1", "--format=%B", made).rstrip())
    assert said.rstrip().endswith("Hkgit-Vouched-by: Ada Tester <ada@example.org>")
    assert repo.git("ls-files", ".hkgit/ledger") == repo.git(
        "ls-tree", "-r", "--name-only", made, ".hkgit/ledger"
    )


HIDING = re.compile(
    r'--reset-author|--author\b(?!",)|without (the|its) co-author|/co-author', re.IGNORECASE
)
"""What would hide who made a change; `hkgit log` has an option of that name."""


def test_no_advice_takes_away_what_says_who_made_a_change() -> None:
    assert [found[0] for found in HIDING.finditer(read_sources())] == []


@cases("env", {"an agent": AGENT, "under govern = all": {}})
def test_what_a_hook_rejects_is_committed_again_with_evidence(
    repo: Repo, started: str, env: Mapping[str, str], tmp_path: Path
) -> None:
    if not env:
        repo.commit({".hkgit/config.toml": TAKES_LATE + 'govern = "all"\n'}, "All")
        started = repo.head
    hooks = tmp_path / "repo/.git/hooks"
    assert run("init", cwd=repo.path).code == 0
    preload_hooks(repo)
    (repo.path / ".hkgit/.gitattributes").unlink()
    assert (hooks / "pre-commit").exists()
    repo.write("a.txt", WANTED)
    repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    done = subprocess.run(
        ["git", "commit", "-q", "-a", "-m", "Say five"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        env=os.environ | dict(env) | loaded_path(),
    )
    assert done.returncode == 1
    said = done.stderr + done.stdout
    paste(repo, said.partition("fix: ")[2].partition("\n")[0], **env)
    assert repo.read("a.txt") == WANTED.encode()
    assert repo.read("new.txt") == b"new\n"
    assert rejected(repo, started) == []
    assert repo.status() == []
    assert repo.git("stash", "list") == ""


@pytest.mark.parametrize("again", ["unstaged\n", "line 5, again\n"], ids=["beside", "on it"])
def test_what_was_not_staged_stays_so(repo: Repo, started: str, again: str) -> None:
    assert run("init", cwd=repo.path).code == 0
    preload_hooks(repo)
    repo.write("a.txt", WANTED)
    repo.git("add", "a.txt")
    unstaged = WANTED.replace("five\n" if "again" in again else "line 20\n", again)
    repo.write("a.txt", unstaged)
    done = subprocess.run(
        ["git", "commit", "-q", "-m", "Say five"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        env=os.environ | AGENT | loaded_path(),
    )
    said = done.stderr + done.stdout
    paste(repo, said.partition("fix: ")[2].partition("\n")[0], **AGENT)
    assert repo.git("show", "HEAD:a.txt") == WANTED.rstrip("\n")
    assert (repo.read("a.txt"), rejected(repo, started)) == (unstaged.encode(), [])
    assert " M a.txt" in repo.status()


def test_the_first_commit_is_made_again_with_evidence(repo: Repo) -> None:
    """An entry is judged on a parent: the history begins with an empty commit."""
    repo.write("a.txt", BASE)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Begin", env=AGENT)
    repo.commit({"b.txt": "b\n", ".hkgit/config.toml": TAKES_LATE}, "Later")
    before = _contents(repo)
    later, first = run("log", "--json", cwd=repo.path).json()
    assert later["policy"]["passes"]
    paste(repo, first["mend"], **AGENT)
    assert _contents(repo) == before
    assert all(each["policy"]["passes"] for each in run("log", "--json", cwd=repo.path).json())

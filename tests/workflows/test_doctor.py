"""`hkgit doctor`: what it says, what it repairs, how it ends; and that apply repairs as well."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from hkgit.gate.entrypoints.hook_scripts import render_script
from hkgit.git.transaction.journal import TransactionJournal, TransactionState, begin
from hkgit.workflows import health
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import Result, run

ID = "0123456789abcdef"


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"a": "1\n", "b": "1\n"})
    return repo


def doctor(repo: Repo, *options: str) -> Result:
    return run("doctor", *options, cwd=repo.path)


def said(repo: Repo, *options: str) -> Any:
    return doctor(repo, "--json", *options).json()


def found(repo: Repo, *options: str) -> dict[str, list[str]]:
    """What was found, by what was looked at."""
    by: dict[str, list[str]] = {}
    for each in said(repo, *options)["checks"]:
        by.setdefault(each["name"], []).append(each["what"])
    return by


def begun(repo: Repo) -> TransactionJournal:
    """A transaction of this process."""
    checkout = str(repo.path / ".git")
    temporary = tempfile.gettempdir()
    state = TransactionState(
        ID, "objects", 1, "host", 2, temporary, "main", repo.head, checkout=checkout
    )
    return begin(repo.path / ".git", state)


def cut(repo: Repo) -> str:
    """A crash between the move of the branch and the checkout."""
    tree = repo.git("mktree", stdin=f"100644 blob {blob(repo, '2')}\ta\n".encode())
    new = repo.git("commit-tree", tree, "-p", "HEAD", "-m", "Landed")
    journal = begun(repo)
    journal.note("landing", new)
    repo.git("update-ref", "refs/heads/main", new)
    repo.write(".git/index.lock", f"hkgit {ID}\n")
    journal.leave()
    return new


def blob(repo: Repo, text: str) -> str:
    return repo.store(f"{text}\n".encode())


def test_a_repository_that_is_well_is_described(based: Repo) -> None:
    document = said(based)
    assert document["status"] == "well"
    assert found(based) == {
        "repository": [f"{based.path}, main at {based.head[:12]}"],
        "no gate": ["no hook here calls it: run hkgit init"],
        "crashes": ["nothing is left of a crash"],
    }
    assert set(document["versions"]) == {"hkgit", "ladder", "git", "pygit2", "libgit2", "python"}
    result = doctor(based)
    assert result.code == 0
    assert "nothing is left of a crash" in result.out


def test_outside_a_repository_the_versions_are_told(make_repo: Any, tmp_path: Any) -> None:
    result = run("doctor", cwd=tmp_path)
    assert result.code == 7
    assert result.out.startswith("hkgit ")
    assert "is not in a git repository" in result.err


def test_a_bare_repository_can_be_looked_at(make_repo: Any) -> None:
    assert doctor(make_repo("bare.git", bare=True)).code == 0


def test_hooks_are_listed_with_their_owner(based: Repo) -> None:
    based.write_hook("commit-msg", "exec hkgit gate --message-file $1")
    based.write_hook("pre-push", "exit 0")
    based.write_hook("reference-transaction", "exit 0").chmod(0o644)
    own = based.path / ".git" / "hooks" / "pre-commit"
    own.write_bytes(render_script())
    own.chmod(0o755)
    owners = {"pre-commit: hkgit", "commit-msg: calls hkgit", "pre-push: foreign"}
    assert set(found(based)["hook"]) == owners


def test_what_is_at_work_is_told_and_left(based: Repo) -> None:
    based.git("bisect", "start")
    lock = based.write(".git/index.lock", "")
    journal = begun(based)
    told = found(based, "--fix")
    assert told["under way"][0].startswith("a bisect: nothing lands here")
    assert told["locked"][0].startswith(f"{lock}: git is running")
    assert told["running"] == [f"transaction {ID} of process 1, at objects"]
    assert lock.exists()
    journal.close()


def test_a_crash_is_told_and_with_fix_repaired(based: Repo) -> None:
    new = cut(based)
    result = doctor(based)
    assert result.code == 7
    assert "the checkout was not updated" in result.out
    assert "with --fix   the checkout is updated" in result.out
    assert (based.path / ".git" / "index.lock").exists()
    assert based.read("a") == b"1\n"

    told = found(based, "--fix")
    assert told["crashed"][0].startswith(f"transaction {ID} at ")
    assert told["fixed"] == ["what it left is removed"]
    assert (based.head, based.read("a"), based.status()) == (new, b"2\n", [])
    assert said(based)["status"] == "well"


def test_what_somebody_has_to_see_to_is_told(based: Repo) -> None:
    cut(based)
    based.write("a", "mine\n")
    document = said(based, "--fix")
    assert document["status"] == "stale"
    assert [each["name"] for each in document["checks"]][-2:] == ["crashed", "stuck"]
    result = doctor(based, "--fix")
    assert result.code == 7
    assert "git checkout HEAD -- a" in result.out


def apply(repo: Repo, *options: str) -> Result:
    spec = json.dumps({"file": "a", "old_text": "2\n", "new_text": "3\n"}).encode()
    return run("apply", "--stdin", *options, cwd=repo.path, stdin=spec)


def test_apply_repairs_first_and_quietly_but_in_a_dry_run(based: Repo) -> None:
    cut(based)
    apply(based, "--dry-run")
    assert (based.path / ".git" / "index.lock").exists()
    result = apply(based)
    assert result.code == 0, result.err
    assert "crash" not in result.err, result.err
    assert based.read("a") == b"3\n"
    assert based.status() == []


def test_apply_says_what_somebody_has_to_see_to(based: Repo) -> None:
    cut(based)
    based.write("a", "mine\n")
    result = apply(based)
    assert result.code == 7, result.err
    assert "was not updated to its branch" in result.err, result.err
    assert based.read("a") == b"mine\n"


LEFT = ".hkgit-0123456789abcdef"


@cases(
    {
        "what git has": ("1\n", []),
        "the beginning of it": ("", []),
        "what somebody saved": ("saved\n", ["hkgit-kept-0123456789abcdef"]),
    },
)
@pytest.mark.parametrize("folder", ["", "lib/deep"])
def test_what_a_dead_call_left_beside_files_is_found(
    text: str, kept: list[str], based: Repo, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """A removal that failed, on a disk that was gone, say."""
    based.commit({f"{folder}/c": "1\n"} if folder else {})
    left = based.write(f"{folder}/{LEFT}" if folder else LEFT, text)
    opened = open_repository(based)
    assert health.find_leftovers(opened) == []  # a call may be at work
    monkeypatch.setattr(health, "_AT_WORK", -1)
    assert health.find_leftovers(opened) == [f"{left} was left by a call that died"]
    said = health.find_leftovers(opened, fix=True)
    assert [each.name for each in left.parent.glob("*hkgit-*")] == kept
    assert len(said) == len(kept)
    assert health.find_leftovers(opened) == []


def test_another_program_of_the_name_hk_is_told(repo: Repo, tmp_path: Path) -> None:
    other = tmp_path / "bin/hk"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    path = {"PATH": f"{other.parent}{os.pathsep}{os.environ['PATH']}"}
    assert "another program" not in run("doctor", cwd=repo.path).out
    assert f"another program here, {other}" in run("doctor", cwd=repo.path, env=path).out

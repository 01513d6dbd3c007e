"""Merges, and what is not here to be judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.edits import EXECUTABLE, File
from hkgit.replay.findings import Verdict
from tests.applying.planning import protocol, replace_range
from tests.replay.commits import (
    AGENT,
    CRLF,
    PERSON,
    A,
    Change,
    applied,
    commit,
    files_of,
    judge,
    verdict,
)
from tests.repos import Repo


def branches(repo: Repo) -> tuple[str, str]:
    """Two branches that change a.py at its two ends, each with an entry."""
    start = repo.head
    left = commit(repo, applied(repo, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    repo.git("reset", "-q", "--hard", start)
    right = commit(repo, applied(repo, protocol(replace_range("a.py", A, 5, 5, "    pass"))))
    return left, right


def merged(
    repo: Repo, left: str, right: str, changes: dict[str, File | None], author: str = AGENT
) -> None:
    """A merge: what git makes of the parents, and more."""
    tree = repo.git("merge-tree", "--write-tree", left, right)
    files = {path: files_of(repo, tree).get(path) for path in files_of(repo, tree).paths()}
    merge = Change({**files, **changes}, message="Merge", parents=(left, right), author=author)
    commit(repo, merge)


def test_the_merge_that_git_makes_is_a_merge(started: Repo) -> None:
    merged(started, *branches(started), {})
    assert verdict(started) is Verdict.MERGE


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"a.py": File(b"evil\n")}, id="in a merged file"),
        pytest.param({"evil": File(b"evil\n")}, id="a new file"),
        pytest.param({"b.txt": None}, id="a file less"),
        pytest.param({"b.txt": File(CRLF, EXECUTABLE)}, id="a mode"),
    ],
)
def test_an_agents_merge_with_changes_of_its_own_fails(
    started: Repo, changes: dict[str, File | None]
) -> None:
    merged(started, *branches(started), changes)
    ruling = judge(started)
    assert (ruling.passes, ruling.rule) == (False, "merge")
    assert "make those in a commit after it" in ruling.findings[0].fix


def test_a_persons_merge_with_changes_is_nobodys_business(started: Repo) -> None:
    merged(started, *branches(started), {"b.txt": None}, PERSON)
    assert verdict(started) is Verdict.UNGOVERNED


@pytest.mark.parametrize("author", [AGENT, PERSON], ids=["agent", "person"])
def test_nobodys_merge_may_write_entries(started: Repo, author: str) -> None:
    entry: dict[str, File | None] = {f".hkgit/ledger/00/{'0' * 62}.json": File(b"{}\n")}
    merged(started, *branches(started), entry, author)
    assert (judge(started).passes, judge(started).rule) == (False, "merge")


def octopus(repo: Repo, author: str) -> None:
    left, right = branches(repo)
    repo.git("reset", "-q", "--hard", left)
    third = commit(repo, applied(repo, protocol(replace_range("b.txt", CRLF, 1, 1, "1"))))
    commit(repo, Change(message="Merge", parents=(left, right, third), author=author))


def test_an_agents_octopus_fails(started: Repo) -> None:
    octopus(started, AGENT)
    ruling = judge(started)
    assert (ruling.passes, ruling.rule) == (False, "merge")
    assert ruling.findings[0].fix == "Merge them one by one."


def test_a_persons_octopus_is_nobodys_business(started: Repo) -> None:
    octopus(started, PERSON)
    assert verdict(started) is Verdict.UNGOVERNED


def test_what_a_shallow_clone_left_out_is_unverifiable(started: Repo, tmp_path: Path) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    started.git("clone", "-q", "--depth=1", f"file://{started.path}", str(tmp_path / "shallow"))
    ruling = judge(Repo(tmp_path / "shallow"))
    assert (ruling.passes, ruling.judged.verdict, ruling.rule) == (
        False, Verdict.UNVERIFIABLE, "unverifiable",
    )  # fmt: skip
    assert "fetch-depth: 0" in ruling.findings[0].fix


def test_what_a_missing_blob_said_is_unverifiable(started: Repo) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    blob = started.git("rev-parse", "HEAD^:a.py")
    (started.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    ruling = judge(started)
    assert (ruling.passes, ruling.judged.verdict) == (False, Verdict.UNVERIFIABLE)

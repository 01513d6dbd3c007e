"""conftest.py: a history of agents' and people's work on one file."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from hkgit.edits import File
from tests.support.commits import AGENT, PERSON, Change, applied, commit, joined
from tests.support.repos import Repo
from tests.support.running import range_hash
from tests.support.specs import search_replace

TEXT = b"".join(b"line %d\n" % number for number in range(1, 13))


@dataclass(frozen=True)
class Trail:
    """The repository and its commits by name."""

    repo: Repo
    commits: dict[str, str]


def ranges(repo: Repo, *edits: tuple[int, int, str], path: str = "a.txt") -> str:
    """A protocol spec that replaces lines, each with its hash."""
    data = repo.read(path)
    return json.dumps(
        {
            "version": "1",
            "operations": [
                {
                    "op": "replace_range",
                    "path": path,
                    "start_line": start,
                    "end_line": end,
                    "expected_hash": range_hash(data, start, end),
                    "new_text": new,
                }
                for start, end, new in edits
            ],
        }
    )


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    repo = Repo.init(tmp_path_factory.mktemp("trail") / "repo")
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    commits = {"start": repo.head}
    commits["two edits"] = commit(
        repo, applied(repo, ranges(repo, (3, 3, "three\nthree b"), (10, 11, "ten")))
    )
    commits["by hand"] = commit(
        repo, Change({"a.txt": File(b"title\n" + repo.read("a.txt"))}, author=PERSON)
    )
    first = applied(repo, ranges(repo, (1, 1, "Title\nby an agent")))
    between = commit(repo, first)
    second = applied(repo, ranges(repo, (9, 9, "six")))
    repo.git("reset", "-q", "--hard", commits["by hand"])
    assert between != repo.head
    commits["two entries"] = commit(repo, joined(first, second))
    return Trail(repo, commits)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    """A blind edit, a blind commit, and a conflict that nobody was asked about."""
    repo = Repo.init(tmp_path_factory.mktemp("faulty") / "repo")
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    commits = {"start": repo.head}
    commits["blind edit"] = commit(repo, applied(repo, search_replace("line 3", "drei", "a.txt")))
    commits["blind commit"] = commit(
        repo, Change({"b.txt": File(b"x\n")}, author=AGENT, message="Add | `b` <b>\n")
    )
    tried = applied(repo, ranges(repo, (5, 5, "five")))
    tried.entry["claims"] |= {
        "refusals": [{"id": str(n), "path": "a.txt", "status": "stale"} for n in range(4)],
        "verify": {"command": "make | check", "exit_code": 0},
    }
    commits["conflict"] = commit(repo, tried)
    return Trail(repo, commits)

"""conftest.py: a history of agents' and people's work on one file."""

from dataclasses import dataclass

import pytest

from hkgit.edits import File, Spec
from tests.support.commits import AGENT, PERSON, Change, applied, commit, joined
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.specs import search_replace

TEXT = b"".join(b"line %d\n" % number for number in range(1, 13))


@dataclass(frozen=True)
class Trail:
    """The repository and its commits by name."""

    repo: Repo
    commits: dict[str, str]


def ranges(repo: Repo, *edits: tuple[int, int, str]) -> Spec:
    """Replace lines of a.txt, each with its hash."""
    data = repo.read("a.txt")
    return protocol(*(replace_range("a.txt", data, *each) for each in edits))


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    repo = Repo.init(tmp_path_factory.mktemp("trail") / "repo")
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    commits = {"start": repo.head}
    two = ranges(repo, (3, 3, "three\nthree b"), (10, 11, "ten"))
    commits["two edits"] = commit(repo, applied(repo, two))
    titled = File(b"title\n" + repo.read("a.txt"))
    commits["by hand"] = commit(repo, Change({"a.txt": titled}, author=PERSON))
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
    bare = Change({"b.txt": File(b"x\n")}, author=AGENT, message="Add | `b` <b>\n")
    commits["blind commit"] = commit(repo, bare)
    tried = applied(repo, ranges(repo, (5, 5, "five")))
    tried.entry["claims"] |= {
        "refusals": [{"id": str(n), "path": "a.txt", "status": "stale"} for n in range(4)],
        "verify": {"command": "make | check", "exit_code": 0},
    }
    commits["conflict"] = commit(repo, tried)
    return Trail(repo, commits)

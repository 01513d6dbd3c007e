"""gating.py: a repository with a policy and what may happen in it, for the tests of the gate."""

from hkgit.edits import File
from hkgit.evidence.verdict import CandidateCommit
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from tests.support.commits import PERSON, Change
from tests.support.objects import open_repository
from tests.support.planning import Operation, replace_range
from tests.support.repos import Repo

A = b"one\ntwo\nthree\n"
PYPROJECT = b"[project]\nname = 'x'\n\n[tool.hkgit.gate]\nmode = 'enforce'\n"


def begun(repo: Repo) -> Repo:
    """A repository with a text, a policy and a document."""
    repo.commit({"a.txt": A, "pyproject.toml": PYPROJECT, "docs/x.md": "x\n"}, "Begin")
    return repo


def good() -> Operation:
    return replace_range("a.txt", A, 2, 2, "zwei")


def blind() -> Operation:
    operation = good()
    del operation["expected_hash"]
    return operation


def by_hand(author: str, message: str | None = None) -> Change:
    return Change({"docs/x.md": File(b"y\n")}, author=author, message=message)


def staged(
    repo: Repo,
    files: dict[str, str | None],
    policy: Policy,
    *,
    author: str = PERSON,
    message: bytes | None = b"Say\n",
    shell: str | None = None,
) -> Ruling:
    """The ruling on the commit that git would make of these files."""
    for name, content in files.items():
        if content is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, content)
    repo.git("add", "-A")
    here = opened(repo)
    candidates = [
        CandidateCommit(None, here.index_tree(), parents, author, PERSON, message)
        for parents in here.commit_in_progress_parents()
    ]
    gate = Gate(here, policy, JudgeContext(on_client=True, shell=shell))
    return gate.judge_any(candidates)


def opened(repo: Repo) -> Repository:
    return open_repository(repo)

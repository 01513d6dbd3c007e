"""gating.py: a repository with a policy and what may happen in it, for the tests of the gate."""

from __future__ import annotations

from typing import Any

from hkgit.edits import File
from hkgit.gate.commit_range import judge_index
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


def staged(repo: Repo, files: dict[str, str | None], policy: Policy, **who: Any) -> Ruling:
    """The ruling on the commit that git would make of these files."""
    for name, content in files.items():
        if content is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, content)
    repo.git("add", "-A")
    identity = {"author": PERSON, "committer": PERSON, "message": b"Say\n", **who}
    report = judge_index(opened(repo), policy, **identity)
    [ruling] = report.rulings
    assert report.provisional
    return ruling


def opened(repo: Repo) -> Repository:
    return open_repository(repo)

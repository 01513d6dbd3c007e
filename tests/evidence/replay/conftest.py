"""conftest.py: the repositories that commits are made in."""

import pytest

from hkgit.text.document import BOM
from tests.support.attacks import governed_repository
from tests.support.commits import CRLF, A
from tests.support.repos import Repo


@pytest.fixture
def governed(repo: Repo) -> Repo:
    """A repository with some files, and one honest commit of an agent in its history."""
    return governed_repository(repo)


@pytest.fixture
def started(repo: Repo) -> Repo:
    """A repository with a few files of different sorts."""
    repo.commit({"a.py": A, "b.txt": CRLF, "bom": BOM + b"x\n"}, "Begin")
    return repo

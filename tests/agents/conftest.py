"""conftest.py: the repository that the streams of agents were recorded in."""

import pytest

from tests.agents.streaming import GREETING
from tests.agents.two_sessions import TEXT
from tests.support.repos import Repo
from tests.support.serving import preload_hooks


@pytest.fixture
def greeting(repo: Repo) -> Repo:
    """The repository that the streams were recorded in."""
    repo.commit({"greet.py": GREETING, ".gitattributes": b"* -text\n"})
    return repo


@pytest.fixture
def shared(repo: Repo) -> Repo:
    """A checkout in which two conversations are at work; see `two_sessions`."""
    preload_hooks(repo)
    repo.commit({"x.py": TEXT, "y.py": TEXT, ".gitattributes": "* -text\n"})
    return repo

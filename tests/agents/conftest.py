"""conftest.py: the repository that the streams of agents were recorded in."""

from __future__ import annotations

import pytest

from tests.agents.streaming import GREETING
from tests.support.repos import Repo


@pytest.fixture
def greeting(repo: Repo) -> Repo:
    """The repository that the streams were recorded in."""
    repo.commit({"greet.py": GREETING, ".gitattributes": b"* -text\n"})
    return repo

"""conftest.py: a branch that can be attested, and a key to do it with."""

import pytest

from tests.support.commits import PERSON, applied, commit
from tests.support.gating import begun, by_hand, good
from tests.support.planning import protocol
from tests.support.repos import Repo


@pytest.fixture
def judged(repo: Repo) -> Repo:
    """`topic`: an agent's commit with its entry, then a person's; `main` is where it began."""
    begun(repo)
    repo.git("checkout", "-q", "-b", "topic")
    commit(repo, applied(repo, protocol(good())))
    commit(repo, by_hand(PERSON))
    return repo

"""conftest.py: a repository with a log of work in it."""

from pathlib import Path

import pytest

from tests.support.adopting import APP
from tests.support.repos import Repo
from tests.support.serving import guard
from tests.support.transcripts import ClaudeLog


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository that is held to its gate."""
    repo = Repo.init(tmp_path_factory.mktemp("adopting") / "repo")
    return guard(repo, {"app.py": APP, "notes/plan.md": "# Plan\n\n- one\n- two\n"})


@pytest.fixture
def hooked(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


@pytest.fixture
def log(hooked: Repo) -> ClaudeLog:
    return ClaudeLog(hooked.path)

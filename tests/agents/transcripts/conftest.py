"""conftest.py: a repository with a log of work in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.workflows.setup import install
from tests.support.adopting import APP
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.serving import preload_hooks
from tests.support.transcripts import ClaudeLog


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository that is held to its gate."""
    repo = Repo.init(tmp_path_factory.mktemp("adopting") / "repo")
    repo.write("app.py", APP.encode())
    repo.write("notes/plan.md", b"# Plan\n\n- one\n- two\n")
    install(open_repository(repo), HOOKS)
    preload_hooks(repo)
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Begin")
    return repo


@pytest.fixture
def hooked(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


@pytest.fixture
def log(hooked: Repo) -> ClaudeLog:
    return ClaudeLog(hooked.path)

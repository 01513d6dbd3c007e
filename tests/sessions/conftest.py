"""conftest.py: a checkout or a repository, and an agent at its desk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sessions.committing import Work
from tests.support.repos import Repo
from tests.support.serving import guard
from tests.support.sessions import TextSession

LINES = "".join(f"line {number}\n" for number in range(1, 31))


def replacing(old: str, new: str, path: str = "a.py") -> str:
    """A spec of one edit."""
    return json.dumps({"file": path, "old_text": old, "new_text": new})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one file of thirty lines."""
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "checkout" / "a.py").write_text(LINES)
    return tmp_path / "checkout"


@pytest.fixture
def desk(root: Path) -> TextSession:
    return TextSession.open(root, "task", agent="tester/1")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One commit with two files; what a module begins with otherwise, it makes itself."""
    repo = Repo.init(tmp_path_factory.mktemp("recording") / "repo")
    repo.commit({"a.py": LINES, "b.py": LINES}, "Begin")
    return repo


@pytest.fixture(scope="session")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One that is held to its gate, for modules that name it their template."""
    repo = Repo.init(tmp_path_factory.mktemp("hooked") / "repo")
    repo.commit({"a.py": LINES, "b.py": LINES}, "Begin")
    return guard(repo)


@pytest.fixture
def work(template: Repo, tmp_path: Path) -> Work:
    """A copy of the template, and an agent at its desk there."""
    path = tmp_path / "repo"
    return Work(template.copy(path), TextSession.open(path, "task", agent="tester/1"))

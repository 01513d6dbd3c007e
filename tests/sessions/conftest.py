"""conftest.py: a checkout or a repository, and an agent at its desk."""

from pathlib import Path

import pytest

from tests.sessions.committing import LINES, Work
from tests.support.repos import Repo
from tests.support.serving import guard
from tests.support.sessions import TextSession


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one file of thirty lines."""
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "checkout" / "a.py").write_text(LINES)
    return tmp_path / "checkout"


@pytest.fixture
def desk(root: Path) -> TextSession:
    return TextSession.open(root, "task", agent="tester/1")


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One commit with two files."""
    repo = Repo.init(tmp_path_factory.mktemp("recording") / "repo")
    repo.commit({"a.py": LINES, "b.py": LINES}, "Begin")
    return repo


@pytest.fixture(scope="session")
def hooked(plain: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One that is held to its gate, for modules that name it their template."""
    return guard(plain.copy(tmp_path_factory.mktemp("hooked") / "repo"))


@pytest.fixture
def template(plain: Repo) -> Repo:
    """What a module begins with; otherwise, it makes that itself."""
    return plain


@pytest.fixture
def work(template: Repo, tmp_path: Path) -> Work:
    """A copy of the template, and an agent at its desk there."""
    path = tmp_path / "repo"
    return Work(template.copy(path), TextSession.open(path, "task", agent="tester/1"))

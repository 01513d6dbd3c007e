"""conftest.py: one server and clone, made once and copied for every test."""

from pathlib import Path

import pytest

from tests.support.repos import Repo
from tests.support.serving import Served, begin, commit, copied, preload_hooks


@pytest.fixture(scope="session")
def served_template(tmp_path_factory: pytest.TempPathFactory) -> Served:
    template = begin(tmp_path_factory.mktemp("served"))
    preload_hooks(template.server)
    return template


@pytest.fixture
def served(served_template: Served, tmp_path: Path) -> Served:
    return copied(served_template, tmp_path)


@pytest.fixture(scope="module")
def checkout(served_template: Served, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A clone as a runner makes it, of a server that has every branch and no hook in the way."""
    folder = tmp_path_factory.mktemp("ci")
    server = Repo.init(folder / "server.git", bare=True)
    served_template.clone.git("push", "-q", "--mirror", str(server.path))
    server.git("clone", "-q", str(server.path), str(folder / "checkout"))
    repo = Repo(folder / "checkout")
    repo.git("checkout", "-q", "-b", "tight")
    commit(repo, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})
    repo.git("checkout", "-q", "main")
    return repo

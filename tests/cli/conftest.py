"""conftest.py: repositories of real sources: hkgit's own, and those of click."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.running import Bench
from tests.repos import Repo

SOURCES = {
    "src/errors.py": ("hkgit", "errors.py"),
    "src/document.py": ("hkgit", "document.py"),
    "vendor/click/utils.py": ("click", "utils.py"),
    "vendor/click/core.py": ("click", "core.py"),
}


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Two commits of real sources on `main`, to be copied."""
    repo = Repo.init(tmp_path_factory.mktemp("sources") / "repo")
    real = {path: files(package).joinpath(name) for path, (package, name) in SOURCES.items()}
    repo.commit({"README.md": "Sources to work on\n"}, "Begin")
    repo.commit({path: source.read_bytes() for path, source in real.items()}, "Add sources")
    return repo


@pytest.fixture
def bench(sources: Repo, tmp_path: Path) -> Bench:
    """A copy of the sources' repository."""
    path = tmp_path / "repo"
    shutil.copytree(sources.path, path, symlinks=True)
    repo = Repo(path)
    repo.git("update-index", "-q", "--refresh")
    return make_bench(repo, tmp_path)


def make_bench(repo: Repo, tmp_path: Path) -> Bench:
    """A bench around any repository."""
    scratch, temporary = tmp_path / "scratch", tmp_path / "temporary"
    scratch.mkdir()
    temporary.mkdir()
    return Bench(repo, scratch, temporary)

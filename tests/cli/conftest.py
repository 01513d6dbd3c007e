"""conftest.py: repositories of real sources: hkgit's own, and those of click."""

from importlib.resources import files
from pathlib import Path

import pytest

from tests.support.repos import Repo
from tests.support.running import Bench, make_bench
from tests.support.specs import SOURCE, first_line, search_replace

SOURCES = {
    "src/errors.py": ("hkgit", "errors.py"),
    "src/document.py": ("hkgit", "text/document.py"),
    "vendor/click/utils.py": ("click", "utils.py"),
    "vendor/click/core.py": ("click", "core.py"),
}

AGENT = "--author=codex <agent@example.org>"


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
    return make_bench(sources.copy(tmp_path / "repo"), tmp_path)


@pytest.fixture
def bare(sources: Repo, tmp_path: Path) -> Bench:
    """A bare clone of it."""
    sources.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    return make_bench(Repo(tmp_path / "bare"), tmp_path)


@pytest.fixture(scope="session")
def history(sources: Repo, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A tag for every kind of commit, each on `start`."""
    place = tmp_path_factory.mktemp("history")
    repo = Repo(place / "repo")
    sources.git("clone", "-q", ".", str(repo.path))
    bench = make_bench(repo, place)
    repo.git("tag", "start")

    def tagged(name: str) -> None:
        repo.git("tag", name)
        repo.git("reset", "-q", "--hard", "start")

    assert bench.apply(first_line(bench, "one")).code == 0
    repo.git("tag", "strict")
    repo.commit({"README.md": "By hand\n"}, "By hand")
    tagged("good")
    assert bench.apply(search_replace()).code == 0
    tagged("blind-edit")
    repo.commit({"README.md": "By an agent\n"}, "By an agent", AGENT)
    tagged("blind-commit")
    assert bench.apply(first_line(bench, "one")).code == 0
    repo.write(SOURCE, repo.read(SOURCE) + b"#")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")
    tagged("smuggled")
    repo.commit({"README.md": "Here\n"})
    repo.git("merge", "-q", "-m", "Merge", "strict")
    tagged("merged")
    repo.commit({".hkgit/config.toml": '[gate]\nmode = "report"\n'}, "Go soft")
    repo.commit({"README.md": "Soft\n"}, "By an agent", AGENT)
    tagged("softened")
    return bench

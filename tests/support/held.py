"""held.py: repositories held to the gate, by plain hooks and by the framework.

A plugin of pytest, so that the folders that use these fixtures share what is made once.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.commands import (
    AGENT,
    FRAMEWORK_CONFIG,
    hkgit,
    install_framework,
    replace_line_two,
)
from tests.support.repos import MADE, Repo
from tests.support.serving import preload_hooks

NATIVE, STARTED, FRAMEWORK = "native hooks", "native hooks, started", "the framework"


def _gated(path: Path, config: str | None) -> Repo:
    """A repository with a policy and hooks, and a branch `evidence` with an agent's commit."""
    repo = Repo.init(path)
    files = {"app.py": "one\ntwo\nthree\n", "notes.md": "Notes\n"}
    if config is not None:
        files[".pre-commit-config.yaml"] = config
    repo.commit(files, "Begin")
    hkgit(repo, "init")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Hold commits to the gate")
    spec = replace_line_two(repo, "TWO\n")
    hkgit(repo, "apply", "-", "--branch", "evidence", stdin=spec, env=AGENT)
    if config is not None:
        install_framework(repo)
    return repo


@pytest.fixture(scope="session")
def framework_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The framework keeps its things out of everybody's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))
        yield


@pytest.fixture(scope="session")
def held(tmp_path_factory: pytest.TempPathFactory, framework_home: None) -> Callable[[str], Repo]:
    """Give a repository of each kind, made once, to be copied for every test."""
    folder = tmp_path_factory.mktemp("gated")

    @cache
    def make(kind: str) -> Repo:
        repo = _gated(folder / kind, FRAMEWORK_CONFIG if kind == FRAMEWORK else None)
        if kind == NATIVE:
            preload_hooks(repo)
        return repo

    return make


def _copied(template: Repo, path: Path) -> Repo:
    MADE.append(path)
    return template.copy(path)


@pytest.fixture(
    params=[NATIVE, *(pytest.param(kind, marks=pytest.mark.slow) for kind in (STARTED, FRAMEWORK))]
)
def gated(request: pytest.FixtureRequest, held: Callable[[str], Repo], tmp_path: Path) -> Repo:
    """A repository that is held to the gate, in every way."""
    return _copied(held(request.param), tmp_path / "gated")


@pytest.fixture
def native(held: Callable[[str], Repo], tmp_path: Path) -> Repo:
    """A repository with plain git hooks."""
    return _copied(held(NATIVE), tmp_path / "gated")


@pytest.fixture
def framework(held: Callable[[str], Repo], tmp_path: Path) -> Repo:
    """A repository whose hooks the framework runs."""
    return _copied(held(FRAMEWORK), tmp_path / "gated")

"""conftest.py: repositories held to the gate, by plain hooks and by the framework."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import (
    AGENT,
    FRAMEWORK_CONFIG,
    hkgit,
    install_framework,
    replace_line_two,
)
from tests.support.repos import Repo

NATIVE, FRAMEWORK = "native hooks", "the framework"


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


@pytest.fixture(scope="session", autouse=True)
def framework_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The framework keeps its things out of everybody's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))
        yield


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, framework_home: None) -> dict[str, Repo]:
    """ProposedEntry once, copied for every test."""
    folder = tmp_path_factory.mktemp("gated")
    return {
        NATIVE: _gated(folder / "native", None),
        FRAMEWORK: _gated(folder / "framework", FRAMEWORK_CONFIG),
    }


def _copied(template: Repo, path: Path) -> Repo:
    shutil.copytree(template.path, path, symlinks=True)
    repo = Repo(path)
    repo.git("status", env={"GIT_OPTIONAL_LOCKS": "1"})
    return repo


@pytest.fixture(params=[NATIVE, pytest.param(FRAMEWORK, marks=pytest.mark.slow)])
def gated(request: pytest.FixtureRequest, templates: dict[str, Repo], tmp_path: Path) -> Repo:
    """A repository that is held to the gate, in both ways."""
    return _copied(templates[request.param], tmp_path / "gated")


@pytest.fixture
def native(templates: dict[str, Repo], tmp_path: Path) -> Repo:
    """A repository with plain git hooks."""
    return _copied(templates[NATIVE], tmp_path / "gated")


@pytest.fixture
def framework(templates: dict[str, Repo], tmp_path: Path) -> Repo:
    """A repository whose hooks the framework runs."""
    return _copied(templates[FRAMEWORK], tmp_path / "gated")

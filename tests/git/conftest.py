"""conftest.py: what tests of the repository begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.repos import Repo


@pytest.fixture
def based(repo: Repo) -> Repo:
    """A repository with a commit to land on."""
    repo.commit({"a": "1\n", "b": "1\n", "dir/c": "1\n"}, "Base")
    return repo


@pytest.fixture
def temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary worktrees are made; a test can see that it is empty again."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(path))
    monkeypatch.setenv("TMPDIR", str(path))
    return path


@pytest.fixture(params=["sha1", "sha256"])
def each_format(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that ask for it run on repositories of both formats of objects."""
    monkeypatch.setenv("GIT_DEFAULT_HASH", request.param)

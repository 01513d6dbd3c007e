"""conftest.py: both who answer for a repository (see `hkgit.git.backend`)."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary worktrees are made; a test can see that it is empty again."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(path))
    return path


@pytest.fixture(
    params=[
        pytest.param({"HKGIT_GIT": "libgit2"}, id="libgit2"),
        pytest.param({"HKGIT_GIT": "program", "GIT_DEFAULT_HASH": "sha256"}, id="program"),
    ]
)
def each_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Tests that ask for it run on both: libgit2, and the git program on SHA-256."""
    environment: dict[str, str] = request.param
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment["HKGIT_GIT"]

"""conftest.py: what tests of the repository begin with, and both who answer for one."""

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


@pytest.fixture(
    params=[
        pytest.param({"HKGIT_GIT": "libgit2"}, id="libgit2"),
        pytest.param({"HKGIT_GIT": "program", "GIT_DEFAULT_HASH": "sha256"}, id="program"),
    ]
)
def each_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Tests that ask for it run on both backends: libgit2, and the git program on SHA-256."""
    environment: dict[str, str] = request.param
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment["HKGIT_GIT"]

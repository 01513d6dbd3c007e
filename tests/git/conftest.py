"""conftest.py: both who answer for a repository (see `hkgit.git.backend`)."""

from __future__ import annotations

import pytest


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

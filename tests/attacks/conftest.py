"""conftest.py: the repository that a module of attacks is made on, and both settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.gate.policy import Policy
from tests.attacks.landing import Landing
from tests.attacks.scene import GOVERN, Scene


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A repository with an honest past; no attack changes it for the others."""
    return Scene.at(tmp_path_factory.mktemp("attacks") / "repo")


@pytest.fixture(params=list(GOVERN))
def policy(request: pytest.FixtureRequest) -> Policy:
    """The built-in policy, holding to the rules agents, or everyone."""
    return GOVERN[request.param]


@pytest.fixture(params=["agents", "all"])
def landing(request: pytest.FixtureRequest, tmp_path: Path) -> Landing:
    return Landing.at(tmp_path, request.param)


@pytest.fixture
def strict(tmp_path: Path) -> Landing:
    return Landing.at(tmp_path, "all")

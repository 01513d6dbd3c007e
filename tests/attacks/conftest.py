"""conftest.py: the repository that a module of attacks is made on, and both settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hkgit.gate.policy.model import Policy
from tests.attacks.landing import Landing
from tests.attacks.scene import GOVERN, Scene
from tests.support.agreement import expect_agreement


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A repository with an honest past; no attack changes it for the others.

    In the end the second verifier judges every attack too: what hkgit refuses for its bytes, it
    never calls derived.
    """
    scene = Scene.at(tmp_path_factory.mktemp("attacks") / "repo")
    yield scene
    expect_agreement(scene.repo.path)


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

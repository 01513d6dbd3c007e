"""conftest.py: the repository that a module of attacks is made on, and both settings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hkgit.gate.policy.model import Policy
from tests.attacks.landing import Landing
from tests.attacks.scene import GOVERN, Scene
from tests.support.agreement import expect_agreement
from tests.support.keys import made_key
from tests.support.serving import Served, copied


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


@pytest.fixture
def served(template: Served, tmp_path: Path) -> Served:
    """A copy of the server and the clone that a module of attacks is made on."""
    return copied(template, tmp_path)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Ada may sign, Bob is known and may not, nobody knows Mallory."""
    folder = tmp_path_factory.mktemp("keys")
    return {name: made_key(folder / name) for name in ("ada", "bob", "mallory")}

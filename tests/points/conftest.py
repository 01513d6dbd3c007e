"""conftest.py: one server and clone, made once and copied for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.points.serving import Served, begin, copied


@pytest.fixture(scope="session")
def served_template(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return begin(tmp_path_factory.mktemp("served"))


@pytest.fixture
def served(served_template: Served, tmp_path: Path) -> Served:
    return copied(served_template, tmp_path)

"""conftest.py: the framework keeps its things out of everybody's home."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def _keep_home(framework_home: None) -> None:
    """For every test of the folder."""

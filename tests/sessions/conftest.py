"""conftest.py: a checkout, and an agent at its desk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.sessions.desk import Desk

LINES = "".join(f"line {number}\n" for number in range(1, 31))


def replacing(old: str, new: str, path: str = "a.py") -> str:
    """A spec of one edit."""
    return json.dumps({"file": path, "old_text": old, "new_text": new})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one file of thirty lines."""
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "checkout" / "a.py").write_text(LINES)
    return tmp_path / "checkout"


@pytest.fixture
def desk(root: Path) -> Desk:
    return Desk.open(root, "task", agent="tester/1")

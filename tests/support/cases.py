"""cases.py: a test as a table, each row under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def cases(names: str, rows: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Run a test for each row: a tuple with a value for each of the names, or the one value."""
    is_one = "," not in names
    params = [pytest.param(*([row] if is_one else row), id=name) for name, row in rows.items()]
    return pytest.mark.parametrize(names, params)

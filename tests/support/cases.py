"""cases.py: a test as a table, each row under its name."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., object])


def cases(
    names: str | Mapping[str, Any], rows: Mapping[str, Any] | None = None
) -> Callable[[Test], Test]:
    """Run a test for each row: a tuple with a value for each of the names, or the one value.

    Without names, the values are those of the test's first parameters.
    """
    table = names if rows is None else rows
    assert not isinstance(table, str)

    def parametrize(test: Test) -> Test:
        told = names.split(", ") if isinstance(names, str) else _name_values(test, table)
        params = [
            pytest.param(*([row] if len(told) == 1 else row), id=name)
            for name, row in table.items()
        ]
        marked: Test = pytest.mark.parametrize(told, params)(test)
        return marked

    return parametrize


def _name_values(test: Callable[..., object], rows: Mapping[str, Any]) -> list[str]:
    """Name the values of rows by the first parameters of a test."""
    sizes = {len(row) if isinstance(row, tuple) else 1 for row in rows.values()}
    return [*signature(test).parameters][: sizes.pop() if len(sizes) == 1 else 1]

"""properties.py: how many examples of a property are tried."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.support.repos import THOROUGH

FEWEST = 15


def examples(number: int) -> settings:
    """Try that many examples where all are asked for; else a third."""
    fewer = max(number // 3, min(number, FEWEST))
    return settings(max_examples=number if is_thorough() else fewer)


def is_thorough() -> bool:
    """Whether all examples are asked for, as `.ci/run` does."""
    return bool(os.environ.get(THOROUGH))

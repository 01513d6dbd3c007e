"""properties.py: how many examples of a property are tried, and how many cases of a kind."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import settings

from tests.support.repos import THOROUGH

FEWEST = 15


def examples(number: int) -> settings:
    """Try that many examples where all are asked for; else a third."""
    fewer = max(number // 3, min(number, FEWEST))
    return settings(max_examples=number if is_thorough() else fewer)


def sample(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Part the tests: those that a plain run tries, and the cases of a kind that it leaves out.

    Of a test with the mark `sampled` the first case of every three is tried; of slow ones, all.
    """
    seen = Counter[str]()
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_whole = item.get_closest_marker("sampled") is None
        is_kept = is_whole or item.get_closest_marker("slow") is not None or seen[test] % 3 == 0
        (kept if is_kept else left).append(item)
        seen[test] += 1
    return kept, left


def is_thorough() -> bool:
    """Whether all examples are asked for, as `.ci/run` does."""
    return bool(os.environ.get(THOROUGH))

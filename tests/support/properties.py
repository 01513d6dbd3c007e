"""properties.py: how many examples of a property are tried, and how many cases of a kind."""

import os
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import pytest
from hypothesis import settings

from tests.support.repos import THOROUGH

ONE_OF = 5
"""Of so many cases of a sampled test, and examples of a property, a plain run tries one."""

FEWEST = 15
"""Examples of a property that are always tried."""


def examples(number: int) -> settings:
    """Try that many examples where all are asked for; else a fifth."""
    fewer = max(number // ONE_OF, min(number, FEWEST))
    return settings(max_examples=number if is_thorough() else fewer)


def sample(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Part the tests: those that a plain run tries, and the cases of a kind that it leaves out.

    Of a test with the mark `sampled` every fifth case is tried; of slow ones, all. Tests begin at
    different cases, so that many that share their cases meet them all.
    """
    listed = list(items)
    counts = Counter(map(_name_test, listed))
    seen = Counter[str]()
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in listed:
        test = _name_test(item)
        is_whole = item.get_closest_marker("sampled") is None
        is_drawn = seen[test] % ONE_OF == crc32(test.encode()) % min(ONE_OF, counts[test])
        is_kept = is_whole or is_drawn or item.get_closest_marker("slow") is not None
        (kept if is_kept else left).append(item)
        seen[test] += 1
    return kept, left


def _name_test(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def is_thorough() -> bool:
    """Whether all examples are asked for, as `.ci/run` does."""
    return bool(os.environ.get(THOROUGH))

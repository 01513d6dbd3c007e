"""Count the rulings that a process holds, for tests of what is not kept."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator

from hkgit.gate.ruling import Ruling


def count_alive(rulings: Iterable[Ruling], alive: list[int], every: int = 40) -> Iterator[Ruling]:
    """Pass rulings on, and count now and then how many there are."""
    for number, ruling in enumerate(rulings, 1):
        if number % every == 0:
            alive.append(count_rulings())
        yield ruling


def count_rulings() -> int:
    """Count the rulings that were made in this process and not let go of."""
    gc.collect()
    return sum(type(each) is Ruling for each in gc.get_objects())

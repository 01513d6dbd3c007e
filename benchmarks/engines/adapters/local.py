"""local.py: the engines that run in this process: the usual str_replace rule, and hkgit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from benchmarks.engines.adapters import Answer, Engine


@contextmanager
def exact_unique() -> Iterator[Engine]:
    """Replace the old text where it stands exactly, if it stands there once."""
    yield _exact_unique


def _exact_unique(before: bytes, old: str, new: str) -> Answer:
    began = perf_counter()
    text = before.decode()
    count = text.count(old)
    after = text.replace(old, new).encode() if count == 1 else None
    return Answer(after, 1000 * (perf_counter() - began), f"{count} places")


@contextmanager
def hkgit() -> Iterator[Engine]:
    """This project, by its library."""
    from hkgit import Edit, apply_edits

    def engine(before: bytes, old: str, new: str) -> Answer:
        began = perf_counter()
        result = apply_edits([Edit(path="file", old_text=old, new_text=new)], {"file": before})
        spent = 1000 * (perf_counter() - began)
        outcome = result.outcomes[0]
        after = result.files.get("file", before) if result.ok else None
        return Answer(after, spent, f"{outcome.status}: {outcome.hint}", outcome.confidence)

    yield engine

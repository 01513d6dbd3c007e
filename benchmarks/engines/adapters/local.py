"""local.py: the engines that run in this process: the usual str_replace rule, and hkgit.

Their time is that of the processor, so that it means the same while other work goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time

from benchmarks.engines.adapters import Answer, Engine


@contextmanager
def exact_unique(cache: Path) -> Iterator[Engine]:
    """Replace the old text where it stands exactly, if it stands there once."""
    yield _exact_unique


def _exact_unique(
    before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
) -> Answer:
    began = thread_time()
    text = before.decode()
    count = text.count(old)
    after = text.replace(old, new).encode() if _is_due(count, replace_all) else None
    return Answer(after, 1000 * (thread_time() - began), f"{count} places")


def _is_due(count: int, replace_all: bool) -> bool:
    return count > 0 if replace_all else count == 1


@contextmanager
def hkgit(cache: Path) -> Iterator[Engine]:
    """This project by its library, on a file in memory."""
    from hkgit import Edit, apply_edits

    def engine(
        before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
    ) -> Answer:
        began = thread_time()
        edit = Edit(path, old, new, replace_all=replace_all)
        result = apply_edits([edit], {path: before})
        spent = 1000 * (thread_time() - began)
        outcome = result.outcomes[0]
        if outcome.error is not None:
            return Answer(None, spent, f"{outcome.status}: {outcome.error.what}")
        after = result.files.get(path, before)
        assert isinstance(after, bytes)
        reason = " ".join((outcome.tier or "", *outcome.repairs))
        return Answer(after, spent, reason, outcome.confidence, outcome)

    yield engine

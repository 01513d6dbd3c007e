"""local.py: the engines that run in this process: the usual str_replace rule, and hkgit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.engines.adapters import Answer, Engine


@contextmanager
def exact_unique(cache: Path) -> Iterator[Engine]:
    """Replace the old text where it stands exactly, if it stands there once."""
    yield _exact_unique


def _exact_unique(before: bytes, old: str, new: str) -> Answer:
    began = perf_counter()
    text = before.decode()
    count = text.count(old)
    after = text.replace(old, new).encode() if count == 1 else None
    return Answer(after, 1000 * (perf_counter() - began), f"{count} places")


@contextmanager
def hkgit(cache: Path) -> Iterator[Engine]:
    """This project by its library, on a file in memory."""
    from hkgit import Edit, apply_edits

    def engine(before: bytes, old: str, new: str) -> Answer:
        began = perf_counter()
        result = apply_edits([Edit("file", old, new)], {"file": before})
        spent = 1000 * (perf_counter() - began)
        outcome = result.outcomes[0]
        if outcome.error is not None:
            return Answer(None, spent, f"{outcome.status}: {outcome.error.what}")
        after = result.files.get("file", before)
        assert isinstance(after, bytes)
        reason = " ".join((outcome.tier or "", *outcome.repairs))
        return Answer(after, spent, reason, outcome.confidence)

    yield engine


@contextmanager
def hkgit_matching(cache: Path) -> Iterator[Engine]:
    """The matching of this project alone: a place located, and the change carried over."""
    from hkgit import matching
    from hkgit.document import Document, terminated, unterminated
    from hkgit.edits import Edit
    from hkgit.errors import HkgitError

    def engine(before: bytes, old: str, new: str) -> Answer:
        edit, settings = Edit("file", old, new), matching.Settings()
        began = perf_counter()
        try:
            document = terminated(Document(before))
            located = matching.locate(document, edit, settings)
            after = document.data
            for splice in reversed(matching.transfer(document, edit, located)):
                after = after[: splice.start] + splice.new + after[splice.end :]
        except HkgitError as error:
            return Answer(None, 1000 * (perf_counter() - began), f"{error.status}: {error.what}")
        after = after if Document(before).is_terminated else unterminated(after)
        reason = " ".join((located.tier, *located.repairs))
        spent = 1000 * (perf_counter() - began)
        return Answer(after, spent, reason, located.confidence / matching.FULL)

    yield engine

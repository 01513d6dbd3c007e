"""adapters: the engines that are measured. An engine takes a file and an edit, and answers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from hkgit.applying.outcome import EditOutcome


class NotInstalledError(Exception):
    """An engine that cannot be had here, and why; a report names it and gives no numbers."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The file after the edit, or None with the reason; the time is the engine's own, in ms.

    `outcome` is what hkgit itself says of an edit.
    """

    after: bytes | None
    milliseconds: float
    reason: str = ""
    confidence: float | None = None
    outcome: EditOutcome | None = None


class Engine(Protocol):
    """What is measured: the file at `path` after the edit of one place, or of all of them."""

    def __call__(
        self, before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
    ) -> Answer: ...


Session = AbstractContextManager[Engine]

"""adapters: the engines that are measured. An engine takes a file and an edit, and answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass


class NotInstalledError(Exception):
    """An engine that cannot be had here, and why; a report names it and gives no numbers."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The file after the edit, or None with the reason; the time is the engine's own, in ms."""

    after: bytes | None
    milliseconds: float
    reason: str = ""
    confidence: float | None = None


Engine = Callable[[bytes, str, str], Answer]
Session = AbstractContextManager[Engine]

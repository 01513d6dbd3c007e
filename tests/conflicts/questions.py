"""questions.py: a CONSULT as a value, for tests that need one and no conflict."""

from __future__ import annotations

from hkgit.conflicts.consulting import Answer, Consult
from hkgit.conflicts.records import Attempt, Conflict, Text


def consult(answer: Answer | None = None, path: str = "a.txt") -> Consult:
    nothing = Text(None, None, None)
    conflict = Conflict(
        "0" * 16, path, "codex/1", "protocol", "{}", None, nothing, nothing, (),
        (Attempt(0, "0" * 40, "stale"),),
    )  # fmt: skip
    return Consult(conflict, 0, (), answer)

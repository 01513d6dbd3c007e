"""questions.py: a CONSULT as a value, for tests that need one and no conflict."""

from __future__ import annotations

from hkgit.gate.conflicts.consulting import Consult, ConsultAnswer
from hkgit.gate.conflicts.records import ConflictRecord, ConflictTry, Text


def consult(answer: ConsultAnswer | None = None, path: str = "a.txt") -> Consult:
    nothing = Text(None, None, None)
    conflict = ConflictRecord(
        "0" * 16,
        path,
        "codex/1",
        "protocol",
        "{}",
        None,
        nothing,
        nothing,
        (),
        (ConflictTry(0, "0" * 40, "stale"),),
    )
    return Consult(conflict, 0, (), answer)

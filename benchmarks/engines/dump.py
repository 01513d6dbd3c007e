"""dump.py: one case in full, for the author of an engine."""

from __future__ import annotations

from difflib import unified_diff

from benchmarks.engines.report import Outcome


def dumped(outcome: Outcome) -> str:
    """The edit, what it should have made of the file, and what it did."""
    case, answer = outcome.case, outcome.answer
    title = f"=== {case.label}: {case.name} ({case.truth.verdict.value}; {outcome.grade.value}"
    parts = [
        f"{title}; {answer.reason})",
        _block("old text", case.old),
        _block("new text", case.new),
        _diff("expected", case.before, case.truth.ideal),
    ]
    if answer.after is not None:
        parts.append(_diff("got", case.before, answer.after))
    return "\n".join(parts) + "\n"


def _block(title: str, text: str) -> str:
    lines = (f"  {line!r}" for line in text.split("\n"))
    return "\n".join([f"--- {title}", *lines])


def _diff(title: str, before: bytes, after: bytes) -> str:
    diff = list(unified_diff(_lines(before), _lines(after), lineterm=""))[2:]
    shown = (line if line.startswith("@@") else f"  {line[:1]}{line[1:]!r}" for line in diff)
    return "\n".join([f"--- {title}", *shown])


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").split("\n")

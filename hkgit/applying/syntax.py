"""syntax.py: files that could be read as Python or JSON before a spec, and cannot after it."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.errors import InvalidInput


def checked(made: Plan, *, refuse: bool) -> Plan:
    """The plan with a note at the last edit of every file it breaks, or with that edit refused."""
    broken = dict(broken_files(made))
    if not broken:
        return made
    outcomes = list(made.outcomes)
    for change in made.files:
        wrong = broken.get(change.new_path or "")
        if wrong is not None:
            paths = (change.path, change.new_path)
            at = max(i for i, outcome in enumerate(outcomes) if outcome.path in paths)
            outcomes[at] = _refused(outcomes[at], wrong) if refuse else _noted(outcomes[at], wrong)
    return Plan(tuple(outcomes), () if refuse else made.files)


def _noted(outcome: EditOutcome, wrong: str) -> EditOutcome:
    return replace(outcome, notes=(*outcome.notes, f"the file {wrong}"))


def _refused(outcome: EditOutcome, wrong: str) -> EditOutcome:
    fix = "Mend the edit, or leave out --check-syntax."
    error = InvalidInput(outcome.path, f"the file {wrong}", fix)
    return EditOutcome(outcome.number, outcome.path, error.status, error=error)


def broken_files(made: Plan) -> Iterator[tuple[str, str]]:
    """The path of every file that a plan breaks, and what is wrong with it."""
    for change in made.files:
        if change.before is None or change.after is None:
            continue
        parse = _PARSERS.get((change.new_path or "").rpartition(".")[2])
        wrong = None if parse is None else parse(change.after.data)
        # Reading the file as it was can wait until there is something to tell: it takes long.
        if parse is not None and wrong is not None and parse(change.before.data) is None:
            yield change.new_path or "", wrong


def _python(data: bytes) -> str | None:
    """What keeps a file from being Python; None when nothing does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"is no longer Python: {error}"
    return None


def _json(data: bytes) -> str | None:
    """What keeps a file from being JSON; None when nothing does."""
    try:
        json.loads(data)
    except (ValueError, RecursionError) as error:
        return f"is no longer JSON: {error}"
    return None


_PARSERS: dict[str, Callable[[bytes], str | None]] = {
    "py": _python,
    "pyi": _python,
    "json": _json,
}

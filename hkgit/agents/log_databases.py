"""Read the databases in which some agents keep their sessions, while they may write to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path


def ask(path: Path, question: str, *values: object) -> Iterator[tuple[object, ...]]:
    """Yield the rows of an answer. Raises OSError where the database cannot be read."""
    try:
        place = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True, timeout=1)) as database:
            yield from database.execute(question, values)
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def knows_directory(path: Path, question: str, roots: Sequence[Path]) -> bool:
    """Whether a database answers with one of some directories, or one below it."""
    names = [str(root) for root in roots]
    try:
        found = [str(each) for (each,) in ask(path, question)]
    except OSError:
        return False
    return any(f"{each}/".startswith(f"{name}/") for each in found for name in names)

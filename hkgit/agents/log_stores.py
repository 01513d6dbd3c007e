"""Where agents keep their logs: folders and databases, and what finds those of a checkout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.logged_call import Find

_HEAD = 2**22
"""So many bytes of a log are searched for the path of a checkout."""


def does_mention(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a log names one of the checkouts near its beginning."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(str(root).encode() in head for root in roots)


def is_named_after(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a directory of a log is named after a checkout, or one below it.

    It is called by its path, with a dash for all that is no letter or digit.
    """
    slugs = [re.sub(r"[^A-Za-z0-9]", "-", str(root)) for root in roots]
    return any(f"{part}-".startswith(f"{slug}-") for part in path.parts for slug in slugs)


def find_below(
    variable: str,
    folder: str,
    pattern: str,
    is_of: Callable[[Path, Sequence[Path]], bool] = does_mention,
) -> Find:
    """Make what finds the logs that are of a checkout.

    They are in a folder that a variable names, or in one of the home.
    """

    def find(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
        found = Path(environment.get(variable) or home / folder).glob(pattern)
        return (path for path in found if is_of(path, roots))

    return find


def ask(place: Path, question: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of an answer; `:session` is one that a path below the database's names.

    It is "" for that path itself. Raises OSError where the database cannot be read.
    """
    import sqlite3  # two agents keep databases

    path, session = (place, "") if place.is_file() else (place.parent, place.name)
    try:
        where = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=1)) as database:
            yield from database.execute(question, {"session": session})
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def knows_directory(path: Path, roots: Sequence[Path], question: str) -> bool:
    """Whether a database answers with one of some directories, or one below it."""
    names = [str(root) for root in roots]
    try:
        found = [str(each) for (each,) in ask(path, question)]
    except OSError:
        return False
    return any(f"{each}/".startswith(f"{name}/") for each in found for name in names)

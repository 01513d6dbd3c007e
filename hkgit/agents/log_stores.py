"""Where agents keep their logs: folders and databases, and what finds those of a checkout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.logged_call import Find

_HEAD = 2**22
"""So many bytes of a log are searched for the path of a checkout."""


def find_projects(variable: str, folder: str) -> Find:
    """Make what finds the logs of an agent with a directory a project.

    That is named after its path, with a dash for all that is no letter or digit.
    """

    def find(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
        base = Path(environment.get(variable) or home / folder) / "projects"
        slugs = [re.sub(r"[^A-Za-z0-9]", "-", str(root)) for root in roots]
        for each in base.iterdir() if base.is_dir() else ():
            if any(each.name == slug or each.name.startswith(f"{slug}-") for slug in slugs):
                yield from each.rglob("*.jsonl")

    return find


def find_mentions(variable: str, folder: str, pattern: str) -> Find:
    """Make what finds the logs in an agent's folder that name a checkout, of any project."""

    def find(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
        found = Path(environment.get(variable) or home / folder).glob(pattern)
        return (path for path in found if does_mention(path, roots))

    return find


def find_database(folder: str, pattern: str, question: str) -> Find:
    """Make what finds the databases of all projects that answer with a checkout's directory."""

    def find(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
        base = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
        for path in base.glob(f"{folder}/{pattern}"):
            if knows_directory(path, question, roots):
                yield path

    return find


def does_mention(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a log names one of the checkouts near its beginning."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(str(root).encode() in head for root in roots)


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


def knows_directory(path: Path, question: str, roots: Sequence[Path]) -> bool:
    """Whether a database answers with one of some directories, or one below it."""
    names = [str(root) for root in roots]
    try:
        found = [str(each) for (each,) in ask(path, question)]
    except OSError:
        return False
    return any(f"{each}/".startswith(f"{name}/") for each in found for name in names)

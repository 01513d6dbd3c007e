"""Rows that a clone keeps of earlier runs, so that a report judges what is new alone.

No gate reads them. They are used only where nobody but the user can have written them, and only
of commits whose ruling hangs on their history alone. What cannot be kept changes no answer.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection

from hkgit.audit.commits import audit_commit
from hkgit.audit.tables.columns import OF_COMMITS
from hkgit.audit.tables.database import add_commits, open_database, quote_columns, transaction
from hkgit.audit.tables.rows import describe_judges, make_rows
from hkgit.errors import HkgitError
from hkgit.evidence.entry import digest
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository

_FOLDER = "hkgit/rows"
"""In the git directory: a database for each policy and each set of versions."""

_MOST = 8
"""Databases that stay; the one that was used the longest ago goes first."""


@contextmanager
def open_rows(
    repository: Repository,
    policy: Policy,
    commits: Sequence[str],
    rule: Callable[[Sequence[str]], Iterator[Ruling]],
    name: str = "",
) -> Iterator[Connection]:
    """Open a database with the rows of some commits; `rule` judges those that are not known.

    `name` is what the repository is called in them; without one there are no rows of files.
    """
    judge = describe_judges(policy)
    place = _find_place(repository, repr((*judge.values(), name)))
    files = repository if name else None
    with open_database() as database:
        known = set() if place is None else _take_known(database, place, commits)
        fresh = [each for each in commits if each not in known]
        rulings = rule(fresh)
        try:
            rows = (make_rows(files, audit_commit(each), policy, judge) for each in rulings)
            add_commits(database, name, rows)
        finally:
            if place is not None and fresh:
                _keep(database, place)
        yield database


def _find_place(repository: Repository, key: str) -> Path | None:
    """Find the file for a key; None where somebody else could write it."""
    folder = repository.common_dir / _FOLDER
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    is_own = hasattr(os, "geteuid") and status.st_uid == os.geteuid() and not folder.is_symlink()
    return folder / f"{digest(key.encode())}.db" if is_own and not status.st_mode & 0o022 else None


def _take_known(database: Connection, place: Path, commits: Sequence[str]) -> set[str]:
    """Copy the rows of those commits that are known; a file that cannot be read goes."""
    if not place.is_file():
        return set()
    try:
        with _attach(database, place), transaction(database):
            database.execute("CREATE TEMP TABLE asked (id TEXT PRIMARY KEY)")
            database.executemany("INSERT INTO asked VALUES (?)", ((each,) for each in commits))
            _copy(database, "kept", "main", "SELECT id FROM asked")
        return {name for (name,) in database.execute('SELECT "commit" FROM commits')}
    except sqlite3.DatabaseError:
        place.unlink(missing_ok=True)
        return set()


def _keep(database: Connection, place: Path) -> None:
    """Add what lasts to the file, as far as there is room."""
    lasting = "SELECT commit FROM main.commits WHERE lasting"
    with suppress(HkgitError, sqlite3.DatabaseError, OSError):
        with open_database(place):
            pass  # its tables are there now
        with _attach(database, place), transaction(database):
            _copy(database, "main", "kept", f"{lasting} EXCEPT SELECT commit FROM kept.commits")
        known = sorted(place.parent.glob("*.db"), key=lambda each: -each.stat().st_mtime)
        for path in known[_MOST:]:
            path.unlink(missing_ok=True)


@contextmanager
def _attach(database: Connection, place: Path) -> Iterator[None]:
    database.execute("ATTACH ? AS kept", (str(place),))
    try:
        yield
    finally:
        database.execute("DETACH kept")


def _copy(database: Connection, source: str, target: str, commits: str) -> None:
    """Copy the rows of some commits; those in `commits` are last, for they say what is there."""
    for table in reversed(OF_COMMITS):
        rows = f"SELECT * FROM {source}.{table} WHERE commit IN ({commits})"
        database.execute(quote_columns(f"INSERT INTO {target}.{table} {rows}"))

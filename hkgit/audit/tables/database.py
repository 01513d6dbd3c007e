"""Evidence as rows of one SQLite database, and those that a clone keeps."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.resources import files
from itertools import islice
from pathlib import Path
from sqlite3 import Connection

from hkgit.audit.commits import fold_agent
from hkgit.audit.tables.columns import (
    COUNT,
    FLAG,
    OF_COMMITS,
    REPOSITORY,
    SHARE,
    TABLES,
    VERSION,
    WORDS,
    EvidenceTable,
)
from hkgit.audit.tables.rows import Row, Rows, describe_judges, make_rows
from hkgit.errors import GitRefused, HkgitError, InvalidInput
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from hkgit.text.hashes import digest

FILE = "evidence.db"
"""The name of the database in a directory of tables."""

_MARK = 0x686B6974
"""What SQLite calls the id of the application: `hkit`."""

_PATIENCE = 60.0
"""Seconds to wait for another one who writes."""

_CHUNK = 200
"""Commits of one transaction."""

_KINDS = {WORDS: "WORDS", FLAG: "FLAG", COUNT: "INTEGER", SHARE: "REAL"}
"""How columns are declared that hold something else than text; Python reads lists and flags."""

sqlite3.register_converter("WORDS", json.loads)
sqlite3.register_converter("FLAG", lambda value: value != b"0")


def read_queries(name: str) -> dict[str, str]:
    """Read a file of SQL: by the remark above each query, the query."""
    text = files("hkgit.audit.tables").joinpath(name).read_text("utf-8")
    pieces = (piece.partition("\n") for piece in text.strip().split("\n\n"))
    return {words.removeprefix("-- "): sql.strip() for words, _, sql in pieces}


_COMMIT = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|\bcommit\b""",
    re.IGNORECASE | re.DOTALL,
)
"""The name of a column that is a word of SQL too; what is quoted or a remark is left as it is."""


def quote_columns(sql: str) -> str:
    """Quote the column `commit`, which SQLite takes for its statement where it is bare."""
    return _COMMIT.sub(
        lambda found: f'"{found[0]}"' if found[0].lower() == "commit" else found[0], sql
    )


@contextmanager
def open_database(path: Path | None = None) -> Iterator[Connection]:
    """Open a database of rows, which is made where it is not there; without a path for this once.

    Raises InvalidInput for a file of something else, or of a newer hkgit; GitRefused where it
    cannot be used.
    """
    with refuse_failures(path):
        database = sqlite3.connect(
            "" if path is None else path,
            timeout=_PATIENCE,
            isolation_level=None,
            detect_types=sqlite3.PARSE_DECLTYPES,
            check_same_thread=False,
        )
        with closing(database):
            database.create_function("fold_agent", 1, fold_agent, deterministic=True)
            _check_version(database, path)
            yield database


@contextmanager
def open_directory(directory: Path, *, is_new: bool = False) -> Iterator[Connection]:
    """Open the database of a directory of tables; `is_new` says that it may be made.

    Raises InvalidInput if there is none, or something else.
    """
    path = directory / FILE
    if not path.is_file() and not is_new:
        fix = "Write them first: hkgit export --to DIR"
        raise InvalidInput(str(directory), "is not a directory of tables", fix)
    if not path.exists() and directory.exists() and any(directory.iterdir()):
        raise InvalidInput(str(directory), "contains other files", "Name a new or empty directory.")
    directory.mkdir(parents=True, exist_ok=True)
    with open_database(path) as database:
        yield database


def _check_version(database: Connection, path: Path | None) -> None:
    """Make the tables of a new database; refuse what is not of this version."""
    reads = "PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"
    database.execute("BEGIN")  # One state of the file: another process may be making the tables.
    mark, version, tables = (database.execute(each).fetchone()[0] for each in reads)
    database.execute("COMMIT")
    if (mark, version, tables) == (0, 0, 0):
        _make_tables(database)
    elif mark != _MARK:
        raise InvalidInput(str(path), "is not a database of hkgit", "Name another place.")
    elif version != VERSION:
        what = f"has tables of version {version}, but this hkgit knows {VERSION}"
        raise InvalidInput(str(path), what, "Update hkgit, or name another place.")


_INDEXES = (
    'refusals_of ON refusals (repository, "commit")',
    "reverts_of ON commits (repository, reverts)",
)
"""What questions ask for beside the keys of tables."""


def _make_tables(database: Connection) -> None:
    with transaction(database):
        for table in TABLES.values():
            columns = [f'"{each.name}" {_KINDS.get(each.type, "TEXT")}' for each in table.columns]
            key = ", ".join(f'"{name}"' for name in table.key)
            columns.append(f"PRIMARY KEY ({key})")
            database.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({', '.join(columns)})")
        for index in _INDEXES:
            database.execute(f"CREATE INDEX IF NOT EXISTS {index}")
        database.execute(f"PRAGMA application_id = {_MARK}")
        database.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def transaction(database: Connection) -> Iterator[None]:
    """Let all that is written within count in one step, or none of it."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.rollback()
        raise
    database.commit()


@contextmanager
def refuse_failures(path: Path | None) -> Iterator[None]:
    """Turn what fails on a database into a refusal that names it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise explain_failure(error, str(path or "SQL")) from error
    except OSError as error:
        raise GitRefused(str(path), f"cannot be written: {error.strerror}", FREE_SPACE) from error


FREE_SPACE = (
    "Free some space or choose another place, then run it again: what has been judged is kept."
)


def explain_failure(error: sqlite3.Error, place: str) -> HkgitError:
    """Build the error for what SQLite says of a database as a file."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_NOTADB"):
        return InvalidInput(place, "is not a database of hkgit", "Name another place.")
    if name.startswith("SQLITE_BUSY"):
        return GitRefused(
            place, "another run is writing here", "Wait until it is done; run it again."
        )
    return GitRefused(place, str(error), FREE_SPACE)


def insert_rows(database: Connection, repository: str, rows: Mapping[str, Sequence[Row]]) -> None:
    """Write rows by the names of their tables, in place of those with the same key."""
    for name, some in rows.items():
        marks = ", ".join("?" * len(TABLES[name].columns))
        values = (_values(TABLES[name], {REPOSITORY: repository, **row}) for row in some)
        database.executemany(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", values)


def _values(table: EvidenceTable, row: Row) -> list[object]:
    found = (row[each.name] for each in table.columns)
    return [json.dumps(each) if isinstance(each, list) else each for each in found]


def add_commits(database: Connection, repository: str, rows: Iterable[Rows]) -> None:
    """Put the rows of commits in place of what is known of them; leave all others."""
    coming = iter(rows)
    while chunk := list(islice(coming, _CHUNK)):
        with transaction(database):
            _remove(database, repository, [each["commits"][0]["commit"] for each in chunk])
            for each in chunk:
                insert_rows(database, repository, each)


def list_held(
    database: Connection,
    repository: str,
    policy: Policy,
    *,
    with_open: bool = False,
    only_passing: bool = False,
) -> set[str]:
    """List the commits whose rows hold where they are judged now, under a policy.

    `with_open` says that no ref has changed that rows hang on which do not last by themselves.
    """
    asked = """SELECT commit FROM commits WHERE repository = :repository
        AND policy = :policy AND judged_by = :judged_by AND (lasting OR :with_open)
        AND replay <> 'unverifiable' AND (policy_passes OR NOT :only_passing)"""
    flags = {"with_open": with_open, "only_passing": only_passing}
    given = {"repository": repository, **flags, **describe_judges(policy)}
    return {name for (name,) in database.execute(quote_columns(asked), given)}


def update_rows(
    database: Connection,
    name: str,
    commits: Sequence[str],
    policy: Policy,
    rule: Callable[[Sequence[str]], Iterable[Ruling]],
    repository: Repository | None = None,
) -> int:
    """Let `rule` judge those of some commits whose rows do not hold, and write theirs.

    Return how many were judged. `name` is what the repository is called
    in the rows; without `repository` itself there are no rows of files.
    """
    held = list_held(database, name, policy)
    fresh = [each for each in commits if each not in held]
    add_commits(database, name, make_rows(rule(fresh), policy, repository))
    return len(fresh)


def keep_rulings(
    database: Connection, rulings: Iterable[Ruling], policy: Policy
) -> Iterator[Ruling]:
    """Pass rulings on, and write their rows by the chunk: a run that ends early has these."""
    passed: list[Ruling] = []
    try:
        for ruling in rulings:
            passed.append(ruling)
            if len(passed) == _CHUNK:
                add_commits(database, "", make_rows(passed, policy))
                passed.clear()
            yield ruling
    finally:
        add_commits(database, "", make_rows(passed, policy))


def restrict_rows(database: Connection, commits: Iterable[str]) -> None:
    """Let the tables have, for who asks from now on, the rows of some commits alone."""
    database.execute("CREATE TEMP TABLE asked (id TEXT PRIMARY KEY)")
    with transaction(database):
        database.executemany("INSERT INTO asked VALUES (?)", ((each,) for each in commits))
    for table in OF_COMMITS:
        rows = f"SELECT * FROM main.{table} WHERE commit IN (SELECT id FROM asked)"
        known = f"{rows} OR commit IS NULL" if table == "refusals" else rows
        database.execute(quote_columns(f"CREATE TEMP VIEW {table} AS {known}"))


def keep_only(database: Connection, repository: str, commits: Collection[str]) -> int:
    """Remove the rows of all commits of a repository but some; how many these were."""
    asked = 'SELECT "commit" FROM commits WHERE repository = ?'
    stay = set(commits)
    gone = [name for (name,) in database.execute(asked, (repository,)) if name not in stay]
    with transaction(database):
        _remove(database, repository, gone)
    return len(gone)


def _remove(database: Connection, repository: str, commits: Iterable[str]) -> None:
    named = [(repository, each) for each in commits]
    for table in OF_COMMITS:
        asked = f'DELETE FROM {table} WHERE repository = ? AND "commit" = ?'
        database.executemany(asked, named)


def note_refusals(database: Connection, repository: str, of_clone: Sequence[Row]) -> None:
    """Add the refusals that a clone has noted, until an entry claims them.

    They are kept though another clone exports, which has noted others.
    """
    named = [(repository, each["refusal"]) for each in of_clone]
    own = 'repository = ? AND "commit" IS NULL AND refusal'
    with transaction(database):
        database.executemany(f"DELETE FROM refusals WHERE {own} = ?", named)
        insert_rows(database, repository, {"refusals": of_clone})
        claimed = 'SELECT refusal FROM refusals WHERE repository = ? AND "commit" IS NOT NULL'
        database.execute(
            f"DELETE FROM refusals WHERE {own} IN ({claimed})", (repository, repository)
        )


_FOLDER = "hkgit/rows"
"""In the git directory: a database for each policy and each set of versions."""

_MOST = 8
"""Databases that stay; the one that was used the longest ago goes first."""


@contextmanager
def open_kept_rows(repository: Repository, policy: Policy, name: str = "") -> Iterator[Connection]:
    """Open the rows that a clone keeps for itself, of commits judged under a policy.

    `name` is what the repository is called in them. Where none can be kept they are for this once.
    """
    key = repr((*describe_judges(policy).values(), name))
    with open_database(_find_place(repository.common_dir / _FOLDER, key)) as database:
        yield database


def _find_place(folder: Path, key: str) -> Path | None:
    """Find the file for a key, emptied if it cannot be read; None where others could write it."""
    path = folder / f"{digest(key.encode())}.db"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        is_own = hasattr(os, "geteuid") and status.st_uid == os.geteuid()
        if not is_own or folder.is_symlink() or status.st_mode & 0o022:
            return None
        path.touch()
        for other in sorted(folder.glob("*.db"), key=lambda each: -each.stat().st_mtime)[_MOST:]:
            other.unlink(missing_ok=True)
        with open_database(path):
            return path
    except InvalidInput:
        path.write_bytes(b"")
        return path
    except (OSError, GitRefused):
        return None

"""SQL over the tables, locked down: nothing is written, and no other file is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from sqlite3 import Connection
from typing import TypeVar

from hkgit.audit.tables.database import explain_failure, quote_columns
from hkgit.errors import InvalidInput
from hkgit.text.escape import to_json_text
from hkgit.values import dataclass

Result = TypeVar("Result")

_CHUNK = 1000
_HELP = "hkgit schema tables names the columns, hkgit sql --examples prints example queries."
_ONLY_READS = "hkgit sql only reads. Copy the tables, or export them again, to change them."
_FILES = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_NOTADB")
"""What SQLite calls failures that have to do with a file, and not with the question."""

_DENIED = (
    "not authorized",
    "authorization denied",
    "prohibited",
    "may not be modified",
    "readonly",
)
_READS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


@dataclass(frozen=True)
class SqlAnswer:
    """The names of the columns, and the rows, to be read once."""

    names: tuple[str, ...]
    rows: Iterator[tuple[object, ...]]


def lock_tables(database: Connection) -> None:
    """Let nothing be asked of a database from now on but what reads its tables."""
    database.execute("PRAGMA query_only = true")
    database.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    # What a table function such as json_each is made of counts as a change of this table.
    is_function = action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"
    is_schema = action == sqlite3.SQLITE_PRAGMA and first == "table_info"
    is_code = action == sqlite3.SQLITE_FUNCTION and second == "load_extension"
    may = (action in _READS or is_schema or is_function) and not is_code
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def answer_sql(database: Connection, sql: str, place: str) -> SqlAnswer:
    """Answer one question to tables that are locked.

    Raises InvalidInput for what is none, or is wrong SQL.
    """
    question = quote_columns(to_json_text(sql))  # as text is in the tables
    with _refuse_errors(place):
        cursor = _run(database, lambda: database.execute(question))
    if cursor.description is None:
        raise InvalidInput("SQL", "asks nothing", "Give one query at a time.")
    return SqlAnswer(_number(each[0] for each in cursor.description), _fetch(cursor, place))


def _fetch(cursor: sqlite3.Cursor, place: str) -> Iterator[tuple[object, ...]]:
    with _refuse_errors(place):
        while rows := _run(cursor.connection, lambda: cursor.fetchmany(_CHUNK)):
            yield from rows


def _run(database: Connection, work: Callable[[], Result]) -> Result:
    """Do what may take long in a thread: SQLite hears of no signal, and this thread does."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            return done.result()
        except BaseException:
            database.interrupt()
            raise


def _number(names: Iterator[str]) -> tuple[str, ...]:
    """Names of columns, numbered where one comes again."""
    found: dict[str, None] = {}
    for name in names:
        number, shown = 2, name
        while shown in found:
            number, shown = number + 1, f"{name}_{number}"
        found[shown] = None
    return tuple(found)


@contextmanager
def _refuse_errors(place: str) -> Iterator[None]:
    """Turn what SQLite says into a refusal: of the files, of what writes, or of the question."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise InvalidInput("SQL", str(error), "Give one query at a time.") from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith(_FILES):
            raise explain_failure(error, place) from error
        is_denied = any(words in str(error) for words in _DENIED)
        what = "does more than read the tables" if is_denied else str(error)
        raise InvalidInput("SQL", what, _ONLY_READS if is_denied else _HELP) from error

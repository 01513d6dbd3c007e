"""SQL over tables, locked down.

DuckDB sees the files of the tables and no other, changes no setting, and runs one statement in a
transaction that only reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.store import TableDirectory
from hkgit.errors import GitRefused, InvalidInput
from hkgit.values import dataclass

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from hkgit.audit.tables.columns import EvidenceTable, TableColumn


AGAIN = "Make room or choose another place, then run it again: nothing there has changed."


_kept: dict[int, list[DuckDBPyConnection]] = {}
"""The database that a process keeps, by its number: a fork may not touch that of its parent."""


@contextmanager
def keep_duck() -> Iterator[None]:
    """Let all that opens DuckDB within use one database, which takes long to make."""
    process = os.getpid()
    if process in _kept:
        yield
        return
    kept: list[DuckDBPyConnection] = []
    _kept[process] = kept
    try:
        yield
    finally:
        del _kept[process]
        for each in kept:
            each.close()


@contextmanager
def open_duck() -> Iterator[DuckDBPyConnection]:
    """Open a database in memory, or a connection to the one that is kept.

    Temporary tables are those of the connection. Raises InvalidInput where DuckDB is not here.
    """
    require_duck()
    kept = _kept.get(os.getpid())
    if kept is None:
        with open_own_duck() as database:
            yield database
        return
    if not kept:
        kept.append(_connect())
    with kept[0].cursor() as database:
        database.execute("SET enable_progress_bar = false")
        yield database


@contextmanager
def open_own_duck() -> Iterator[DuckDBPyConnection]:
    """Open a database in memory that nobody else uses. Raises InvalidInput as `open_duck`."""
    with _connect() as database:
        database.execute("SET enable_progress_bar = false")
        yield database


def require_duck() -> None:
    """Load DuckDB. Raises InvalidInput where it is not here."""
    try:
        import_module("duckdb")
    except ImportError as error:
        fix = "Install it: pip install 'hkgit[tables]'"
        raise InvalidInput("tables", "need DuckDB, which is not here", fix) from error


def _connect() -> DuckDBPyConnection:
    require_duck()
    import duckdb

    database = duckdb.connect(":memory:")
    # Values of Python variables are nobody's tables, and nothing is fetched from anywhere.
    database.execute("SET python_enable_replacements = false")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    return database


@contextmanager
def refuse_failures(place: Path) -> Iterator[None]:
    """Turn what fails on files below a place into a refusal that names it."""
    import duckdb

    try:
        yield
    except duckdb.IOException as error:
        raise GitRefused(str(place), _shorten(str(error)), AGAIN) from error
    except OSError as error:
        raise GitRefused(str(place), f"cannot be written: {error.strerror}", AGAIN) from error


def _shorten(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "cannot be written"
    return first.removeprefix("IO Error: ")


def quote_text(text: str) -> str:
    """Write a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def list_texts(texts: Sequence[object]) -> str:
    """Write texts as a list of SQL."""
    return "[" + ", ".join(quote_text(str(each)) for each in texts) + "]"


def read_lines_of(path: Path, columns: Sequence[TableColumn]) -> str:
    """Write SQL that reads a file of JSON lines as a table."""
    kinds = ", ".join(f"{quote_text(each.name)}: {quote_text(each.type)}" for each in columns)
    options = f"format = 'newline_delimited', columns = {{{kinds}}}"
    return f"read_json({quote_text(_escape(path))}, {options})"


def _escape(path: Path) -> str:
    """A path in which no character is a pattern of names."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(path))


def select_table(table: EvidenceTable, paths: Sequence[Path]) -> str:
    """Write SQL that reads files of a table as one; the repository comes from their paths."""
    if not paths:
        nothing = ", ".join(f'NULL::{each.type} AS "{each.name}"' for each in table.columns)
        return f"(SELECT {nothing} WHERE false)"
    names = ", ".join(f'"{each.name}"' for each in table.columns)
    parts = list_texts([_escape(path) for path in paths])
    options = "hive_partitioning = true, hive_types = {'repository': 'VARCHAR'}"
    return f"(SELECT {names} FROM read_parquet({parts}, {options}))"


Result = TypeVar("Result")

_CHUNK = 1000
_HELP = "hkgit sql 'describe commits' names columns, hkgit sql --examples prints questions."
_ONLY_READS = "hkgit sql only reads. Copy the tables, or export them anew, to work on them."
_QUESTIONS = ("SELECT", "MULTI")
"""What DuckDB calls statements that may be questions; a PIVOT is one of several steps."""


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """The names and types of the columns, and the rows, to be read once."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: Iterator[tuple[object, ...]]


@contextmanager
def open_tables(directory: Path) -> Iterator[DuckDBPyConnection]:
    """Open a database with a view for each table of a directory, closed to everything else.

    Raises InvalidInput where there are no tables.
    """
    tables = TableDirectory.open(directory.absolute())
    parts = {name: tables.parts(name) for name in TABLES}
    with open_own_duck() as database:
        for name, table in TABLES.items():
            with _refuse_errors(directory):
                database.execute(f"CREATE VIEW {name} AS {select_table(table, parts[name])}")
        allowed = [path for paths in parts.values() for path in paths]
        database.execute(f"SET allowed_paths = {list_texts(allowed)}")
        database.execute("SET temp_directory = ''")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        database.execute("BEGIN TRANSACTION READ ONLY")
        yield database


def answer_sql(database: DuckDBPyConnection, sql: str, place: Path) -> SqlAnswer:
    """Answer one question. Raises InvalidInput for what is none, or is wrong SQL."""
    with _refuse_errors(place):
        statement = _find_question(database, sql)
    with _refuse_errors(place, above=1):
        # No statement within another may write: DuckDB then refuses it before anything runs.
        database.execute(f"EXPLAIN SELECT * FROM (\n{statement}\n)").fetchall()
    with _refuse_errors(place):
        _run(database, lambda: database.execute(statement))
    described = database.description or ()
    types = tuple(str(each[1]) for each in described)
    return SqlAnswer(_unique(str(each[0]) for each in described), types, _fetch(database, place))


def _find_question(database: DuckDBPyConnection, sql: str) -> str:
    """Find the one statement of a text, without what ends it."""
    statements = database.extract_statements(sql)
    if len(statements) != 1:
        what = f"holds {len(statements)} statements" if statements else "asks nothing"
        raise InvalidInput("SQL", what, "Ask one question at a time.")
    kind = statements[0].type.name
    if kind not in _QUESTIONS:
        raise InvalidInput("SQL", f"is no question, it is {kind}", _ONLY_READS)
    return statements[0].query.strip().rstrip(";")


def _fetch(database: DuckDBPyConnection, place: Path) -> Iterator[tuple[object, ...]]:
    with _refuse_errors(place):
        while rows := _run(database, lambda: database.fetchmany(_CHUNK)):
            yield from rows


def _run(database: DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Do what may take long in a thread: DuckDB hears of no signal, and this thread does."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            return done.result()
        except BaseException:
            database.interrupt()
            raise


def _unique(names: Iterator[str]) -> tuple[str, ...]:
    """Names of columns, numbered where one comes again."""
    found: dict[str, None] = {}
    for name in names:
        number, shown = 2, name
        while shown in found:
            number, shown = number + 1, f"{name}_{number}"
        found[shown] = None
    return tuple(found)


@contextmanager
def _refuse_errors(place: Path, above: int = 0) -> Iterator[None]:
    """Turn what DuckDB says into a refusal: of the files, of what writes, or of the question.

    So many lines stand `above` the question in what DuckDB was given.
    """
    import duckdb

    try:
        yield
    except duckdb.PermissionException as error:
        raise InvalidInput("SQL", _explain(error, above), "Ask the tables alone.") from error
    except duckdb.IOException as error:
        fix = "Run it again; an export may just have replaced them."
        raise GitRefused(str(place), f"tables cannot be read: {_explain(error)}", fix) from error
    except (duckdb.OutOfMemoryException, duckdb.FatalException) as error:
        raise GitRefused("SQL", _explain(error), "Ask for less at a time.") from error
    except duckdb.Error as error:
        writes = "must be at the top level" in str(error) or "read-only" in str(error)
        what = "would write" if writes else _explain(error, above)
        raise InvalidInput("SQL", what, _ONLY_READS if writes else _HELP) from error


def _explain(error: Exception, above: int = 0) -> str:
    """What DuckDB says: the sentence, the line, and the mark below it."""
    kind, _, text = str(error).strip().partition(": ")
    message = text if kind.endswith("Error") else f"{kind}: {text}"
    lines = [line for line in message.split("\n") if line.strip()]
    return re.sub(r"(?m)^LINE (\d+):", lambda n: f"LINE {int(n[1]) - above}:", "\n".join(lines))

"""duck.py: the one door to DuckDB, which the extra `hkgit[tables]` brings; no hook comes here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from hkgit.errors import GitRefused, InvalidInput

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

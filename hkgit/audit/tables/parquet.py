"""Tables as Parquet files for other engines, written by DuckDB where the extra is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hkgit.audit.tables.columns import REPOSITORY, TABLES, EvidenceTable
from hkgit.audit.tables.identity import quote_name
from hkgit.errors import GitRefused

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FILE = "rows.parquet"


def has_duck() -> bool:
    """Whether DuckDB is installed."""
    return find_spec("duckdb") is not None


@contextmanager
def open_duck() -> Iterator[DuckDBPyConnection]:
    """Open a database of DuckDB in memory, which fetches nothing from anywhere."""
    import duckdb

    with duckdb.connect(":memory:") as database:
        for name in ("python_enable_replacements", "autoinstall_known_extensions"):
            database.execute(f"SET {name} = false")
        database.execute("SET enable_progress_bar = false")
        yield database


def write_parquet(
    duck: DuckDBPyConnection,
    database: Connection,
    directory: Path,
    repository: str,
    names: Sequence[str] = tuple(TABLES),
) -> None:
    """Write a repository's rows of some tables, each file in the place of the one before.

    Raises GitRefused where they cannot be written.
    """
    import duckdb

    try:
        with TemporaryDirectory(prefix=".draft-", dir=directory) as draft:
            for name in names:
                part = _write_part(duck, database, TABLES[name], Path(draft), repository)
                place = directory / name / f"{REPOSITORY}={quote_name(repository)}"
                place.mkdir(parents=True, exist_ok=True)
                part.replace(place / FILE)
    except (duckdb.IOException, OSError) as error:
        fix = "Make room or choose another place, then run it again: what is judged is kept."
        raise GitRefused(str(directory), str(error).partition("\n")[0], fix) from error


def _write_part(
    duck: DuckDBPyConnection,
    database: Connection,
    table: EvidenceTable,
    draft: Path,
    repository: str,
) -> Path:
    lines, part = draft / "rows.jsonl", draft / FILE
    names = ", ".join(f'"{each.name}"' for each in table.stored)
    asked = f"SELECT {names} FROM {table.name} WHERE repository = ? ORDER BY rowid"
    with lines.open("w", encoding="utf-8") as file:
        for row in database.execute(asked, (repository,)):
            values = zip((each.name for each in table.stored), row, strict=True)
            file.write(json.dumps(dict(values)) + "\n")
    kinds = ", ".join(f"'{each.name}': '{each.type}'" for each in table.stored)
    source = f"read_json(?, format = 'newline_delimited', columns = {{{kinds}}})"
    target = "(FORMAT parquet, COMPRESSION zstd)"
    place = str(part).replace("'", "''")
    duck.execute(f"COPY (SELECT {names} FROM {source}) TO '{place}' {target}", [str(lines)])
    with part.open("rb") as file:
        os.fsync(file.fileno())
    return part

"""The columns of the tables, with units and meanings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

VERSION = 3
"""The version of the schema: higher where a column goes or means something else."""

TEXT, WORDS, COUNT, SHARE = "VARCHAR", "VARCHAR[]", "BIGINT", "DOUBLE"
FLAG, MOMENT = "BOOLEAN", "TIMESTAMP"
REPOSITORY = "repository"
"""The column by which the tables are partitioned; it is in the path of each file."""


@dataclass(frozen=True)
class TableColumn:
    """One column: its type as DuckDB names it, what it means, in which unit; `may_lack` a value."""

    name: str
    type: str
    words: str
    unit: str = ""
    may_lack: bool = False


@dataclass(frozen=True)
class EvidenceTable:
    """One table; a row is named by its `key`."""

    name: str
    words: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]

    @property
    def stored(self) -> tuple[TableColumn, ...]:
        """The columns that are in the files: all but that of the partition."""
        return tuple(each for each in self.columns if each.name != REPOSITORY)


def _read_tables() -> Iterator[EvidenceTable]:
    """Read the page of the tables: of each a section with words, key, and a row a column."""
    _, *sections = Path(__file__).with_name("table_page.md").read_text("utf-8").split("\n## ")
    for section in sections:
        name, words, key, listed = section.strip().split("\n\n")
        rows = ([cell.strip() for cell in row.split("|")[1:-1]] for row in listed.split("\n")[2:])
        columns = (
            TableColumn(column.strip("`"), kind, meaning, unit, may_lack=lacks == "yes")
            for column, kind, unit, lacks, meaning in rows
        )
        yield EvidenceTable(name, words, tuple(key.split("`")[1::2]), tuple(columns))


TABLES: Mapping[str, EvidenceTable] = {each.name: each for each in _read_tables()}
"""The tables by name; `repositories` alone has rows that belong to no commit or refusal."""

OF_COMMITS = tuple(name for name in TABLES if name != "repositories")
"""The tables whose rows come from commits."""


_TYPES = {COUNT: "integer", FLAG: "boolean", MOMENT: "string", SHARE: "number", TEXT: "string"}


def tables_schema() -> JsonObject:
    """Build a JSON Schema of rows as JSON has them, such as `hkgit sql --json` prints."""
    listed = {name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in TABLES}
    return {
        "description": f"Rows of the tables of `hkgit export`, version {VERSION}, by table.",
        "type": "object",
        "properties": listed,
        "$defs": {name: _row_schema(table) for name, table in TABLES.items()},
    }


def _row_schema(table: EvidenceTable) -> JsonObject:
    return {
        "description": table.words,
        "type": "object",
        "properties": {each.name: _column_schema(each) for each in table.columns},
        "required": [each.name for each in table.columns],
    }


def _column_schema(column: TableColumn) -> JsonObject:
    kind = "array" if column.type == WORDS else _TYPES[column.type]
    schema: JsonObject = {"description": column.words}
    schema["type"] = [kind, "null"] if column.may_lack else kind
    schema |= {"items": {"type": "string"}} if kind == "array" else {}
    schema |= {"minimum": 0, "maximum": 1} if column.type == SHARE else {}
    return schema | ({"unit": column.unit} if column.unit else {})

"""describing.py: the schema of the tables for readers: as Markdown, and as a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.audit.tables.columns import (
    COUNT,
    FLAG,
    MOMENT,
    SHARE,
    TABLES,
    TEXT,
    VERSION,
    WORDS,
    EvidenceTable,
    TableColumn,
)
from hkgit.text.json_nodes import JsonObject

_TYPES = {COUNT: "integer", FLAG: "boolean", MOMENT: "string", SHARE: "number", TEXT: "string"}


def describe_tables() -> Iterator[str]:
    """Describe each table and column in lines of Markdown."""
    for table in TABLES.values():
        yield from (f"## {table.name}", "", table.words, "")
        yield f"Key: {', '.join(f'`{name}`' for name in table.key)}."
        yield from ("", "| column | type | unit | null | meaning |", "|---|---|---|---|---|")
        for each in table.columns:
            lacks = "yes" if each.may_lack else ""
            yield f"| `{each.name}` | {each.type} | {each.unit} | {lacks} | {each.words} |"
        yield ""


def tables_schema() -> JsonObject:
    """Build a JSON Schema of rows as JSON has them, such as `hkgit sql --json` prints."""
    listed = {name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in TABLES}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:hkgit:tables:v{VERSION}",
        "title": "hkgit tables",
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

"""Hkgit's own spec, version 1: line ranges of the base, each with its hash.

Strict on purpose: unknown keys, paths that are not normal and values of another type are
refused, because a spec in this dialect is written by programs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from hkgit.dialects.dialect import NO_BLOCK, ParseResult, refuse_unsupported, split_lines
from hkgit.dialects.file_names import require_normal
from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
)
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node, read_expected_hash
from hkgit.values import dataclass

NAME = "protocol"
SEQUENTIAL = False
JSON = True
BLOCK = NO_BLOCK

VERSION = "1"

Fields = dict[str, Node]


def detects(text: str) -> bool:
    found = strict_json.collect_keys(text)
    return "operations" in found and not found.isdisjoint({"op", "version"})


def parse(text: str) -> ParseResult:
    document = strict_json.parse_document(text)
    fields = document.fields(("version", "operations"), ("base", "agent", "summary"))
    if fields["version"].value != VERSION:
        raise fields["version"].wrong(f'"{VERSION}"', f'Write "version": "{VERSION}".')
    about = {key: _line(fields[key]) for key in ("base", "agent", "summary") if key in fields}
    edits = tuple(map(_operation, fields["operations"].items()))
    return ParseResult(edits, about.get("base"), about.get("agent"), about.get("summary"))


def render(edits: Sequence[AnyEdit]) -> str:
    return strict_json.dumps({"version": VERSION, "operations": [_render(edit) for edit in edits]})


@dataclass(frozen=True, slots=True)
class _Operation:
    """The keys of an operation beside `op` and `path`, and what they make."""

    read: Callable[[str, Fields, str | None], AnyEdit]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ("expected_hash",)


def _operation(node: Node) -> AnyEdit:
    name = node.members("an operation").get("op")
    known = f"Operations: {', '.join(_OPERATIONS)}."
    if name is None:
        raise InvalidInput(node.path, 'missing key "op"', known)
    operation = _OPERATIONS.get(name.text())
    if operation is None:
        raise name.wrong("the name of an operation", known)
    fields = node.fields(("op", "path", *operation.required), operation.optional)
    if "new_lines" in operation.optional and ("new_text" in fields) == ("new_lines" in fields):
        found = "both" if "new_text" in fields else "neither"
        raise InvalidInput(
            node.path, f'expected either "new_text" or "new_lines", found {found}', "Keep one."
        )
    path = require_normal(fields["path"].name("a path"), fields["path"].path)
    return operation.read(path, fields, read_expected_hash(fields))


def _replace_range(path: str, fields: Fields, expected: str | None) -> ReplaceRange:
    has_lines = not fields.keys().isdisjoint(_LINES[:2])
    return ReplaceRange(path, *_range(fields), _new_lines(fields) if has_lines else (), expected)


def _insert_after(path: str, fields: Fields, expected: str | None) -> InsertAfter:
    return InsertAfter(path, fields["after_line"].integer(0), _new_lines(fields), expected)


def _rename_file(path: str, fields: Fields, expected: str | None) -> RenameFile:
    new_path = fields["new_path"]
    return RenameFile(path, require_normal(new_path.name("a path"), new_path.path), expected)


def _replace_text(path: str, fields: Fields, expected: str | None) -> Edit:
    old_text = fields["old_text"].name("the text to replace")
    return Edit(path, old_text, fields["new_text"].text(), expected)


_HASHED = (Edit, ReplaceRange, InsertAfter, DeleteFile, RenameFile)
_RANGE = ("start_line", "end_line")
_LINES = ("new_text", "new_lines", "expected_hash")
_OPERATIONS = {
    "replace_range": _Operation(_replace_range, _RANGE, _LINES),
    "insert_after": _Operation(_insert_after, ("after_line",), _LINES),
    "delete_range": _Operation(_replace_range, _RANGE),
    "create_file": _Operation(
        lambda p, each, _: CreateFile(p, each["new_text"].text()), ("new_text",), ()
    ),
    "delete_file": _Operation(lambda path, _, expected: DeleteFile(path, expected), ()),
    "rename_file": _Operation(_rename_file, ("new_path",)),
    "replace_text": _Operation(_replace_text, ("old_text", "new_text")),
}


def _range(fields: Fields) -> tuple[int, int]:
    start_line = fields["start_line"].integer(1)
    return start_line, fields["end_line"].integer(start_line)


def _new_lines(fields: Fields) -> tuple[str, ...]:
    if "new_text" in fields:
        return split_lines(fields["new_text"].text())
    return fields["new_lines"].lines()


def _line(node: Node) -> str:
    text = node.name("one line of text")
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in text):
        raise node.wrong("one line of text without control characters")
    return text


def _render(edit: AnyEdit) -> dict[str, object]:
    fields = {"op": "", "path": edit.path} | _keys(edit)
    expected = edit.expected_hash if isinstance(edit, _HASHED) else None
    return fields if expected is None else fields | {"expected_hash": expected}


def _keys(edit: AnyEdit) -> dict[str, object]:
    match edit:
        case ReplaceRange(start_line=start, end_line=end, new_lines=()):
            return {"op": "delete_range", "start_line": start, "end_line": end}
        case ReplaceRange(start_line=start, end_line=end, new_lines=lines):
            lines_said = {"start_line": start, "end_line": end, "new_lines": list(lines)}
            return {"op": "replace_range", **lines_said}
        case InsertAfter(after_line=after, new_lines=lines):
            return {"op": "insert_after", "after_line": after, "new_lines": list(lines)}
        case CreateFile(path, text) if edit == CreateFile(path, text):
            return {"op": "create_file", "new_text": text}
        case DeleteFile(old_text=None):
            return {"op": "delete_file"}
        case RenameFile(new_path=new_path):
            return {"op": "rename_file", "new_path": new_path}
        case Edit(path, old, new, expected) if old and edit == Edit(path, old, new, expected):
            return {"op": "replace_text", "old_text": old, "new_text": new}
    raise refuse_unsupported(NAME, edit)

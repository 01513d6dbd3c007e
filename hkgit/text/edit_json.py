"""The one written form of an edit: a JSON object with `op`, and the fields of the edit by name.

The ledger, the journal of a session and the dialect `protocol` write edits so. A field that says
nothing is left out; bytes that are not UTF-8 are as base64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hkgit.edits import (
    EXECUTABLE,
    NOTATIONS,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
    decode_text,
    encode_text,
)
from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json, JsonObject, Node, check_fields, read_hash
from hkgit.values import defaults_of, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPERATIONS: Mapping[str, type[AnyEdit]] = {
    "replace_text": Edit,
    "replace_range": ReplaceRange,
    "insert_after": InsertAfter,
    "replace_tagged": TagEdit,
    "create_file": CreateFile,
    "write_file": WriteFile,
    "delete_file": DeleteFile,
    "rename_file": RenameFile,
    "set_mode": SetMode,
}
_NAMES = {kind: name for name, kind in OPERATIONS.items()}
_UNWRITTEN = "suspects"  # What a parser doubts is settled before an edit is written
_FIELDS = {
    kind: {name: defaults_of(kind).get(name, ...) for name in fields_of(kind) if name != _UNWRITTEN}
    for kind in OPERATIONS.values()
}
"""What each kind is written with, and the values that are left out; `...` for those that never."""
_REQUIRED = {
    kind: ("op", *(name for name, default in fields.items() if default is ...))
    for kind, fields in _FIELDS.items()
}
_KNOWN = f"Operations: {', '.join(OPERATIONS)}."


def write_edit(edit: AnyEdit) -> JsonObject:
    """Write an edit."""
    kind = type(edit)
    written: JsonObject = {"op": _NAMES[kind]}
    for name, default in _FIELDS[kind].items():
        value = getattr(edit, name)
        if value != default:
            written[name] = _write_value(name, value)
    return written


def _write_value(name: str, value: object) -> Json:
    if name == "mode":
        return f"{value:06o}"
    if isinstance(value, tuple):
        return [text_json(each) for each in value]
    return text_json(value) if isinstance(value, str) else value


def parse_edit(node: Node) -> AnyEdit:
    """Parse what `write_edit` wrote; raises InvalidInput that names the path."""
    members = node.members("an operation")
    name = members.get("op")
    if name is None:
        raise InvalidInput(node.path, 'missing key "op"', _KNOWN)
    kind = OPERATIONS.get(name.text())
    if kind is None:
        raise name.wrong("the name of an operation", _KNOWN)
    check_fields(node.path, members, _REQUIRED[kind], _FIELDS[kind])
    read = {key: _READERS[key](each) for key, each in members.items() if key != "op"}
    if "end_line" in members:
        members["end_line"].integer(members["start_line"].integer(1))
    return kind(**read)


def expect_sayable(dialect: str, edits: Iterable[AnyEdit]) -> None:
    """Raise InvalidInput for an edit of a kind that a dialect has no words for."""
    kinds = NOTATIONS[dialect].kinds
    for edit in edits:
        if kinds and type(edit) not in kinds:
            what = f"{dialect} cannot express this {type(edit).__name__}"
            raise InvalidInput(edit.path, what, "Write it in the dialect `protocol`.")


def text_json(text: str) -> Json:
    """Write text as a JSON string, or as base64 where its bytes are not UTF-8."""
    if text.isascii():
        return text
    data = encode_text(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        import base64  # few texts are not UTF-8

        return {"base64": base64.b64encode(data).decode()}


def decode_base64(written: str) -> str:
    """Decode text that `text_json` wrote as base64. Raises ValueError for any other."""
    import base64

    text = decode_text(base64.b64decode(written, validate=True))
    if text_json(text) != {"base64": written}:
        raise ValueError("base64 in its usual form, of bytes that are not UTF-8")
    return text


def _text(node: Node) -> str:
    if not isinstance(node.value, dict):
        return node.text()
    written = node.fields(("base64",), ())["base64"]
    try:
        return decode_base64(written.text())
    except ValueError as error:
        raise written.wrong("base64 of bytes that are not UTF-8") from error


def _name(node: Node) -> str:
    return _text(node) if isinstance(node.value, dict) else node.name("a path")


def _lines(node: Node) -> tuple[str, ...]:
    return tuple(map(_text_line, node.items("a list of lines")))


def _text_line(node: Node) -> str:
    if not isinstance(node.value, str | dict) or "\n" in (text := _text(node)):
        raise node.wrong("a line without \\n", "Give one item for each line.")
    return text


def _mode(node: Node) -> int:
    modes = {f"{mode:06o}": mode for mode in (REGULAR, EXECUTABLE)}
    if node.text() not in modes:
        raise node.wrong(" or ".join(modes))
    return modes[node.text()]


_READERS: Mapping[str, Callable[[Node], Any]] = {
    name: read
    for read, names in {
        _name: ("path", "new_path"),
        _text: ("old_text", "new_text", "heading", "start_tag", "stop_tag"),
        _lines: ("new_lines", "anchors"),
        (lambda node: node.integer(1)): ("start_line", "end_line", "offset", "expected_count"),
        (lambda node: node.integer(0)): ("after_line", "line_hint"),
        Node.boolean: ("replace_all", "final_newline", "at_end", "whole_lines", "is_exclusive"),
        read_hash: ("expected_hash",),
        _mode: ("mode",),
    }.items()
    for name in names
}

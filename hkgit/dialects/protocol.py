"""Hkgit's own spec, version 1: line ranges of the base, each with its hash.

Strict on purpose: unknown keys, paths that are not normal and values of another type are
refused, because a spec in this dialect is written by programs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from hkgit.dialects.dialect import NO_BLOCK, Exists, split_lines
from hkgit.dialects.file_names import require_normal
from hkgit.edits import AnyEdit, Edit, Spec
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.edit_json import parse_edit, write_edit
from hkgit.text.strict_json import Node

NAME = "protocol"
JSON = True
BLOCK = NO_BLOCK

VERSION = "1"


def detects(text: str) -> bool:
    found = strict_json.collect_keys(text)
    return "operations" in found and not found.isdisjoint({"op", "version"})


def parse(text: str, exists: Exists) -> Spec:
    document = strict_json.parse_document(text)
    fields = document.fields(("version", "operations"), ("base", "agent", "summary"))
    if fields["version"].value != VERSION:
        raise fields["version"].wrong(f'"{VERSION}"', f'Write "version": "{VERSION}".')
    about = {key: _read_line(fields[key]) for key in ("base", "agent", "summary") if key in fields}
    return Spec.of(NAME, map(_parse_operation, fields["operations"].items()), **about)


def write(edits: Sequence[AnyEdit]) -> str:
    """Write edits so that every face reads them."""
    return strict_json.dumps({"version": VERSION, "operations": [*map(write_edit, edits)]})


def _parse_operation(node: Node) -> AnyEdit:
    """An edit as it is written anywhere, with a path that is normal; lines may come as one text."""
    members = node.members("an operation")
    name = members["op"].value if "op" in members else None
    if name == "delete_range":
        node.fields(("op", "path", "start_line", "end_line"), ("expected_hash",))
        node = _replace_members(node, op="replace_range", new_lines=[])
    elif name in ("replace_range", "insert_after"):
        node = _replace_members(node, new_lines=_read_new_lines(node, members))
    edit = parse_edit(node)
    if isinstance(edit, Edit) and not (edit.old_text or edit.at_end or edit.anchors):
        raise members["old_text"].wrong("the text to replace")
    for key in members.keys() & {"path", "new_path"}:
        require_normal(members[key].text(), members[key].path)
    return edit


def _replace_members(node: Node, **fields: object) -> Node:
    kept = {key: each.value for key, each in node.members().items() if key != "new_text"}
    return Node(node.path, kept | fields)


def _read_new_lines(node: Node, members: Mapping[str, Node]) -> object:
    if ("new_text" in members) == ("new_lines" in members):
        found = "both" if "new_text" in members else "neither"
        what = f'expected either "new_text" or "new_lines", found {found}'
        raise InvalidInput(node.path, what, "Keep one.")
    if "new_text" in members:
        return list(split_lines(members["new_text"].text()))
    return members["new_lines"].value


def _read_line(node: Node) -> str:
    text = node.name("one line of text")
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in text):
        raise node.wrong("one line of text without control characters")
    return text

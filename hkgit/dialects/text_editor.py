"""text_editor.py: the calls of the edit tools that coding agents are given.

The tools spell one thing in many ways; each spelling is read as the name in `_SPELLINGS`.
Only `create` makes a file and refuses one that is there; a whole `content` overwrites.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.dialects import calls
from hkgit.dialects.reading import NO_BLOCK, ParseResult, refuse_unsupported, split_lines
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.json_nodes import Node, check_fields, read_expected_hash

NAME = "text-editor"
SEQUENTIAL = True
JSON = True
BLOCK = NO_BLOCK

_SPELLINGS = {
    "file_path": "path",
    "filePath": "path",
    "old_string": "old_str",
    "oldString": "old_str",
    "oldText": "old_str",
    "new_string": "new_str",
    "newString": "new_str",
    "newText": "new_str",
    "replaceAll": "replace_all",
    "allow_multiple": "replace_all",
}
_SIGNS = frozenset(
    {
        *(key for key, name in _SPELLINGS.items() if name != "path"),
        "old_str",
        "new_str",
        "file_text",
        "insert_line",
        "insert_text",
    }
)
_FLAGS = ("replace_all", "expected_replacements")

Fields = dict[str, Node]


def detects(text: str) -> bool:
    found = calls.collect_keys(text)
    writes = "content" in found and not found.isdisjoint({"file_path", "filePath"})
    return not found.isdisjoint(_SIGNS) or writes or found >= {"command", "path"}


def parse(text: str) -> ParseResult:
    return ParseResult(tuple(edit for node in calls.parse_arguments(text) for edit in _edits(node)))


def render(edits: Sequence[AnyEdit]) -> str:
    rendered = [_render(edit) for edit in edits]
    return strict_json.dumps(rendered[0] if len(rendered) == 1 else rendered)


def _edits(node: Node) -> list[AnyEdit]:
    """The edits of one call; a call that only looks has none."""
    fields = _fields(node)
    if "command" in fields:
        return _command(node, fields)
    if "edits" in fields:
        check_fields(node.path, fields, ("path", "edits"), ())
        path = fields["path"].name("a path")
        return [_replacement(item, path, _fields(item)) for item in fields["edits"].items()]
    if "content" in fields:
        check_fields(node.path, fields, ("path", "content"), ("expected_hash",))
        return [_parse_write(fields)]
    return [_single(node, fields)]


def _fields(node: Node) -> Fields:
    """The members of an object under the names that this module knows them by."""
    fields: Fields = {}
    for key, member in calls.members_of(node).items():
        name = _SPELLINGS.get(key, key)
        if name in fields:
            raise InvalidInput(node.path, f'"{key}" and another name of it', "Keep one.")
        fields[name] = member
    return fields


def _command(node: Node, fields: Fields) -> list[AnyEdit]:
    command = fields.pop("command")
    match command.value:
        case "view":
            return []
        case "create":
            check_fields(node.path, fields, ("path", "file_text"), ())
            return [CreateFile(fields["path"].name("a path"), fields["file_text"].text())]
        case "insert":
            return [_parse_insert(node, fields)]
        case "str_replace":
            edit = _single(node, fields)
            if edit.old_text == "":
                raise fields["old_str"].wrong("the text to replace", "Use create for a new file.")
            return [edit]
    raise command.wrong("view, create, str_replace or insert")


def _parse_insert(node: Node, fields: Fields) -> InsertAfter:
    """Parse an insertion; an older version of the tool calls its text `new_str`."""
    text = "new_str" if "new_str" in fields else "insert_text"
    check_fields(node.path, fields, ("path", "insert_line", text), ("expected_hash",))
    path, after_line = fields["path"].name("a path"), fields["insert_line"].integer(0)
    return InsertAfter(
        path, after_line, split_lines(fields[text].text()), read_expected_hash(fields)
    )


def _parse_write(fields: Fields) -> WriteFile:
    path, content = fields["path"].name("a path"), fields["content"].text()
    return WriteFile(path, content, read_expected_hash(fields))


def _single(node: Node, fields: Fields) -> Edit:
    check_fields(node.path, fields, ("path", "old_str"), ("new_str", *_FLAGS, "expected_hash"))
    return _replacement(node, fields.pop("path").name("a path"), fields)


def _replacement(node: Node, path: str, fields: Fields) -> Edit:
    check_fields(node.path, fields, ("old_str",), ("new_str", *_FLAGS, "expected_hash"))
    count = fields["expected_replacements"].integer(1) if _FLAGS[1] in fields else None
    is_flagged = "replace_all" in fields and fields["replace_all"].boolean()
    replaces_all = is_flagged or (count is not None and count > 1)
    return Edit(
        path=path,
        old_text=fields["old_str"].text(),
        new_text=fields["new_str"].text() if "new_str" in fields else "",
        expected_hash=read_expected_hash(fields),
        replace_all=replaces_all,
        # One is what every edit expects; it need not shut out the looser tiers.
        expected_count=count if replaces_all else None,
    )


def _render(edit: AnyEdit) -> dict[str, object]:
    fields: dict[str, object]
    match edit:
        case CreateFile(path, text) if edit == CreateFile(path, text):
            return {"command": "create", "path": path, "file_text": text}
        case WriteFile(path, text, expected):
            fields = {"file_path": path, "content": text}
        case InsertAfter(path, after_line, lines, expected):
            text = "".join(f"{line}\n" for line in lines)
            if split_lines(text) != lines:
                raise refuse_unsupported(NAME, edit, "a line ends with a carriage return")
            fields = {"command": "insert", "path": path}
            fields |= {"insert_line": after_line, "insert_text": text}
        case Edit(path, old, new, expected, None, is_all, count, (), None):
            if count is not None and not is_all:
                raise refuse_unsupported(NAME, edit, "a count without all places")
            fields = {"file_path": path, "old_string": old, "new_string": new}
            fields |= {"replace_all": True} if is_all else {}
            fields |= {"expected_replacements": count} if count is not None else {}
        case _:
            raise refuse_unsupported(NAME, edit)
    return fields if expected is None else fields | {"expected_hash": expected}

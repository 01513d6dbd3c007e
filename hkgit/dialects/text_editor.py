"""The calls of the edit tools that coding agents are given.

The tools spell one thing in many ways; each spelling is read as the name in `_SPELLINGS`.
Only `create` makes a file and refuses one that is there; a whole `content` overwrites. Edits of
several files stand in one call where each names its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hkgit.dialects import calls
from hkgit.dialects.dialect import NO_BLOCK, ParseResult, refuse_unsupported, split_lines
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node, check_fields, read_expected_hash

NAME = "text-editor"
SEQUENTIAL = True
JSON = True
BLOCK = NO_BLOCK

_SPELLINGS = {
    "file_path": "path",
    "filePath": "path",
    "TargetFile": "path",
    "old_string": "old_str",
    "oldString": "old_str",
    "oldStr": "old_str",
    "oldText": "old_str",
    "old_text": "old_str",
    "TargetContent": "old_str",
    "new_string": "new_str",
    "newString": "new_str",
    "newStr": "new_str",
    "newText": "new_str",
    "new_text": "new_str",
    "ReplacementContent": "new_str",
    "replaceAll": "replace_all",
    "allow_multiple": "replace_all",
    "AllowMultiple": "replace_all",
    "fileText": "file_text",
    "insertLine": "insert_line",
    "insertText": "insert_text",
    "replacements": "edits",
    "ReplacementChunks": "edits",
}
_BEFORE_AND_AFTER = {"before": "old_str", "after": "new_str"}
"""Words that say other things in other notations, unless both are there."""

_NOT_SIGNS = frozenset({"path", "edits", "old_text", "new_text"})
_SIGNS = frozenset(
    {
        *(key for key, name in _SPELLINGS.items() if _NOT_SIGNS.isdisjoint((key, name))),
        "old_str",
        "new_str",
        "file_text",
        "insert_line",
        "insert_text",
    }
)
_FLAGS = ("replace_all", "expected_replacements")
_COMMANDS = {"strReplace": "str_replace", "write_file": "write"}
_INSERTS = ("insert_line", "insert_text", "view_range")
_EMPTY: tuple[object, ...] = ("", 0, [])
"""What hosts give for a parameter that a command does not have."""

_TAGGED = r'"(?:before|after)"\s*+:\s*+"\d{1,7}[:#]'

Fields = dict[str, Node]


def detects(text: str) -> bool:
    found = calls.collect_keys(text)
    writes = "content" in found and not found.isdisjoint({"file_path", "filePath"})
    pairs = found >= {"path", *_BEFORE_AND_AFTER} and not re.search(_TAGGED, text)
    is_call = found >= {"command", "path"} or calls.is_editor_call(found)
    return not found.isdisjoint(_SIGNS) or writes or pairs or is_call


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
        check_fields(node.path, fields, ("edits",), ("path",))
        items = calls.items_of(fields.pop("edits"))
        return [_single(item, _inherit_path(item, fields)) for item in items]
    if "content" in fields:
        check_fields(node.path, fields, ("path", "content"), ("expected_hash",))
        path, content = fields["path"].name("a path"), fields["content"].text()
        return [WriteFile(path, content, read_expected_hash(fields))]
    if calls.is_editor_call(calls.members_of(node).keys()):
        return [_parse_editor_call(node, fields)]
    return [_single(node, fields)]


def _parse_editor_call(node: Node, fields: Fields) -> CreateFile | InsertAfter:
    """Parse a call of Cline's `editor` that inserts before a line, or creates a file."""
    fields = _drop_empty(fields, ("old_str",))
    check_fields(node.path, fields, ("path", "new_str"), ("insert_line",))
    path, text = fields["path"].name("a path"), fields["new_str"].text()
    if "insert_line" not in fields:
        return CreateFile(path, text)
    return InsertAfter(path, calls.number_of(fields["insert_line"], 1) - 1, split_lines(text))


def _inherit_path(item: Node, shared: Fields) -> Fields:
    """The members of an edit with the path that the call around it names."""
    fields = _fields(item)
    if "path" in shared and fields.get("path", shared["path"]).value != shared["path"].value:
        raise InvalidInput(item.path, "a second name of the file", "Name it once.")
    return shared | fields


def _fields(node: Node) -> Fields:
    """The members of an object under the names that this module knows them by."""
    fields: Fields = {}
    members = calls.members_of(node)
    words = _SPELLINGS | (_BEFORE_AND_AFTER if members.keys() >= _BEFORE_AND_AFTER.keys() else {})
    for key, member in members.items():
        name = words.get(key, key)
        if name in fields:
            raise InvalidInput(node.path, f'"{key}" and another name of it', "Keep one.")
        fields[name] = member
    return fields


def _command(node: Node, fields: Fields) -> list[AnyEdit]:
    command = fields.pop("command")
    path = fields["path"].name("a path") if "path" in fields else ""
    match _COMMANDS.get(str(command.value), command.value):
        case "view":
            return []
        case "create":
            return [CreateFile(path, _parse_text(node, fields, ("file_text", "new_str")))]
        case "write":
            return [WriteFile(path, _parse_text(node, fields, ("file_text",)))]
        case "append":
            text = _parse_text(node, fields, ("new_str", "file_text"))
            return [Edit(path=path, old_text="", new_text=text, at_end=True)]
        case "insert":
            return [_parse_insert(node, fields)]
        case "str_replace":
            edit = _single(node, _drop_empty(fields, ("file_text", *_INSERTS)))
            if edit.old_text == "":
                raise fields["old_str"].wrong("the text to replace", "Use create for a new file.")
            return [edit]
        case "undo_edit":
            raise InvalidInput(command.path, "undo_edit is no edit", "`hkgit undo` takes one back.")
    raise command.wrong("view, create, write, append, str_replace or insert")


def _parse_text(node: Node, fields: Fields, names: tuple[str, ...]) -> str:
    """Return the text that a command writes, under one of the names that its tools give it."""
    name = next((name for name in names if name in fields and fields[name].value != ""), names[0])
    others = {"old_str", "new_str", "file_text", *_INSERTS} - {name}
    check_fields(node.path, _drop_empty(fields, others), ("path", name), ())
    return fields[name].text()


def _drop_empty(fields: Fields, names: Collection[str]) -> Fields:
    """Drop parameters of other commands that say nothing."""
    return {
        name: item for name, item in fields.items() if name not in names or item.value not in _EMPTY
    }


def _parse_insert(node: Node, fields: Fields) -> InsertAfter:
    """Parse an insertion; an older version of the tool calls its text `new_str`."""
    fields = _drop_empty(fields, ("file_text", "old_str", "view_range"))
    text = "new_str" if "new_str" in fields else "insert_text"
    check_fields(node.path, fields, ("path", "insert_line", text), ("expected_hash",))
    path, after_line = fields["path"].name("a path"), calls.number_of(fields["insert_line"], 0)
    return InsertAfter(
        path, after_line, split_lines(fields[text].text()), read_expected_hash(fields)
    )


def _single(node: Node, fields: Fields) -> Edit:
    optional = ("new_str", *_FLAGS, "expected_hash")
    check_fields(node.path, fields, ("path", "old_str"), optional)
    count = calls.number_of(fields["expected_replacements"], 1) if _FLAGS[1] in fields else None
    is_flagged = "replace_all" in fields and calls.flag_of(fields["replace_all"])
    replaces_all = is_flagged or (count is not None and count > 1)
    old_text = fields["old_str"].text()
    if "new_str" not in fields and "old_str" not in node.members():
        # Only the tool that calls it so deletes where there is none.
        raise InvalidInput(node.path, "no new text", 'Give it; "" deletes the old one.')
    return Edit(
        path=fields["path"].name("a path"),
        old_text=old_text,
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
        case Edit(path, "", text, None, at_end=True) if edit == Edit(path, "", text, at_end=True):
            return {"command": "append", "path": path, "new_str": text}
        case InsertAfter(path, after_line, lines, expected):
            text = "".join(f"{line}\n" for line in lines)
            if split_lines(text) != lines:
                raise refuse_unsupported(NAME, edit, "a line ends with a carriage return")
            fields = {"command": "insert", "path": path}
            fields |= {"insert_line": after_line, "insert_text": text}
        case Edit(path, old, new, expected, None, is_all, count, (), None, heading=""):
            if count is not None and not is_all:
                raise refuse_unsupported(NAME, edit, "a count without all places")
            fields = {"file_path": path, "old_string": old, "new_string": new}
            fields |= {"replace_all": True} if is_all else {}
            fields |= {"expected_replacements": count} if count is not None else {}
        case _:
            raise refuse_unsupported(NAME, edit)
    return fields if expected is None else fields | {"expected_hash": expected}

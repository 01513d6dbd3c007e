"""Edits as the calls of edit tools, in JSON.

Tools spell one thing in many ways; each spelling is read as the name in `_SPELLINGS`, and what a
call does is seen from the keys that it has. Only `create` makes a file and refuses one that is
there; a whole `content` overwrites. Edits of several files are in one call where each names its
own. Lines may be named by the tags of a reading (`text/hashes.py`): a tag and content insert before
its line, two tags replace the range, and a tag without content deletes.

All are read alike under each of the names that they have as dialects.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Set
from itertools import chain

from hkgit.dialects import harnesskit_xml
from hkgit.dialects.dialect import NO_BLOCK, Exists, split_lines
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, Spec, TagEdit, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.hashes import TAG
from hkgit.text.strict_json import Node, check_fields, read_expected_hash
from hkgit.values import dataclass

_ARGUMENTS = ("input", "arguments", "parameters", "args")
REMARKS = frozenset(
    {
        "description",
        "display_description",
        "explanation",
        "instruction",
        "instructions",
        "line_count",
        "security_risk",
        "summary",
    }
)
"""Keys under which hosts ask a model for words about its edit."""

_LISTS = frozenset({"edits", "operations", "replacements"})
_INNER = rf'(?s)"(?:{"|".join((*_ARGUMENTS, *sorted(_LISTS)))})"\s*+:\s*+"((?:[^"\\]|\\.)*+)'
_ESCAPE = r"(?s)\\(.)"


def _collect_keys(text: str) -> frozenset[str]:
    """Collect the keys of the JSON in a text, with those of arguments that are JSON in a string.

    Models write lists so, too. Other strings are content: their keys say nothing of the dialect.
    """
    found = strict_json.collect_keys(text)
    if found.isdisjoint(_ARGUMENTS) and found.isdisjoint(_LISTS):
        return found
    strings = (match[1] for match in re.finditer(_INNER, text))
    inner = (re.sub(_ESCAPE, lambda e: "\n" if e[1] in "nrt" else e[1], each) for each in strings)
    return found.union(*map(_collect_keys, inner))


def _is_editor_call(keys: Set[str]) -> bool:
    """Whether keys are those of Cline's `editor`: new text of a path, where an old one may miss."""
    may_miss = "insert_line" in keys or "old_text" not in keys
    return keys >= {"path", "new_text"} and may_miss and "op" not in keys


def _read_members(node: Node) -> dict[str, Node]:
    """Return the members of an object but for remarks and nulls.

    Hosts write null for what is left out.
    """
    members = node.members("a call, or its arguments").items()
    return {k: item for k, item in members if item.value is not None and k not in REMARKS}


def _read_items(node: Node, expected: str = "a list of edits") -> list[Node]:
    """Return the items of a list; models write it as JSON in a string too, or one item alone."""
    if isinstance(node.value, str) and node.value.strip()[:1] in ("[", "{"):
        return _read_items(_parse_inner(node, expected), expected)
    return [node] if isinstance(node.value, dict) and node.value else node.items(expected)


def _read_flag(node: Node) -> bool:
    """Return a boolean, which models write as a string too."""
    words = {"true": True, "false": False}
    is_word = isinstance(node.value, str) and node.value.lower() in words
    return words[str(node.value).lower()] if is_word else node.boolean()


def _read_number(node: Node, minimum: int) -> int:
    """Return an integer, which models write as a string too."""
    if isinstance(node.value, str) and node.value.isascii() and node.value.isdecimal():
        return Node(node.path, int(node.value[:18])).integer(minimum)
    return node.integer(minimum)


def _open_envelope(node: Node) -> Iterator[Node]:
    """Yield the arguments of each call in a JSON value; a bare object is its own arguments."""
    if isinstance(node.value, list):
        for item in node.items():
            yield from _open_envelope(item)
        return
    members = node.members("a call, or its arguments")
    if "role" in members and isinstance(members.get("content", node).value, list):
        parts = [part for part in members["content"].items() if "text" not in part.members()]
        # A message may tell its calls in both forms: each is made once.
        if parts or not isinstance(members.get("tool_calls", node).value, list):
            yield from chain.from_iterable(map(_open_envelope, parts))
            return
    wrapper = next((members[key] for key in ("tool_calls", "function") if key in members), None)
    if wrapper is not None:
        yield from _open_envelope(wrapper)
        return
    inner = next((members[key] for key in _ARGUMENTS if "name" in members and key in members), node)
    yield _parse_inner(inner, "one JSON document") if isinstance(inner.value, str) else inner


def _parse_inner(node: Node, expected: str) -> Node:
    """Parse the one JSON document in a string."""
    found = strict_json.parse_inner(node)
    if len(found) > 1:
        raise node.wrong(expected)
    return Node(node.path, found[0].value)


Fields = dict[str, Node]

_SPELLINGS = {
    spelling: name
    for name, spellings in {
        "path": ("file", "file_path", "filePath", "filename", "filepath", "TargetFile"),
        "old_text": ("old_str", "old_string", "oldString", "oldStr", "oldText", "TargetContent"),
        "new_text": (
            "new_str",
            "new_string",
            "newString",
            "newStr",
            "newText",
            "ReplacementContent",
        ),
        "replace_all": ("replaceAll", "allow_multiple", "AllowMultiple"),
        "file_text": ("fileText",),
        "insert_line": ("insertLine",),
        "insert_text": ("insertText",),
        "edits": ("operations", "replacements", "ReplacementChunks"),
    }.items()
    for spelling in spellings
}
_PAIRS = (("before", "after"), ("old", "new"), ("search", "replace"), ("original", "updated"))
"""Words for the old and the new text; each says other things without the other."""

_OF_EDITORS = {"file_text", "insert_line", "insert_text"}.union(
    key for key, name in _SPELLINGS.items() if name not in ("path", "edits")
)
_NAMES = ("path", *(key for key, name in _SPELLINGS.items() if name == "path"))
_FLAGS = ("replace_all", "expected_replacements")
_COMMANDS = {"strReplace": "str_replace", "write_file": "write"}
_INSERTS = ("insert_line", "insert_text", "view_range")
_EMPTY: tuple[object, ...] = ("", 0, [])
"""What hosts give for a parameter that a command does not have."""


@dataclass(frozen=True)
class Calls:
    """The calls that go by one name."""

    NAME: str
    BLOCK: str = NO_BLOCK
    JSON: bool = True

    def detects(self, text: str) -> bool:
        is_xml = self.NAME == "harnesskit" and harnesskit_xml.detects(text)
        return is_xml or _find_name(text) == self.NAME

    def parse(self, text: str, exists: Exists) -> Spec:
        if self.NAME == "harnesskit" and (
            harnesskit_xml.detects(text) or harnesskit_xml.is_meant(text)
        ):
            return Spec.of(self.NAME, harnesskit_xml.parse_edits(text))
        calls = chain.from_iterable(map(_open_envelope, strict_json.parse_documents(text)))
        return Spec.of(self.NAME, chain.from_iterable(map(_parse_call, calls)))


HARNESSKIT = Calls("harnesskit", harnesskit_xml.BLOCK)
HASHLINE = Calls("hashline")
TEXT_EDITOR = Calls("text-editor")


def _find_name(text: str) -> str:
    """Find the name that the calls of a text go by; "" for none."""
    found = _collect_keys(text)
    if "operations" in found and not found.isdisjoint({"version", "op"}):
        return ""  # the protocol
    if not found.isdisjoint({"hash_start", "hash_stop"}):
        return "hashline"
    writes = "content" in found and not found.isdisjoint({"file_path", "filePath"})
    is_call = writes or found >= {"command", "path"} or _is_editor_call(found)
    if is_call or not found.isdisjoint(_OF_EDITORS) or found >= {"path", *_PAIRS[0]}:
        return "text-editor"
    if found >= {"path", "content"}:
        return "hashline"
    is_edit = not found.isdisjoint({"old_text", "new_text"}) or found >= {"edits", "file"}
    has_pair = any(found >= {*pair} for pair in _PAIRS)
    return "harnesskit" if is_edit or (has_pair and not found.isdisjoint(_NAMES)) else ""


def _parse_call(node: Node) -> list[AnyEdit]:
    """Parse the edits of one call; a call that only looks has none."""
    fields = _read_fields(node)
    if "command" in fields:
        return _parse_command(node, fields)
    if "edits" in fields:
        check_fields(node.path, fields, ("edits",), ("path",))
        items = _read_items(fields.pop("edits"))
        return [_parse_edit(item, _inherit_path(item, fields)) for item in items]
    if "hash_start" in fields:
        return [_parse_tagged(node, fields)]
    if "content" in fields:
        check_fields(node.path, fields, ("path", "content"), ("expected_hash",))
        path, content = fields["path"].name("a path"), fields["content"].text()
        return [WriteFile(path, content, read_expected_hash(fields))]
    if _is_editor_call(_read_members(node).keys()):
        return [_parse_editor_call(node, fields)]
    return [_parse_edit(node, fields)]


def _parse_tagged(node: Node, fields: Fields) -> TagEdit:
    """Parse an edit of lines that are named by their tags."""
    optional = ("hash_stop", "content", "offset", "expected_hash", "inclusive")
    check_fields(node.path, fields, ("path", "hash_start"), optional)
    lines = split_lines(fields["content"].text()) if "content" in fields else None
    if lines == () and "hash_stop" not in fields:
        raise fields["content"].wrong("lines to insert", 'To delete the line, omit "content".')
    is_inclusive = "inclusive" not in fields or fields["inclusive"].boolean()
    return TagEdit(
        path=fields["path"].name("a path"),
        start_tag=_read_tag(fields["hash_start"]),
        stop_tag=_read_tag(fields["hash_stop"]) if "hash_stop" in fields else None,
        new_lines=lines or None,
        offset=fields["offset"].integer(1) if "offset" in fields else None,
        expected_hash=read_expected_hash(fields),
        is_exclusive=not is_inclusive and "hash_stop" in fields,
    )


def _read_tag(node: Node) -> str:
    if re.fullmatch(TAG, node.text()) is None:
        raise node.wrong("a tag of two letters or digits", "Take it from `hkgit read --hashline`.")
    return node.text()


def _parse_editor_call(node: Node, fields: Fields) -> CreateFile | InsertAfter:
    """Parse a call of Cline's `editor` that inserts before a line, or creates a file."""
    fields = _drop_empty(fields, ("old_text",))
    check_fields(node.path, fields, ("path", "new_text"), ("insert_line",))
    path, text = fields["path"].name("a path"), fields["new_text"].text()
    if "insert_line" not in fields:
        return CreateFile(path, text)
    return InsertAfter(path, _read_number(fields["insert_line"], 1) - 1, split_lines(text))


def _inherit_path(item: Node, shared: Fields) -> Fields:
    """Add to the members of an edit the path that the call around it names."""
    fields = _read_fields(item)
    if "path" in shared and fields.get("path", shared["path"]).value != shared["path"].value:
        raise InvalidInput(item.path, "a second name of the file", "Name it once.")
    return shared | fields


def _read_fields(node: Node) -> Fields:
    """Read the members of an object under the names that this module knows them by."""
    fields: Fields = {}
    members = _read_members(node)
    pair = next((pair for pair in _PAIRS if members.keys() >= {*pair}), ())
    words = _SPELLINGS | dict(zip(pair, ("old_text", "new_text"), strict=False))
    for key, member in members.items():
        if key == "mode" and member.value == "edit":
            continue  # of a tool that writes whole files too
        name = words.get(key, key)
        if name in fields:
            raise InvalidInput(node.path, f'"{key}" and another name of it', "Keep one.")
        fields[name] = member
    return fields


def _parse_command(node: Node, fields: Fields) -> list[AnyEdit]:
    command = fields.pop("command")
    path = fields["path"].name("a path") if "path" in fields else ""
    match _COMMANDS.get(str(command.value), command.value):
        case "view":
            return []
        case "create":
            return [CreateFile(path, _parse_text(node, fields, ("file_text", "new_text")))]
        case "write":
            return [WriteFile(path, _parse_text(node, fields, ("file_text",)))]
        case "append":
            text = _parse_text(node, fields, ("new_text", "file_text"))
            return [Edit(path=path, old_text="", new_text=text, at_end=True)]
        case "insert":
            return [_parse_insert(node, fields)]
        case "str_replace":
            edit = _parse_edit(node, _drop_empty(fields, ("file_text", *_INSERTS)))
            if edit.old_text == "":
                raise fields["old_text"].wrong("the text to replace", "Use create for a new file.")
            return [edit]
        case "undo_edit":
            fix = "`hkgit undo` undoes an edit."
            raise InvalidInput(command.path, "undo_edit is not an edit", fix)
    raise command.wrong("view, create, write, append, str_replace or insert")


def _parse_text(node: Node, fields: Fields, names: tuple[str, ...]) -> str:
    """Return the text that a command writes, under one of the names that its tools give it."""
    name = next((name for name in names if name in fields and fields[name].value != ""), names[0])
    others = {"old_text", "new_text", "file_text", *_INSERTS} - {name}
    check_fields(node.path, _drop_empty(fields, others), ("path", name), ())
    return fields[name].text()


def _drop_empty(fields: Fields, names: Collection[str]) -> Fields:
    """Drop parameters of other commands that say nothing."""
    return {
        name: item for name, item in fields.items() if name not in names or item.value not in _EMPTY
    }


def _parse_insert(node: Node, fields: Fields) -> InsertAfter:
    """Parse an insertion; an older version of the tool calls its text `new_str`."""
    fields = _drop_empty(fields, ("file_text", "old_text", "view_range"))
    text = "new_text" if "new_text" in fields else "insert_text"
    check_fields(node.path, fields, ("path", "insert_line", text), ("expected_hash",))
    path, after_line = fields["path"].name("a path"), _read_number(fields["insert_line"], 0)
    lines = split_lines(fields[text].text())
    return InsertAfter(path, after_line, lines, read_expected_hash(fields))


def _parse_edit(node: Node, fields: Fields) -> Edit:
    optional = ("new_text", *_FLAGS, "expected_hash")
    check_fields(node.path, fields, ("path", "old_text"), optional)
    count = _read_number(fields["expected_replacements"], 1) if _FLAGS[1] in fields else None
    is_flagged = "replace_all" in fields and _read_flag(fields["replace_all"])
    replaces_all = is_flagged or (count or 1) > 1
    old_text = fields["old_text"].text()
    if "new_text" not in fields and "old_str" not in node.members():
        # Only the tool that calls it so deletes where there is none.
        raise InvalidInput(node.path, "no new text", 'Give it; "" deletes the old one.')
    return Edit(
        path=fields["path"].name("a path"),
        old_text=old_text,
        new_text=fields["new_text"].text() if "new_text" in fields else "",
        expected_hash=read_expected_hash(fields),
        replace_all=replaces_all,
        # One is what every edit expects; it need not shut out the looser tiers.
        expected_count=count if replaces_all else None,
    )


# Patches that come as a string within a call


_MARKER = r"\*\*\* Begin Patch\\+n"
_OPERATION = r'"type"\s*+:\s*+"(?:create|update|delete)_file"'
_SECTIONS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


def wraps_patch(text: str) -> bool:
    """Whether a text is JSON that wraps a patch; edits of other dialects name a file by a key."""
    found = strict_json.collect_keys(text)
    if "path" in found:
        return "type" in found and re.search(_OPERATION, text) is not None
    wraps = not found.isdisjoint({"patchText", "patch", "input", "arguments", "command", "cmd"})
    names_file = not found.isdisjoint({"file", "file_path"})
    return wraps and not names_file and re.search(_MARKER, text) is not None


def parse_patches(text: str) -> Iterator[tuple[str, str]]:
    """Yield every patch in the JSON of a text: (JSON path, patch)."""
    for document in strict_json.parse_documents(text):
        yield from _find_patches(document)


def _find_patches(node: Node) -> Iterator[tuple[str, str]]:
    match node.value:
        case str() as text if "*** Begin Patch\n" in text:
            yield node.path, text
        case str() as text if re.search(_MARKER, text):
            for document in strict_json.parse_inner(node):
                yield from _find_patches(Node(f"{node.path}: {document.path}", document.value))
        case list():
            for item in node.items():
                yield from _find_patches(item)
        case {"type": "create_file" | "update_file" | "delete_file"}:
            yield node.path, _render_section(node)
        case dict():
            for member in node.members().values():
                yield from _find_patches(member)


def _render_section(node: Node) -> str:
    """Write the section of a patch that an operation object represents."""
    fields = node.fields(("type", "path"), ("diff", "move_to"))
    head = f"*** {_SECTIONS[fields['type'].text()]} File: {_read_line(fields['path'])}\n"
    if "move_to" in fields:
        head += f"*** Move to: {_read_line(fields['move_to'])}\n"
    diff = fields["diff"].text() if "diff" in fields else ""
    return f"{head}{diff.removesuffix(chr(10))}\n*** End Patch\n"


def _read_line(node: Node) -> str:
    if "\n" in node.name("a path"):
        raise node.wrong("a path on one line")
    return node.text()

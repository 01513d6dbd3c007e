"""Blocks and patches that come as a string within a call in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hkgit.dialects import calls
from hkgit.dialects import file_names as diff_names
from hkgit.dialects import search_replace as marks
from hkgit.dialects.headings import render_heading
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node

_MARKER = r"\*\*\* Begin Patch\\+n"
_OPERATION = r'"type"\s*+:\s*+"(?:create|update|delete)_file"'
_VERBS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


def detects(text: str) -> bool:
    """Whether a text is JSON that wraps a patch; edits of other dialects name a file by a key."""
    found = strict_json.collect_keys(text)
    if "path" in found:
        return "type" in found and re.search(_OPERATION, text) is not None
    wraps = not found.isdisjoint({"patchText", "patch", "input", "arguments", "command", "cmd"})
    return (
        wraps and found.isdisjoint({"file", "file_path"}) and re.search(_MARKER, text) is not None
    )


def parse_patches(text: str) -> Iterator[tuple[str, str]]:
    """Yield every patch in the JSON of a text: (JSON path, patch)."""
    for document in strict_json.parse_documents(text):
        yield from _patches(document)


def _patches(node: Node) -> Iterator[tuple[str, str]]:
    match node.value:
        case str() as text if "*** Begin Patch\n" in text:
            yield node.path, text
        case str() as text if re.search(_MARKER, text):
            for document in strict_json.parse_inner(node):
                yield from _patches(Node(f"{node.path}: {document.path}", document.value))
        case list():
            for item in node.items():
                yield from _patches(item)
        case {"type": "create_file" | "update_file" | "delete_file"}:
            yield node.path, _operation(node)
        case dict():
            for member in node.members().values():
                yield from _patches(member)


def _operation(node: Node) -> str:
    """The section of a patch that an operation object stands for."""
    fields = node.fields(("type", "path"), ("diff", "move_to"))
    head = f"*** {_VERBS[fields['type'].text()]} File: {_line(fields['path'])}\n"
    if "move_to" in fields:
        head += f"*** Move to: {_line(fields['move_to'])}\n"
    diff = fields["diff"].text() if "diff" in fields else ""
    return f"{head}{diff.removesuffix(chr(10))}\n*** End Patch\n"


def _line(node: Node) -> str:
    if "\n" in node.name("a path"):
        raise node.wrong("a path on one line")
    return node.text()


_PATHS = ("path", "file_path", "filePath", "uri", "target_file")
_TEXTS = ("diff", "search_replace_blocks")

_SIDES = r"(?m)^--- (.*)\n\+\+\+ (.*)\n"


def unwrap(text: str) -> str:
    """Return the blocks or diffs of calls, each with the path of its call; else the text itself.

    Raises InvalidInput for a call whose path and diff name different files.
    """
    keys = calls.collect_keys(text)
    if keys.isdisjoint(_TEXTS) or keys.isdisjoint(_PATHS) or detects(text):
        return text
    return "\n".join(_edits_of(node) for node in calls.parse_arguments(text))


def _edits_of(node: Node) -> str:
    members = calls.members_of(node)
    paths = [members[key].name("a path") for key in _PATHS if key in members]
    texts = [members[key] for key in _TEXTS if key in members]
    if len(paths) != 1 or len(texts) != 1:
        what = f"expected one path and one diff, found {len(paths)} and {len(texts)}"
        raise InvalidInput(node.path, what, "Send only the diffs.")
    if re.search(marks.SEEN, texts[0].text()) is None:
        return _name_diff(texts[0], paths[0])
    heading = render_heading(paths[0])
    if heading is None:
        raise InvalidInput(node.path, "a path that cannot be written on one line")
    return f"{heading}\n{texts[0].text()}\n"


def _name_diff(node: Node, path: str) -> str:
    """Return a diff of one file with the path of the call in the place of a shorter name."""
    text = node.text()
    sides = list(re.finditer(_SIDES, text))
    hunks = text.find("\n@@") + 1
    if len(sides) > 1 or (not sides and not text.startswith("@@") and not hunks):
        raise InvalidInput(
            node.path, "not a diff of one file", "Send it without the call around it."
        )
    head = f"--- {diff_names.write_name('a/', path)}\n+++ {diff_names.write_name('b/', path)}\n"
    if not sides:
        return head + text[hunks:] + "\n"
    old, new = (diff_names.parse_side(side) for side in sides[0].groups())
    named = diff_names.agree_on_name(old, new, node.path)
    if named == path:
        return text + "\n"
    if diff_names.DEV_NULL in (old, new) or not f"/{path}".endswith(f"/{named}"):
        raise InvalidInput(
            node.path, f"the call names {path}, its diff {named}", "Name one file in both."
        )
    return head + text[sides[0].end() :] + "\n"

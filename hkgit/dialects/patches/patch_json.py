"""patch_json.py: apply-patch texts inside JSON: tool calls, command lists, operation objects."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.text import strict_json
from hkgit.text.json_nodes import Node
from hkgit.values import late_pattern

_MARKER = late_pattern(r"\*\*\* Begin Patch\\+n")
_OPERATION = late_pattern(r'"type"\s*+:\s*+"(?:create|update|delete)_file"')
_VERBS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


def detects(text: str) -> bool:
    """Whether a text is JSON that wraps a patch; edits of other dialects name a file by a key."""
    found = strict_json.collect_keys(text)
    if "path" in found:
        return "type" in found and _OPERATION.search(text) is not None
    wraps = not found.isdisjoint({"patchText", "patch", "input", "arguments", "command", "cmd"})
    return wraps and found.isdisjoint({"file", "file_path"}) and _MARKER.search(text) is not None


def parse_patches(text: str) -> Iterator[tuple[str, str]]:
    """Yield every patch in the JSON of a text: (JSON path, patch)."""
    for document in strict_json.parse_documents(text):
        yield from _patches(document)


def _patches(node: Node) -> Iterator[tuple[str, str]]:
    match node.value:
        case str() as text if "*** Begin Patch\n" in text:
            yield node.path, text
        case str() as text if _MARKER.search(text):
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

"""`{"file", "old_text", "new_text"}`, one, a list, or under `edits`; or as XML."""

from __future__ import annotations

from hkgit.dialects import calls, harnesskit_xml
from hkgit.dialects.dialect import ParseResult
from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Node, check_fields, read_expected_hash

NAME = "harnesskit"
JSON = True
BLOCK = harnesskit_xml.BLOCK


_SPELLINGS = {
    "old": "old_text",
    "new": "new_text",
    "search": "old_text",
    "replace": "new_text",
    "original": "old_text",
    "updated": "new_text",
    "operations": "edits",
    "file_path": "file",
    "filename": "file",
    "filepath": "file",
}
_PAIRS = ({"old", "new"}, {"search", "replace"}, {"original", "updated"})


def detects(text: str) -> bool:
    found = calls.collect_keys(text)
    names = not found.isdisjoint(("file", *(key for key in _SPELLINGS if "path" in key), "path"))
    is_edit = not found.isdisjoint({"old_text", "new_text"}) or found >= {"edits", "file"}
    is_edit = is_edit or (names and any(found >= pair for pair in _PAIRS))
    is_other = "operations" in found and not found.isdisjoint({"version", "op"})
    is_other = is_other or calls.is_editor_call(found)
    return (is_edit and not is_other) or harnesskit_xml.detects(text)


def parse(text: str) -> ParseResult:
    if harnesskit_xml.detects(text):
        return ParseResult(tuple(harnesskit_xml.parse_edits(text)))
    nodes = [node for each in calls.parse_arguments(text) for node in _edits_of(each)]
    return ParseResult(tuple(_edit(node) for node in nodes))


def _edits_of(document: Node) -> list[Node]:
    """The edits of a document; those of one file may leave it to the object around them."""
    document = _spelt(document, 'an edit, a list of them, or {"edits": [...]}')
    if "edits" not in document.members():
        return [document]
    fields = document.fields(("edits",), ("file", "path"))
    items = calls.items_of(fields.pop("edits"))
    return [_inherit_file(item, fields) for item in items] if fields else items


def _spelt(node: Node, expected: str) -> Node:
    """An object with the keys that this module knows in the place of other words for them."""
    members = {k: v for k, v in node.members(expected).items() if k not in calls.REMARKS}
    if members.get("mode", node).value == "edit":  # an edit tool that writes whole files too
        del members["mode"]
    if "old_text" in members or "new_text" in members:
        return Node(node.path, {key: member.value for key, member in members.items()})
    named = {_SPELLINGS.get(key, key): member.value for key, member in members.items()}
    if len(named) < len(members):
        raise InvalidInput(node.path, "two words for one key", "Keep one.")
    return Node(node.path, named)


def _inherit_file(item: Node, shared: dict[str, Node]) -> Node:
    """An edit with the file that the object around it names."""
    item = _spelt(item, "an edit")
    members = {**shared, **item.members()}
    if len(members) < len(shared) + len(item.members()):
        raise InvalidInput(item.path, "a second name of the file", "Name it once.")
    return Node(item.path, {key: member.value for key, member in members.items()})


def _edit(node: Node) -> Edit:
    members = _spelt(node, "an edit").members()
    if "expected_hash" in members and members["expected_hash"].value is None:
        # What a program serialises that has none.
        del members["expected_hash"]
    name = "path" if "path" in members and "file" not in members else "file"
    required = (name, "old_text", "new_text")
    fields = check_fields(node.path, members, required, ("expected_hash",))
    return Edit(
        fields[name].name("a path"),
        fields["old_text"].text(),
        fields["new_text"].text(),
        read_expected_hash(fields),
    )

"""harnesskit.py: `{"file", "old_text", "new_text"}`, one, a list, or under `edits`; or as XML."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.dialects import harnesskit_xml, strict_json
from hkgit.dialects.json_nodes import Node, expected_hash, known_fields
from hkgit.dialects.reading import Reading, cannot_say
from hkgit.edits import AnyEdit, Edit
from hkgit.errors import InvalidInput

NAME = "harnesskit"
SEQUENTIAL = True
JSON = True
BLOCK = harnesskit_xml.BLOCK


def detects(text: str) -> bool:
    found = strict_json.keys(text)
    is_edit = not found.isdisjoint({"old_text", "new_text"}) or found >= {"edits", "file"}
    return (is_edit and "operations" not in found) or harnesskit_xml.detects(text)


def parse(text: str) -> Reading:
    if harnesskit_xml.detects(text):
        return Reading(tuple(harnesskit_xml.edits(text)))
    nodes = [node for document in strict_json.documents(text) for node in _edits_of(document)]
    return Reading(tuple(_edit(node) for node in nodes))


def render(edits: Sequence[AnyEdit]) -> str:
    said = [_said(edit) for edit in edits]
    return strict_json.dumps(said[0] if len(said) == 1 else {"edits": said})


def _edits_of(document: Node) -> list[Node]:
    """The edits of a document; those of one file may leave it to the object around them."""
    if isinstance(document.value, list):
        return document.items()
    members = document.members('an edit, a list of them, or {"edits": [...]}')
    if "edits" not in members:
        return [document]
    fields = document.fields(("edits",), ("file", "path"))
    items = fields.pop("edits").items("a list of edits")
    return [_named(item, fields) for item in items] if fields else items


def _named(item: Node, shared: dict[str, Node]) -> Node:
    """An edit with the file that the object around it names."""
    members = {**shared, **item.members("an edit")}
    if len(members) < len(shared) + len(item.members()):
        raise InvalidInput(item.path, "a second name of the file", "Name it once.")
    return Node(item.path, {key: member.value for key, member in members.items()})


def _edit(node: Node) -> Edit:
    members = node.members("an edit")
    if "expected_hash" in members and members["expected_hash"].value is None:
        # What a program serialises that has none.
        del members["expected_hash"]
    name = "path" if "path" in members and "file" not in members else "file"
    required = (name, "old_text", "new_text")
    fields = known_fields(node.path, members, required, ("expected_hash",))
    return Edit(
        fields[name].name("a path"),
        fields["old_text"].text(),
        fields["new_text"].text(),
        expected_hash(fields),
    )


def _said(edit: AnyEdit) -> dict[str, object]:
    if not isinstance(edit, Edit):
        raise cannot_say(NAME, edit)
    path, old_text, new_text, expected = edit.path, edit.old_text, edit.new_text, edit.expected_hash
    if edit != Edit(path, old_text, new_text, expected):
        raise cannot_say(NAME, edit, "only its texts and its expected hash")
    said: dict[str, object] = {"file": path, "old_text": old_text, "new_text": new_text}
    return said if expected is None else said | {"expected_hash": expected}

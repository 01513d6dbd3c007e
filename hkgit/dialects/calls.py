"""Edits as tool calls in JSON: what every such notation shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from hkgit.text import strict_json
from hkgit.text.strict_json import Node

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


def collect_keys(text: str) -> frozenset[str]:
    """Collect the keys of the JSON in a text, with those of arguments that are JSON in a string.

    Models write lists so, too. Other strings are content: their keys say nothing of the dialect.
    """
    found = strict_json.collect_keys(text)
    if found.isdisjoint(_ARGUMENTS) and found.isdisjoint(_LISTS):
        return found
    strings = (match[1] for match in re.finditer(_INNER, text))
    inner = (re.sub(_ESCAPE, lambda e: "\n" if e[1] in "nrt" else e[1], each) for each in strings)
    return found.union(*map(collect_keys, inner))


def is_editor_call(keys: Set[str]) -> bool:
    """Whether keys are those of Cline's `editor`: new text of a path, where an old one may miss."""
    may_miss = "insert_line" in keys or "old_text" not in keys
    return keys >= {"path", "new_text"} and may_miss and "op" not in keys


def parse_arguments(text: str) -> Iterator[Node]:
    """Yield the arguments of each call in a JSON text; a bare object is its own arguments."""
    for document in strict_json.parse_documents(text):
        yield from _arguments(document)


def members_of(node: Node) -> dict[str, Node]:
    """Return the members of an object but for remarks and nulls.

    Hosts write null for what is left out.
    """
    members = node.members("a call, or its arguments").items()
    return {k: item for k, item in members if item.value is not None and k not in REMARKS}


def items_of(node: Node, expected: str = "a list of edits") -> list[Node]:
    """Return the items of a list; models write it as JSON in a string too, or one item alone."""
    if isinstance(node.value, str) and node.value.strip()[:1] in ("[", "{"):
        found = strict_json.parse_inner(node)
        if len(found) > 1:
            raise node.wrong(expected)
        return items_of(Node(node.path, found[0].value), expected)
    return [node] if isinstance(node.value, dict) and node.value else node.items(expected)


def flag_of(node: Node) -> bool:
    """Return a boolean, which models write as a string too."""
    words = {"true": True, "false": False}
    is_word = isinstance(node.value, str) and node.value.lower() in words
    return words[str(node.value).lower()] if is_word else node.boolean()


def number_of(node: Node, minimum: int) -> int:
    """Return an integer, which models write as a string too."""
    if isinstance(node.value, str) and node.value.isascii() and node.value.isdecimal():
        return Node(node.path, int(node.value[:18])).integer(minimum)
    return node.integer(minimum)


def _arguments(node: Node) -> Iterator[Node]:
    if isinstance(node.value, list):
        for item in node.items():
            yield from _arguments(item)
        return
    members = node.members("a call, or its arguments")
    if "role" in members and isinstance(members.get("content", node).value, list):
        for part in members["content"].items():
            if "text" not in part.members():
                yield from _arguments(part)
        return
    wrapper = next((members[key] for key in ("tool_calls", "function") if key in members), None)
    if wrapper is not None:
        yield from _arguments(wrapper)
        return
    inner = next((members[key] for key in _ARGUMENTS if "name" in members and key in members), node)
    if isinstance(inner.value, str):
        found = strict_json.parse_inner(inner)
        if len(found) > 1:
            raise inner.wrong("one JSON document")
        yield Node(inner.path, found[0].value)
    else:
        yield inner

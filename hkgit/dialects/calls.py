"""calls.py: unwrap the arguments of tool calls from the envelopes of models and hosts."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.text import strict_json
from hkgit.text.json_nodes import Node
from hkgit.values import late_pattern

_ARGUMENTS = ("input", "arguments", "parameters", "args")
_REMARKS = frozenset({"instruction", "explanation", "description"})
_QUOTED_KEY = late_pattern(r'[{,]\s*+\\+"(\w++)\\+"\s*+:')


def collect_keys(text: str) -> frozenset[str]:
    """Collect the keys of the JSON in a text, with those of arguments that are JSON in a string."""
    found = strict_json.collect_keys(text)
    if found.isdisjoint(_ARGUMENTS):
        return found
    return found | frozenset(_QUOTED_KEY.findall(text))


def parse_arguments(text: str) -> Iterator[Node]:
    """Yield the arguments of each call in a JSON text; a bare object is its own arguments."""
    for document in strict_json.parse_documents(text):
        yield from _arguments(document)


def members_of(node: Node) -> dict[str, Node]:
    """Return the members of an object but for remarks and nulls.

    Hosts write null for what is left out.
    """
    members = node.members("a call, or its arguments").items()
    return {k: item for k, item in members if item.value is not None and k not in _REMARKS}


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

"""jsonc_nodes.py: read JSON with comments, and keep where each of its values stands.

Comments (`//`, `/* */`) and a comma behind the last item are read as editors read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hkgit.errors import InvalidInput
from hkgit.text.json_nodes import Json
from hkgit.values import dataclass

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[-+.\w]+")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class JsoncNode:
    """A value, where it stands, and what it holds if it is an object or an array."""

    start: int
    end: int
    value: Json
    items: tuple[JsoncItem, ...] = ()

    def get(self, key: str) -> JsoncNode:
        """Return the member of that name; of several the last, as JSON readers have it."""
        return next(item.node for item in reversed(self.items) if item.key == key)


@dataclass(frozen=True, slots=True)
class JsoncItem:
    """A member of an object, or, without a key, an element of an array, from its first byte on."""

    start: int
    key: str | None
    node: JsoncNode


def skip_blanks(text: str, at: int) -> int:
    """Find where blanks and comments end."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def parse_jsonc(text: str) -> JsoncNode:
    """Parse the whole document. Raises InvalidInput where it is no JSON."""
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    node = _node(text, start, 0)
    if skip_blanks(text, node.end) != len(text):
        raise _wrong(text, skip_blanks(text, node.end))
    return node


def _node(text: str, at: int, depth: int) -> JsoncNode:
    opening = text[at : at + 1]
    if opening not in _CLOSING or depth > _DEEPEST:
        return _scalar(text, at)
    items = tuple(_items(text, at, depth))
    end = skip_blanks(text, items[-1].node.end if items else at + 1)
    end = skip_blanks(text, end + 1) if text.startswith(",", end) and items else end
    if not text.startswith(_CLOSING[opening], end):
        raise _wrong(text, end)
    if opening == "{":
        return JsoncNode(at, end + 1, {item.key: item.node.value for item in items}, items)
    return JsoncNode(at, end + 1, [item.node.value for item in items], items)


def _items(text: str, at: int, depth: int) -> Iterator[JsoncItem]:
    closing = _CLOSING[text[at]]
    next_at = skip_blanks(text, at + 1)
    while not text.startswith(closing, next_at):
        start, key = next_at, None
        if closing == "}":
            name = _string(text, next_at)
            key, next_at = name.value, skip_blanks(text, name.end)
            if not text.startswith(":", next_at):
                raise _wrong(text, next_at)
            next_at = skip_blanks(text, next_at + 1)
        node = _node(text, next_at, depth + 1)
        yield JsoncItem(start, key, node)
        next_at = skip_blanks(text, node.end)
        if not text.startswith(",", next_at):
            return
        next_at = skip_blanks(text, next_at + 1)


def _scalar(text: str, at: int) -> JsoncNode:
    found = _SCALAR.match(text, at)
    if found is None:
        return _string(text, at)
    try:
        return JsoncNode(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _wrong(text, at) from None


def _string(text: str, at: int) -> JsoncNode:
    found = _STRING.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        return JsoncNode(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _wrong(text, at) from None


def _wrong(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput(f"line {line}", "is no JSON", "Mend the settings first.")

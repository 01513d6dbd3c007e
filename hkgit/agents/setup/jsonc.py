"""JSON with comments, changed in place.

Comments (`//`, `/* */`) and a comma behind the last item are read as editors read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json
from hkgit.values import dataclass

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[-+.\w]+")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 100


@dataclass(frozen=True)
class JsoncNode:
    """A value, where it is, and what it holds if it is an object or an array."""

    start: int
    end: int
    value: Json
    items: tuple[JsoncItem, ...] = ()

    def get(self, key: str) -> JsoncNode:
        """Return the member of that name; of several the last, as JSON readers have it."""
        return next(item.node for item in reversed(self.items) if item.key == key)


@dataclass(frozen=True)
class JsoncItem:
    """A member of an object, or, without a key, an element of an array, from its first byte on."""

    start: int
    key: str | None
    node: JsoncNode


def skip_blanks(text: str, at: int) -> int:
    """Find where whitespace and comments end."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def parse_jsonc(text: str) -> JsoncNode:
    """Parse the whole document. Raises InvalidInput where it is not JSON."""
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    node = _node(text, start, 0)
    if skip_blanks(text, node.end) != len(text):
        raise _wrong(text, skip_blanks(text, node.end))
    return node


def _node(text: str, at: int, depth: int) -> JsoncNode:
    opening = text[at : at + 1]
    if opening not in _CLOSING or depth > _DEEPEST:
        return _scalar(text, at, _STRING if opening == '"' else _SCALAR)
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
            name = _scalar(text, next_at, _STRING)
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


def _scalar(text: str, at: int, pattern: re.Pattern[str]) -> JsoncNode:
    if (found := pattern.match(text, at)) is not None:
        with suppress(ValueError):
            return JsoncNode(at, found.end(), json.loads(found[0]))
    raise _wrong(text, at)


def _wrong(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput(f"line {line}", "is not JSON", "Fix the settings first.")


def remove_outdated(
    text: str, value: Json, is_ours: Callable[[object], bool], path: tuple[str, ...] = ()
) -> str:
    """Remove the elements of arrays that are ours, but not those of `value`.

    Only arrays are looked through that `value` has as well. Raises InvalidInput where the document
    is not JSON.
    """
    node = _at(text, path)
    if isinstance(node.value, list) and isinstance(value, list):

        def is_outdated(item: JsoncItem) -> bool:
            return item.node.value not in value and is_ours(item.node.value)

        return _remove_items(text, path, is_outdated)
    if isinstance(node.value, dict) and isinstance(value, dict):
        for key in value.keys() & node.value.keys():
            text = remove_outdated(text, value[key], is_ours, (*path, key))
    return text


def add_members(text: str, value: Json, path: tuple[str, ...] = ()) -> str:
    """Add to a document the members of `value` that it lacks, and so on inwards.

    Arrays get the elements that they do not hold yet. Raises InvalidInput where the document is
    no JSON object, or is already set to something else.
    """
    node = _at(text, path)
    if isinstance(node.value, list) and isinstance(value, list):
        for element in value:
            if element not in _at(text, path).value:
                text = _insert_item(text, _at(text, path), "", element)
    elif isinstance(node.value, dict) and isinstance(value, dict):
        for key, inner in value.items():
            if key in node.value:
                text = add_members(text, inner, (*path, key))
            else:
                text = _insert_item(text, _at(text, path), f"{json.dumps(key)}: ", inner)
    elif node.value != value:
        where = ".".join(path) or "the settings"
        raise InvalidInput(
            where, "is already set to something else", "Take it out, then try again."
        )
    return text


def remove_members(text: str, value: Json, path: tuple[str, ...] = ()) -> str:
    """Remove the members and elements of `value` from a document, and what is empty then."""
    node = _at(text, path)
    if isinstance(node.value, list) and isinstance(value, list):
        return _remove_items(text, path, lambda item: item.node.value in value)
    if not isinstance(node.value, dict) or not isinstance(value, dict):
        return text
    for key in value.keys() & node.value.keys():
        if node.value[key] != value[key]:
            text = remove_members(text, value[key], (*path, key))
        if _at(text, (*path, key)).value in (value[key], {}, []):
            text = _remove_items(text, path, partial(_has_key, key))
    return text


def _has_key(key: str, item: JsoncItem) -> bool:
    return item.key == key


def _at(text: str, path: tuple[str, ...]) -> JsoncNode:
    node = parse_jsonc(text)
    for key in path:
        node = node.get(key)
    return node


def _insert_item(text: str, node: JsoncNode, name: str, value: Json) -> str:
    """The text with one more item at the end of an object or array, in the style of the others."""
    close = node.end - 1
    if not node.items:
        inner, outer = _indents(text, node)
        inside = text[node.start + 1 : close].rstrip()
        item = _format_value(text, f"{inside}\n{inner}{name}", value, inner, outer)
        return f"{text[: node.start + 1]}{item}{_line_end(text)}{outer}{text[close:]}"
    last = node.items[-1].node.end
    before, after = (",", "")
    if _has_comma(text, last):
        last = skip_blanks(text, last) + 1
        before, after = "", ","
    rest = text[last:close]
    if "\n" not in rest:
        shown = json.dumps(value, ensure_ascii=False)
        return f"{text[:last]}{before} {name}{shown}{after}{rest}{text[close:]}"
    inner, outer = _indents(text, node)
    item = _format_value(text, f"\n{inner}{name}", value, inner, outer)
    kept = rest.rstrip()
    return f"{text[:last]}{before}{kept}{item}{after}{rest[len(kept) :]}{text[close:]}"


def _indents(text: str, node: JsoncNode) -> tuple[str, str]:
    """The indentation of what a node holds, and of the node itself."""
    outer = _indent(text, node.start)
    inner = _indent(text, node.items[-1].start) if node.items else outer
    return (inner if inner != outer else outer + "  "), outer


def _format_value(text: str, lead: str, value: Json, inner: str, outer: str) -> str:
    unit = inner.removeprefix(outer) or "  "
    shown = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{inner}")
    return (lead + shown).replace("\n", _line_end(text))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _has_comma(text: str, end: int) -> bool:
    return text.startswith(",", skip_blanks(text, end))


def _indent(text: str, at: int) -> str:
    """The whitespace at the beginning of the line that holds `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _remove_items(text: str, path: tuple[str, ...], is_meant: Callable[[JsoncItem], bool]) -> str:
    """The text without the items that are meant; each goes with its line and one comma."""
    while True:
        node = _at(text, path)
        number = next((n for n, item in enumerate(node.items) if is_meant(item)), None)
        if number is None:
            return text
        text = _without(text, node, number)


def _without(text: str, node: JsoncNode, number: int) -> str:
    item = node.items[number]
    before = text[: item.start].rstrip()
    end = item.node.end
    if _has_comma(text, end):
        end = skip_blanks(text, end) + 1
    elif number > 0:
        comma = skip_blanks(text, node.items[number - 1].node.end)
        before = before[:comma] + before[comma + 1 :]
    if len(node.items) == 1 and not text[node.start + 1 : item.start].strip():
        end = len(text) - len(text[end:].lstrip())
    return before + text[end:]

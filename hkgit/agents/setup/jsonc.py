"""JSON with comments, changed in place.

Comments (`//`, `/* */`) and a comma behind the last item are read as editors read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json
from hkgit.values import dataclass

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[-+.\w]+")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 100

IsOurs = Callable[[object], bool]
"""Whether an element of an array is one that some version of hkgit has put there."""


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


def add_members(text: str, value: Json, is_ours: IsOurs = lambda element: False) -> str:
    """Add to a document the members of `value` that it lacks, and so on inwards.

    Arrays get the elements that they do not hold yet, and lose others that are ours. Raises
    InvalidInput where the document is not a JSON object, or is already set to something else.
    """
    found = _without_outdated(parse_jsonc(text).value, value, is_ours)
    return _change(text, _join(found, value, ()))


def remove_members(text: str, value: Json, is_ours: IsOurs = lambda element: False) -> str:
    """Remove the members and elements of `value` from a document, and what is empty then.

    Of its arrays those that are ours go, too. Raises InvalidInput where it is not JSON.
    """
    found = _without_outdated(parse_jsonc(text).value, value, is_ours)
    return _change(text, _subtract(found, value))


def _without_outdated(found: Json, value: Json, is_ours: IsOurs) -> Json:
    """What is found without the elements that are ours and not as in `value`."""
    if isinstance(found, list) and isinstance(value, list):
        return [each for each in found if each in value or not is_ours(each)]
    if isinstance(found, dict) and isinstance(value, dict):
        return {k: _without_outdated(v, value.get(k), is_ours) for k, v in found.items()}
    return found


def _join(found: Json, value: Json, path: tuple[str, ...]) -> Json:
    if isinstance(found, list) and isinstance(value, list):
        return [*found, *(each for each in value if each not in found)]
    if isinstance(found, dict) and isinstance(value, dict):
        own = {k: _join(found[k], v, (*path, k)) if k in found else v for k, v in value.items()}
        return found | own
    if found != value:
        where, what = ".".join(path) or "the settings", "is already set to something else"
        raise InvalidInput(where, what, "Take it out, then try again.")
    return found


def _subtract(found: Json, value: Json) -> Json:
    if isinstance(found, list) and isinstance(value, list):
        return [each for each in found if each not in value]
    if isinstance(found, dict) and isinstance(value, dict):
        left = {k: _subtract(v, value[k]) if k in value else v for k, v in found.items()}
        return {k: v for k, v in left.items() if k not in value or v not in (value[k], {}, [])}
    return found


def _change(text: str, wanted: Json) -> str:
    """Change a document to what is wanted, item by item: all others keep their bytes."""
    while (changed := _change_item(text, parse_jsonc(text), wanted)) is not None:
        text = changed
    return text


def _change_item(text: str, node: JsoncNode, wanted: Json) -> str | None:
    """Take out or put in the first item that differs; None where none does."""
    if isinstance(wanted, dict):
        kept = [item.key in wanted for item in node.items]
        new = [(f"{json.dumps(k)}: ", v) for k, v in wanted.items() if k not in node.value]
    elif isinstance(wanted, list):
        kept = [item.node.value in wanted for item in node.items]
        new = [("", each) for each in wanted if each not in node.value]
    else:
        return None
    if not all(kept):
        return _without(text, node, kept.index(False))
    if new:
        return _insert_item(text, node, *new[0])
    inner = wanted if isinstance(wanted, dict) else {}
    changed = (_change_item(text, node.get(key), each) for key, each in inner.items())
    return next((each for each in changed if each is not None), None)


def _insert_item(text: str, node: JsoncNode, name: str, value: Json) -> str:
    """The text with one more item at the end of an object or array, in the style of the others."""
    close, end = node.end - 1, "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, node.start)
    at, before, after = node.start + 1, "", ""
    if node.items:
        at, before = node.items[-1].node.end, ","
        if _has_comma(text, at):
            at, before, after = skip_blanks(text, at) + 1, "", ","
    rest = text[at:close]
    if node.items and "\n" not in rest:
        item = f" {name}{json.dumps(value, ensure_ascii=False)}{after}{rest}"
        return f"{text[:at]}{before}{item}{text[close:]}"
    inner = _indent(text, node.items[-1].start) if node.items else outer
    inner = inner if inner != outer else f"{outer}  "
    shown = json.dumps(value, indent=inner.removeprefix(outer) or "  ", ensure_ascii=False)
    item = f"\n{name}{shown}".replace("\n", f"{end}{inner}")
    kept = rest.rstrip()
    blank = rest[len(kept) :] if node.items else f"{end}{outer}"
    return f"{text[:at]}{before}{kept}{item}{after}{blank}{text[close:]}"


def _has_comma(text: str, end: int) -> bool:
    return text.startswith(",", skip_blanks(text, end))


def _indent(text: str, at: int) -> str:
    """The whitespace at the beginning of the line that holds `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


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

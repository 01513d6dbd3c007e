"""JSON with comments, changed in place.

Comments (`//`, `/* */`) and a comma behind the last item are read as editors read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json

_COMMENT = r"(?>//[^\n]*|/\*(?s:.*?)\*/)"
_BLANKS = rf"(?:\s|{_COMMENT})*"
_BEYOND_JSON = rf'"(?:[^"\\]|\\.)*"|{_COMMENT}|[{{\[]{_BLANKS},|,(?={_BLANKS}[}}\]])'
"""Comments and last commas; and what has none: strings, and an opening with a comma behind it."""
_decode = json.JSONDecoder().raw_decode

IsOurs = Callable[[object], bool]
"""Whether an element of an array is one that some version of hkgit has put there."""


class JsoncItem(NamedTuple):
    """A value and where it is: the document, an element, or a member, which begins with its key.

    `plain` is the whole document as plain JSON, with everything at its place.
    """

    plain: str
    start: int
    key: str | None
    value_start: int
    end: int
    value: Json

    def list_items(self) -> list[JsoncItem]:
        """List the members of an object or the elements of an array."""
        items, at = [], _skip_blanks(self.plain, self.value_start + 1)
        while at < self.end - 1:
            item = _read_item(self.plain, at, is_member=isinstance(self.value, dict))
            items.append(item)
            at = _skip_blanks(self.plain, item.end)
            at = _skip_blanks(self.plain, at + 1) if self.plain.startswith(",", at) else at
        return items


def parse_jsonc(text: str) -> JsoncItem:
    """Parse the whole document. Raises InvalidInput where it is not JSON."""
    plain = re.sub(
        _BEYOND_JSON,
        lambda found: found[0] if found[0][0] in '"{[' else re.sub(r"[^\n]", " ", found[0]),
        text.replace("\ufeff", " ", text[:1] == "\ufeff"),
    )
    try:
        json.loads(plain)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InvalidInput(f"line {line}", "is not JSON", "Fix the settings first.") from error
    return _read_item(plain, _skip_blanks(plain, 0))


def _skip_blanks(text: str, at: int) -> int:
    """Find where whitespace and comments end."""
    found = re.compile(_BLANKS).match(text, at)
    return at if found is None else found.end()


def _read_item(plain: str, start: int, *, is_member: bool = False) -> JsoncItem:
    key, at = _decode(plain, start) if is_member else (None, start)
    if is_member:
        at = _skip_blanks(plain, _skip_blanks(plain, at) + 1)
    value, end = _decode(plain, at)
    return JsoncItem(plain=plain, start=start, key=key, value_start=at, end=end, value=value)


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


def _change_item(text: str, whole: JsoncItem, wanted: Json) -> str | None:
    """Take out or put in the first item that differs; None where none does."""
    if not isinstance(wanted, dict | list):
        return None
    items, is_object = whole.list_items(), isinstance(wanted, dict)
    kept = [(item.key if is_object else item.value) in wanted for item in items]
    if not all(kept):
        return _without(text, whole, items, kept.index(False))
    new = [each for each in wanted if each not in whole.value]
    if new:
        name, value = (f"{json.dumps(new[0])}: ", wanted[new[0]]) if is_object else ("", new[0])
        return _insert_item(text, whole, items, name, value)
    # Of several members of a name the last counts, as JSON readers have it.
    members = {item.key: item for item in items}
    inner = wanted.items() if isinstance(wanted, dict) else ()
    changed = (_change_item(text, members[key], each) for key, each in inner)
    return next((each for each in changed if each is not None), None)


def _insert_item(
    text: str, whole: JsoncItem, items: list[JsoncItem], name: str, value: Json
) -> str:
    """The text with one more item at the end of an object or array, in the style of the others."""
    close, end = whole.end - 1, "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, whole.value_start)
    at, before, after = whole.value_start + 1, "", ""
    if items:
        at, before = items[-1].end, ","
        if _has_comma(text, at):
            at, before, after = _skip_blanks(text, at) + 1, "", ","
    rest = text[at:close]
    if items and "\n" not in rest:
        item = f" {name}{json.dumps(value, ensure_ascii=False)}{after}{rest}"
        return f"{text[:at]}{before}{item}{text[close:]}"
    inner = _indent(text, items[-1].start) if items else outer
    inner = inner if inner != outer else f"{outer}  "
    shown = json.dumps(value, indent=inner.removeprefix(outer) or "  ", ensure_ascii=False)
    item = f"\n{name}{shown}".replace("\n", f"{end}{inner}")
    kept = rest.rstrip()
    blank = rest[len(kept) :] if items else f"{end}{outer}"
    return f"{text[:at]}{before}{kept}{item}{after}{blank}{text[close:]}"


def _has_comma(text: str, end: int) -> bool:
    return text.startswith(",", _skip_blanks(text, end))


def _indent(text: str, at: int) -> str:
    """The whitespace at the beginning of the line that holds `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _without(text: str, whole: JsoncItem, items: list[JsoncItem], number: int) -> str:
    item = items[number]
    before, end = text[: item.start].rstrip(), item.end
    if _has_comma(text, end):
        end = _skip_blanks(text, end) + 1
    elif number > 0:
        comma = _skip_blanks(text, items[number - 1].end)
        before = before[:comma] + before[comma + 1 :]
    if len(items) == 1 and not text[whole.value_start + 1 : item.start].strip():
        end = len(text) - len(text[end:].lstrip())
    return before + text[end:]

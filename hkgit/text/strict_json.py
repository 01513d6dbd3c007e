"""Strict JSON, with the path of what is wrong.

A reader of specs must not choose between two readings: duplicate keys, NaN, lone surrogates,
numbers out of bounds and nesting without end are refused, each with its JSON path.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping

from hkgit.errors import SEND_AGAIN, InvalidInput
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = Any
else:
    Json = object  # hooks load this module at each call of a tool, and nothing else of `typing`
"""A value that JSON can say: dict, list, str, int, float, bool or None. Read one through `Node`."""

JsonObject = dict[str, Json]

ROOT = "the document"

_HASH = r"[0-9A-Fa-f]{12,64}"
_PLAIN_KEY = r"[A-Za-z_]\w*"


@dataclass(frozen=True)
class Node:
    """A JSON value with its path; its methods check the type, and raise InvalidInput.

    `above` is the path itself, or else the node that it is a member of, by the name `step`.
    """

    above: str | Node
    value: object
    step: str | int = ""

    @property
    def path(self) -> str:
        if isinstance(self.above, str):
            return self.above
        return _join_names(self.above.path, self.step)

    def wrong(self, expected: str, fix: str = "") -> InvalidInput:
        """Build the error that says what was expected here and what was found."""
        return InvalidInput(self.path, f"expected {expected}, found {_show_value(self.value)}", fix)

    def text(self, expected: str = "a string") -> str:
        if not isinstance(self.value, str):
            raise self.wrong(expected)
        return self.value

    def name(self, expected: str) -> str:
        """Return a string that is not empty."""
        if self.text(expected) == "":
            raise self.wrong(expected)
        return self.text()

    def integer(self, minimum: int) -> int:
        if type(self.value) is not int or self.value < minimum:
            raise self.wrong(f"an integer from {minimum}")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def items(self, expected: str = "a list") -> list[Node]:
        if not isinstance(self.value, list):
            is_quoted = isinstance(self.value, str) and self.value.lstrip()[:1] == "["
            raise self.wrong(expected, "Remove the quotes around it." if is_quoted else "")
        return [Node(self, item, at) for at, item in enumerate(self.value)]

    def members(self, expected: str = "an object") -> dict[str, Node]:
        if not isinstance(self.value, dict):
            raise self.wrong(expected)
        return {key: Node(self, item, key) for key, item in self.value.items()}

    def fields(self, required: Collection[str], optional: Collection[str]) -> dict[str, Node]:
        """Return the members of an object that has all the required keys and no unknown ones."""
        return check_fields(self.path, self.members(), required, optional)


def check_fields(
    path: str, members: dict[str, Node], required: Collection[str], optional: Collection[str]
) -> dict[str, Node]:
    """Return the members; raise InvalidInput if one is unknown or a required one is missing."""
    for key in members:
        if key not in required and key not in optional:
            known = ", ".join(dict.fromkeys([*required, *optional]))
            raise InvalidInput(path, f'unknown key "{key}"', f"Known keys here: {known}.")
    for key in required:
        if key not in members:
            raise InvalidInput(path, f'missing key "{key}"', f'Add "{key}".')
    return members


def read_expected_hash(fields: Mapping[str, Node]) -> str | None:
    """Read the member `expected_hash` of an object in lower case, if it has one."""
    node = fields.get("expected_hash")
    return None if node is None else read_hash(node)


def read_hash(node: Node) -> str:
    """Read a hash, or its first digits, in lower case."""
    if re.fullmatch(_HASH, node.text("a hash")) is None:
        raise node.wrong("12 to 64 hex digits", "Take the hash from `hkgit read`.")
    return node.text().lower()


def _show_value(value: object) -> str:
    """A value as its author wrote it, cut short."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
    shown = json.dumps(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _join_names(path: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    part = f".{key}" if re.fullmatch(_PLAIN_KEY, key) else f"[{json.dumps(key)}]"
    return part.lstrip(".") if path == ROOT else path + part


MAX_DEPTH = 64
MAX_DIGITS = 18

_OPENING = r'(?m)^[ \t]*(?=\{|\[\s*+[\[{"\]])'
_KEY = r'[{,]\s*+"(\w++)"\s*+:'
# An open string runs to the end, else every quote in it would be tried as a beginning.
_TOKEN = r'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|(?P<open>\\?\Z))|[\[\]{}]'
_CLOSERS = {"[": "]", "{": "}"}
_CLOSING_FENCE = r"(?:\A|\n)[ \t]*(?:`{3,}|~{3,})\Z"
_HALF_TOKEN = r"[a-z]{1,4}|-|[0-9.eE+-]+|\\(?:u[0-9A-Fa-f]{0,3})?"
_REST_OF_LINE = r"[^\n]*"
_SURROGATE = "[\ud800-\udfff]"


@dataclass(frozen=True)
class _Flaw:
    """Replaces, in a decoded value, what JSON must not hold, until the walk names its path."""

    what: str


def has_opening(text: str) -> bool:
    """Whether a line begins as a JSON document does; else a text holds none."""
    return re.search(_OPENING, text) is not None


def collect_keys(text: str) -> frozenset[str]:
    """Collect the keys of all objects of the JSON in a text, which may be broken.

    Inside a JSON string every quote has a backslash before it, so no string looks like a key.
    """
    opening = re.search(_OPENING, text)
    return frozenset(re.compile(_KEY).findall(text, opening.end()) if opening else ())


def parse_documents(text: str) -> list[Node]:
    """Parse every JSON document of a text, in order; prose and fences around them are skipped.

    A document begins a line with a bracket, and nothing else follows it on its last line.
    Raises InvalidInput when there is none, or when what looks like JSON is not.
    """
    values: list[object] = []
    offset = 0
    while opening := re.compile(_OPENING).search(text, offset):
        value, offset = _decode(text, opening.end())
        _refuse_leftover(text, offset)
        values.append(value)
    if not values:
        raise InvalidInput("line 1", "expected JSON, found nothing", "Give one JSON document.")
    roots = [ROOT] if len(values) == 1 else [f"document {i}" for i in range(1, len(values) + 1)]
    nodes = [Node(root, value) for root, value in zip(roots, values, strict=True)]
    for node in nodes:
        _expect_sound(node)
    return nodes


def parse_document(text: str) -> Node:
    """Parse the one JSON document of a text; raise InvalidInput for none or several."""
    found = parse_documents(text)
    if len(found) > 1:
        what = f"expected one JSON document, found {len(found)}"
        raise InvalidInput("the spec", what, "Put all operations into one document.")
    return found[0]


def parse_inner(node: Node) -> list[Node]:
    """Parse the documents of JSON in a string; errors name its path too."""
    try:
        return parse_documents(node.text())
    except InvalidInput as error:
        raise InvalidInput(f"{node.path}, {error.where}", error.what, error.fix) from error


def dumps(value: object) -> str:
    """Write a value as JSON on one line, in the characters it was written with.

    Raises InvalidInput for text that is not Unicode, which JSON cannot carry.
    """
    rendered = json.dumps(value, ensure_ascii=False)
    if re.search(_SURROGATE, rendered):
        raise InvalidInput("the edit", "bytes that are not UTF-8 cannot be written in JSON")
    return rendered


def _decode(text: str, start: int) -> tuple[object, int]:
    if text.count("[", start) + text.count("{", start) > MAX_DEPTH:
        _find_missing_ends(text, start)
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if _is_cut_off(text, error):
            what = f"the JSON ends too early: {_find_missing_ends(text, start)} is missing"
            raise InvalidInput(name_line(text, len(text)), what, SEND_AGAIN) from error
        where = f"line {error.lineno}, column {error.colno}"
        found = text[error.pos : error.pos + 20].split("\n")[0]
        seen = f"found {found!r}" if found else "found the end of the line"
        what = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}, {seen}"
        fix = 'Write strings in "double quotes", with \\n for a line end and \\" for a quote.'
        raise InvalidInput(where, what, fix) from error


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the first mistake of some JSON is that it ends, but for the fence around it."""
    rest = re.sub(_CLOSING_FENCE, "", text[error.pos :].rstrip()).strip()
    is_string = error.msg.startswith("Unterminated")
    return not rest or is_string or re.fullmatch(_HALF_TOKEN, rest) is not None


def _find_missing_ends(text: str, start: int) -> str:
    """Find what closes the string and the brackets of a document that the end of the text cuts off.

    Raises InvalidInput where it nests too deep.
    """
    stack: list[str] = []
    for token in re.compile(_TOKEN).finditer(text, start):
        if token[0] in _CLOSERS:
            stack.append(_CLOSERS[token[0]])
            if len(stack) > MAX_DEPTH:
                what = f"expected at most {MAX_DEPTH} levels of nesting, found more"
                raise InvalidInput(name_line(text, token.start()), what)
        elif token["open"] is not None:
            stack.append('"')
        elif token[0] in "]}":
            stack.pop()
            if not stack:
                break
    return "".join(reversed(stack))


def _refuse_leftover(text: str, offset: int) -> None:
    """Nothing but a line end may follow a document, lest half of a broken one be read."""
    found = re.compile(_REST_OF_LINE).match(text, offset)
    if found is not None and (rest := found[0].strip()):
        what = f"expected the end of the line after the JSON document, found {rest[:20]!r}"
        raise InvalidInput(name_line(text, offset), what, "Give one well-formed JSON document.")


def _expect_sound(node: Node) -> None:
    """Raise InvalidInput for the first value that JSON must not hold."""
    match node.value:
        case _Flaw(what):
            raise InvalidInput(node.path, what)
        case str() as text if not text.isascii() and re.search(_SURROGATE, text):
            raise node.wrong("Unicode text", "Write characters beyond U+FFFF as they are.")
        case list():
            for item in node.items():
                _expect_sound(item)
        case dict():
            for key, member in node.members().items():
                if not key.isascii():
                    _expect_sound(Node(member.path, key))
                _expect_sound(member)


def _object(pairs: list[tuple[str, object]]) -> object:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
    return _Flaw(f'the key "{twice}" is given twice')


def _integer(digits: str) -> object:
    if len(digits) > MAX_DIGITS:
        return _Flaw(f"expected an integer of at most {MAX_DIGITS} digits, found {len(digits)}")
    return int(digits)


def _float(digits: str) -> object:
    value = float(digits)
    return value if abs(value) < float("inf") else _Flaw(f"the number {digits[:20]} is too large")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=lambda name: _Flaw(f"{name} is not JSON"),
)


def name_line(text: str, offset: int) -> str:
    """Name the line of a text that a character is on."""
    return f"line {text.count(chr(10), 0, offset) + 1}"

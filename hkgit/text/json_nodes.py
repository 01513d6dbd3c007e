"""json_nodes.py: JSON values that know their path, so that errors can name it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from hkgit.errors import InvalidInput
from hkgit.values import dataclass, late_pattern

Json = Any
"""A value that JSON can say: dict, list, str, int, float, bool or None. Read one through `Node`."""

JsonObject = dict[str, Json]

ROOT = "the document"

_HASH = late_pattern(r"[0-9A-Fa-f]{12,64}")
_PLAIN_KEY = late_pattern(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value with its path; its methods check the type, and raise InvalidInput."""

    path: str
    value: object

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
            raise self.wrong(expected, "Take the quotes around it away." if is_quoted else "")
        return [Node(f"{self.path}[{i}]", item) for i, item in enumerate(self.value)]

    def lines(self) -> tuple[str, ...]:
        """Return a list of strings without line ends."""
        if not isinstance(self.value, list):
            raise self.wrong("a list of lines")
        for i, line in enumerate(self.value):
            if not isinstance(line, str) or "\n" in line:
                item = Node(f"{self.path}[{i}]", line)
                raise item.wrong("a line without \\n", "Give one item for each line.")
        return tuple(self.value)

    def members(self, expected: str = "an object") -> dict[str, Node]:
        if not isinstance(self.value, dict):
            raise self.wrong(expected)
        return {key: Node(_join_names(self.path, key), item) for key, item in self.value.items()}

    def fields(self, required: Collection[str], optional: Collection[str]) -> dict[str, Node]:
        """Return the members of an object that has all the required keys and no unknown ones."""
        return check_fields(self.path, self.members(), required, optional)


def check_fields(
    path: str, members: dict[str, Node], required: Collection[str], optional: Collection[str]
) -> dict[str, Node]:
    """Return the members; raise InvalidInput if one is unknown or a required one is missing."""
    for key in members:
        if key not in required and key not in optional:
            known = ", ".join([*required, *optional])
            raise InvalidInput(path, f'unknown key "{key}"', f"Known keys here: {known}.")
    for key in required:
        if key not in members:
            raise InvalidInput(path, f'missing key "{key}"', f'Add "{key}".')
    return members


def read_expected_hash(fields: Mapping[str, Node]) -> str | None:
    """Read the member `read_expected_hash` of an object in lower case, if it has one."""
    node = fields.get("expected_hash")
    if node is None:
        return None
    if _HASH.fullmatch(node.text("a hash")) is None:
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


def _join_names(path: str, key: str) -> str:
    part = f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"
    return part.lstrip(".") if path == ROOT else path + part

"""Declare arguments once: for the JSON Schema of a call, for its check, for the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hkgit.edits import encode_text
from hkgit.errors import InvalidInput
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

LONGEST_TEXT = 16 * 2**20
"""In characters; so much a single argument may hold, and more than any ledger entry keeps."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "text": (str, dict, list),
}
"""A `text` is a string; where a client has read it as JSON already, it is said again, and then
checked as any other."""

_TEXT_SCHEMAS = [
    {"type": "string"},
    {"type": "object"},
    {"type": "array", "items": {"type": "object"}},
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.applying.planner import Options

Values = JsonObject
"""The arguments of a call, as `check_arguments` accepts them."""


class WrongArguments(InvalidInput):
    """What a call was given is not what its schema says."""


@dataclass(frozen=True)
class Argument:
    """One argument of a call; an `array` holds strings."""

    name: str
    type: str
    about: str
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    default: str | float | None = None

    def schema(self) -> JsonObject:
        """Write the argument as a JSON Schema."""
        schema: JsonObject = {"type": self.type, "description": self.about}
        if self.type == "text":
            schema = {"anyOf": _TEXT_SCHEMAS, "description": self.about}
        if self.type == "array":
            schema["items"] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        more = {"minimum": self.minimum, "maximum": self.maximum, "default": self.default}
        return schema | {name: each for name, each in more.items() if each is not None}

    def check(self, value: object) -> None:
        """Raise WrongArguments for a value that the schema does not allow."""
        if not _is_a(self.type, value):
            raise self._refuse(f"must be of type {self.type}, not {_name_type(value)}")
        if self.type == "array" and not _holds_strings(value):
            raise self._refuse("must contain only strings")
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise self._refuse(f"is longer than {LONGEST_TEXT} characters")
        if any(map(_is_broken, value if isinstance(value, list) else [value])):
            raise self._refuse("contains half of a character, a lone surrogate")
        if self.choices and value not in self.choices:
            raise self._refuse(f"must be one of {', '.join(self.choices)}")
        if isinstance(value, int | float):
            self._check_bounds(value)

    def _check_bounds(self, value: float) -> None:
        if self.minimum is not None and not value >= self.minimum:
            raise self._refuse(f"must be at least {self.minimum:g}")
        if self.maximum is not None and not value <= self.maximum:
            raise self._refuse(f"must be at most {self.maximum:g}")

    def _refuse(self, what: str) -> WrongArguments:
        return WrongArguments(f"argument {self.name}", what, self.about)


DEFAULT_THRESHOLD = 0.8
FORMAT = Argument("format", "string", "The dialect of the edits.", default="auto")
EMPTY_SEARCH = Argument(
    "empty_search",
    "string",
    "What an empty SEARCH means: a new file, or the end of an existing one.",
    choices=("create", "append"),
    default="create",
)
THRESHOLD = Argument(
    "threshold",
    "number",
    "How alike a fuzzy match must be; it decides the place, and never lets an edit overwrite lines"
    " that it misquotes. With 1 the old text must be in the file byte for byte.",
    minimum=0,
    maximum=1,
    default=DEFAULT_THRESHOLD,
)
EXPECT = Argument("expect", "array", "The hash of what was read, PATH:START-END=HASH.")
RELOCATE = Argument("relocate", "boolean", "Follow line ranges that have moved.")
CHECK_SYNTAX = Argument(
    "check_syntax",
    "boolean",
    "Refuse every edit that leaves a file that no longer parses, or none; by default only inexact"
    " edits.",
)
DRY_RUN = Argument("dry_run", "boolean", "Show what would change; change nothing.")
MESSAGE = Argument("message", "string", "The commit message.")
BRANCH = Argument("branch", "string", "Land on this branch; created at the base if missing.")
BASE = Argument("base", "string", "The commit that the edits were written against.")
HASHLINE = Argument("hashline", "boolean", "Show each line with its tag: ab|text.")
LIMIT = Argument("limit", "integer", "Show at most this many lines.", minimum=1)
BEFORE = Argument("before", "string", "Read what this call of the session changed.")
CALL = Argument("call", "string", "The call to undo, instead of the last.")
WHOLE_SESSION = Argument("whole_session", "boolean", "Undo every call of the session.")


def _is_a(name: str, value: object) -> bool:
    """Whether a value of JSON is of a type; true and false are no numbers."""
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _holds_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_broken(value: object) -> bool:
    """Whether it is a text that no bytes represent."""
    try:
        encode_text(value if isinstance(value, str) else "")
    except UnicodeEncodeError:
        return True
    return False


def _name_type(value: object) -> str:
    known = (name for name in _TYPES if _is_a(name, value))
    return next(known, "null" if value is None else "object")


def schema(arguments: tuple[Argument, ...]) -> JsonObject:
    """Write what a call takes, as a JSON Schema."""
    return {
        "type": "object",
        "properties": {argument.name: argument.schema() for argument in arguments},
        "required": [argument.name for argument in arguments if argument.required],
        "additionalProperties": False,
    }


def check_arguments(arguments: tuple[Argument, ...], given: object) -> Values:
    """Check what was given, and leave nulls out. Raises WrongArguments."""
    if not isinstance(given, Mapping):
        raise WrongArguments("arguments", f"are of type {_name_type(given)}", "Send a JSON object.")
    values = {name: value for name, value in given.items() if value is not None}
    known = {argument.name: argument for argument in arguments}
    for name, value in values.items():
        if name not in known:
            raise WrongArguments(f"argument {name}", "is unknown", f"Known: {', '.join(known)}.")
        if known[name].type == "text" and isinstance(value, dict | list):
            values[name] = json.dumps(value, ensure_ascii=False)
        known[name].check(values[name])
    for argument in arguments:
        if argument.required and argument.name not in values:
            raise WrongArguments(f"argument {argument.name}", "is missing", argument.about)
    return values


def planning_options(given: Values, *, allow_blind: bool) -> Options:
    """Convert a call's arguments to the options of the planner."""
    from hkgit.applying.planner import Options  # who only reads plans nothing

    return Options.of(
        given.get("threshold", DEFAULT_THRESHOLD),
        relocate=given.get("relocate", False),
        check_syntax=given.get("check_syntax"),
        allow_blind=allow_blind,
    )

"""Declare arguments once: for the JSON Schema of a call, for its check, for the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import dataclass

LONGEST_TEXT = 16 * 2**20
"""In characters; so much a single argument may hold, and more than any ledger entry keeps."""

_HALF = "[\ud800-\udc7f\udd00-\udfff]"
"""Half of a character; other surrogates stand for bytes that are not UTF-8."""

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

    def check(self, value: object) -> Json:
        """Return a value as the schema allows it, numbers as what they are.

        A `text` is a string; where a client has read it as JSON already, it is written again.
        Raises WrongArguments for a value that the schema does not allow.
        """
        from hkgit.text.formats import find_faults  # commands do not check what Click has read

        schema, where = self.schema(), f"argument {self.name}"
        if self.type == "text":
            schema = {"type": "string"}
            if isinstance(value, dict | list):
                value = json.dumps(value, ensure_ascii=False)
        for fault in find_faults(where, value, schema, self.about):
            raise WrongArguments(fault.where, fault.what, fault.fix)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and len(each) > LONGEST_TEXT:
                what = f"is longer than {LONGEST_TEXT} characters"
                raise WrongArguments(where, what, self.about)
            if isinstance(each, str) and re.search(_HALF, each):
                what = "contains half of a character, a lone surrogate"
                raise WrongArguments(where, what, self.about)
        return int(value) if self.type == "integer" and isinstance(value, float) else value


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
        raise WrongArguments("arguments", "are not an object", "Send a JSON object.")
    known = {argument.name: argument for argument in arguments}
    values = {name: value for name, value in given.items() if value is not None}
    for name, value in values.items():
        if name not in known:
            raise WrongArguments(f"argument {name}", "is unknown", f"Known: {', '.join(known)}.")
        values[name] = known[name].check(value)
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

"""JSON Schemas of the documents that other programs may rely on, written from their types."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from hkgit.text.formats import FORMATS
from hkgit.text.strict_json import JsonObject

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_STRICT = ("ledger",)
"""Documents in which no other key may stand."""


def describe_format(name: str) -> JsonObject:
    """Write the schema of a document. Raises KeyError where there is none of this name."""
    return _write(FORMATS[name], is_open=name not in _STRICT)


def describe_choice(*names: str) -> JsonObject:
    """Write the schema of an object that is one of several documents."""
    return {"type": "object", "anyOf": [_write(FORMATS[name], is_open=True) for name in names]}


def _write(kind: Any, *, is_open: bool) -> JsonObject:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is None:
        known = _PLAIN.get(kind)
        return {"type": known} if known else _write_object(kind, is_open=is_open)
    if origin is Literal:
        return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
    if origin is Annotated:
        schema, notes = _write(args[0], is_open=is_open), args[1:]
        for note in notes:
            schema |= {"description": note} if isinstance(note, str) else note.words
        return schema
    parts = [_write(each, is_open=is_open) for each in args]
    if origin is NotRequired:
        return parts[0]
    if origin is list:
        return {"type": "array", "items": parts[0]}
    if origin is tuple:
        return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}
    if origin is dict:
        return {"type": "object"} | ({"additionalProperties": parts[1]} if parts[1] else {})
    return _write_choice(parts)


def _write_object(kind: Any, *, is_open: bool) -> JsonObject:
    """Write a TypedDict, whose docstring describes it."""
    hints = get_type_hints(kind, include_extras=True)
    # With postponed annotations `__required_keys__` has those of `NotRequired` as well.
    optional = {name for name, each in hints.items() if get_origin(each) is NotRequired}
    schema: JsonObject = {
        "description": cleandoc(kind.__doc__),
        "type": "object",
        "properties": {name: _write(each, is_open=is_open) for name, each in hints.items()},
        "required": [name for name in hints if name in kind.__required_keys__ - optional],
    }
    return schema if is_open else schema | {"additionalProperties": False}


def _write_choice(parts: Sequence[JsonObject]) -> JsonObject:
    """Write what is one of several; null joins the type or the values of the only other one."""
    null: JsonObject = {"type": "null"}
    others = [part for part in parts if part != null]
    if len(others) == len(parts) or len(others) > 1:
        return {"anyOf": list(parts)}
    other = others[0]
    if "enum" in other:
        return other | {"enum": [*other["enum"], None]}
    return other | {"type": [other["type"], "null"]} if "type" in other else {"anyOf": list(parts)}

"""Describe the fields of values to `dataclasses`, which few commands ever load."""

from __future__ import annotations

import dataclasses
from inspect import get_annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def describe_fields(owner: type, specs: Mapping[str, Any], absent: object) -> dict[str, Any]:
    """Build the `__dataclass_fields__` that `dataclasses` expects of a class.

    `specs` says of each field its `default`, `default_factory`, `repr` and `compare`; `absent`
    stands for a default that there is not.
    """
    found = {}
    for name, spec in specs.items():
        given: dict[str, Any] = {"default": spec.default, "default_factory": spec.default_factory}
        defaults = {key: value for key, value in given.items() if value is not absent}
        field: Any = dataclasses.field(
            **defaults, repr=spec.repr, compare=spec.compare, kw_only=False
        )
        # What `dataclasses` keeps in a field is not in its stubs.
        field.name, field._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
        field.type = _find_annotation(owner, name)
        found[name] = field
    return found


def _find_annotation(owner: type, name: str) -> object:
    found = map(get_annotations, owner.__mro__)
    return next((each[name] for each in found if name in each), None)

"""Read values of a TOML table by type; errors name the key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard, TypeVar

from hkgit.errors import InvalidInput

_ID = r"[0-9a-f]{40}([0-9a-f]{24})?"

Default = TypeVar("Default", tuple[str, ...], None)


class Table:
    """A TOML table that names its source and key when a value is wrong."""

    def __init__(self, source: str, table: object) -> None:
        self.source = source
        if not isinstance(table, dict):
            raise InvalidInput(source, "the gate's policy is not a table", "Write [gate].")
        self.table: Mapping[str, object] = table

    def wrong(self, key: str, expected: str) -> InvalidInput:
        found = self.table.get(key)
        return InvalidInput(f"{self.source}: {key}", f"expected {expected}, found {found!r}")

    def check_keys(self, *known: str) -> None:
        for key in self.table:
            if key not in known:
                fix = f"Known keys: {', '.join(known)}."
                raise InvalidInput(f"{self.source}: {key}", "unknown key of the policy", fix)

    def text(self, key: str) -> str | None:
        if key not in self.table:
            return None
        value = self.table[key]
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def commit(self, key: str) -> str | None:
        """Read the whole id of a commit: what is shorter could be the name of a branch."""
        value = self.text(key)
        if value is not None and not re.fullmatch(_ID, value):
            raise self.wrong(key, "all 40 digits of a commit")
        return value

    def texts(self, key: str, default: Default) -> tuple[str, ...] | Default:
        """Read a list of strings, or return the default."""
        if key not in self.table:
            return default
        values = self.table[key]
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self.wrong(key, "a list of strings")
        return tuple(values)

    def globs(self, key: str) -> tuple[str, ...]:
        """Read a list of strings that may not be empty."""
        globs = self.texts(key, ())
        if not globs:
            raise self.wrong(key, "at least one glob")
        return globs

    def integers(self, key: str) -> tuple[int, ...] | None:
        if key not in self.table:
            return None
        values = self.table[key]
        if not isinstance(values, list) or not all(map(_is_whole, values)):
            raise self.wrong(key, "a list of integers")
        return tuple(map(int, values))

    def integer(self, key: str, least: int, most: int) -> int:
        value = self.table.get(key)
        if not _is_whole(value) or not least <= value <= most:
            raise self.wrong(key, f"an integer from {least} to {most}")
        return int(value)

    def flag(self, key: str) -> bool:
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def choice(self, key: str, known: Sequence[str]) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or value not in known:
            raise self.wrong(key, f"one of {', '.join(known)}")
        return str(value)

    def choices(self, key: str, known: Sequence[str]) -> tuple[str, ...]:
        values = self.texts(key, ())
        if any(value not in known for value in values):
            raise self.wrong(key, f"some of {', '.join(dict.fromkeys(map(str, known)))}")
        return values

    def per_mille(self, key: str) -> int:
        value = self.table.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.wrong(key, "a number from 0 to 1")
        return round(value * 1000)

    def inner(self, key: str, *known: str) -> Table:
        """Read a table of the table, with these keys; an empty one where there is none."""
        table = self.table.get(key, {})
        if not isinstance(table, dict):
            raise self.wrong(key, "a table")
        inner = Table(f"{self.source}: {key}", table)
        inner.check_keys(*known)
        return inner

    def tables(self, key: str) -> Iterator[Table]:
        """Yield the tables of a list, each to be read by itself."""
        tables = self.table.get(key, [])
        if not isinstance(tables, list):
            raise self.wrong(key, "a list of tables")
        for table in tables:
            yield Table(f"{self.source}: {key}", table)


def _is_whole(value: object) -> TypeGuard[int | float]:
    """Whether a value is a whole number; 1.0 is one, as in JSON Schema."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or value.is_integer()

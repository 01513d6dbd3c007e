"""records.py: one conflict as a value and as JSON: what was expected, what is there, who, when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from hkgit.errors import InvalidInput

Json = Any
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of a file at a commit: the numbers, their hash, and what they say.

    `lines` is None for the whole file, `text` where it is not known or over `noting.LONGEST`
    lines; then only the hash tells.
    """

    lines: tuple[int, int] | None
    range_hash: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Cause:
    """A commit that changed what was expected; `time` is in seconds since 1970."""

    commit: str
    author: str
    time: int
    subject: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One time that the edit was refused: when, on which tip, and with what reason."""

    time: int
    tip: str
    reason: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that was refused because its file had changed, each time that it was tried.

    `edit` is its own text in its `dialect`, as last tried. `base` is the commit it was written
    against, where that was said.
    """

    id: str
    path: str
    agent: str
    dialect: str
    edit: str
    base: str | None
    expected: Text
    found: Text
    causes: tuple[Cause, ...]
    tries: tuple[Attempt, ...]

    @property
    def lines(self) -> tuple[int, int] | None:
        """The lines it is about, in the file as the tip of its last try has it."""
        return self.found.lines

    @property
    def tip(self) -> str:
        """The commit that it was last tried on."""
        return self.tries[-1].tip


def conflict_json(conflict: Conflict) -> dict[str, Json]:
    """A conflict as one JSON object."""
    return {"schema": SCHEMA, **asdict(conflict)}


def read_conflict(document: Json) -> Conflict:
    """The conflict that a JSON document says. Raises InvalidInput."""
    try:
        if document["schema"] != SCHEMA:
            raise InvalidInput("conflict", f"schema {document['schema']} is not known here")
        named = {each.name: document[each.name] for each in fields(Conflict)}
        return Conflict(**named | {
            "expected": _text(named["expected"]),
            "found": _text(named["found"]),
            "causes": tuple(Cause(**each) for each in named["causes"]),
            "tries": tuple(Attempt(**each) for each in named["tries"]),
        })  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("conflict", f"is no record of one: {error}") from error


def _text(document: Mapping[str, Json]) -> Text:
    lines = document["lines"]
    pair = None if lines is None else (int(lines[0]), int(lines[1]))
    return Text(pair, document["range_hash"], document["text"])

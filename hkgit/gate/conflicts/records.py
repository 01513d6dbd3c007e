"""records.py: one conflict as a value and as JSON: what was expected, what is there, who, when."""

from __future__ import annotations

from hkgit.text.json_nodes import JsonObject, Node
from hkgit.values import asdict, dataclass, late_pattern

SCHEMA = 1
_ID = late_pattern(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of a file at a commit: their numbers, hash and text.

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
class ConflictTry:
    """One time that the edit was refused: when, on which tip, and with what reason."""

    time: int
    tip: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConflictRecord:
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
    tries: tuple[ConflictTry, ...]

    @property
    def lines(self) -> tuple[int, int] | None:
        """The lines it is about, in the file as the tip of its last try has it."""
        return self.found.lines

    @property
    def tip(self) -> str:
        """The commit that it was last tried on."""
        return self.tries[-1].tip


def conflict_json(conflict: ConflictRecord) -> JsonObject:
    """Write a conflict as one JSON object."""
    return {"schema": SCHEMA, **asdict(conflict)}


def read_conflict(node: Node) -> ConflictRecord:
    """Read the conflict that a JSON object says, believing nothing. Raises InvalidInput."""
    parts = node.fields(["schema", *ConflictRecord.__match_args__], [])
    if parts["schema"].integer(1) != SCHEMA:
        raise parts["schema"].wrong(f"schema {SCHEMA}", "Upgrade hkgit.")
    tries = tuple(_attempt(each) for each in parts["tries"].items())
    if not tries or _ID.fullmatch(parts["id"].text()) is None:
        raise node.wrong("an id of 16 hex digits, and at least one try")
    return ConflictRecord(
        id=parts["id"].text(),
        path=parts["path"].name("a path"),
        agent=parts["agent"].text(),
        dialect=parts["dialect"].text(),
        edit=parts["edit"].text(),
        base=_optional(parts["base"]),
        expected=_text(parts["expected"]),
        found=_text(parts["found"]),
        causes=tuple(read_cause(each) for each in parts["causes"].items()),
        tries=tries,
    )


def read_cause(node: Node) -> Cause:
    """Read the cause that a JSON object says. Raises InvalidInput."""
    parts = node.fields(["commit", "author", "time", "subject"], [])
    fields = parts["author"].text(), parts["time"].integer(0), parts["subject"].text()
    return Cause(parts["commit"].text(), *fields)


def _attempt(node: Node) -> ConflictTry:
    parts = node.fields(["time", "tip", "reason"], [])
    return ConflictTry(parts["time"].integer(0), parts["tip"].text(), parts["reason"].text())


def _text(node: Node) -> Text:
    parts = node.fields(["lines", "range_hash", "text"], [])
    lines = None
    if parts["lines"].value is not None:
        numbers = [each.integer(0) for each in parts["lines"].items()]
        if len(numbers) != 2:
            raise parts["lines"].wrong("two line numbers")
        lines = numbers[0], numbers[1]
    return Text(lines, _optional(parts["range_hash"]), _optional(parts["text"]))


def _optional(node: Node) -> str | None:
    return None if node.value is None else node.text()

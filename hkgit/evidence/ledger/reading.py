"""reading.py: parse an entry strictly."""

from __future__ import annotations

import re

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import CHECKED, KINDS
from hkgit.applying.hunks import CONTEXT
from hkgit.edits import MAX_EDITS, Read
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.canonical import text_of
from hkgit.evidence.ledger.entry import (
    MAX_BYTES,
    SCHEMA,
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    RecordedHunk,
)
from hkgit.evidence.ledger.quick import read_quickly
from hkgit.text.json_nodes import JsonObject, Node
from hkgit.text.strict_json import parse_document
from hkgit.values import late_pattern

_HEX64 = late_pattern(r"[0-9a-f]{64}\Z")
_OID = late_pattern(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_MODE = late_pattern(r"[0-7]{6}\Z")


class NewerEntry(InvalidInput):
    """An entry of a schema that only a later hkgit knows."""


def read_entry(data: bytes) -> Entry:
    """Parse the bytes of an entry.

    Raises InvalidInput where they are not canonical, NewerEntry for a later schema.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInput("ledger entry", f"has {len(data)} bytes, over {MAX_BYTES}")
    quick = read_quickly(data)
    return read_strictly(data) if quick is None else quick


def read_strictly(data: bytes) -> Entry:
    """Parse an entry without the fast path: slower, and every error names its place."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("ledger entry", "is not UTF-8") from error
    entry = _entry(parse_document(text))
    if entry.to_bytes() != data:
        raise InvalidInput("ledger entry", "is not canonical JSON and one line feed")
    return entry


def _entry(root: Node) -> Entry:
    _check_schema(root)
    parts = root.fields(
        ["schema", "ladder", "parameters", "base", "spec", "reads", "edits", "files", "claims"], []
    )
    threshold = parts["parameters"].fields(["threshold"], [])["threshold"]
    edits = tuple(_edit(node) for node in parts["edits"].items())
    if not 1 <= len(edits) <= MAX_EDITS or [e.id for e in edits] != [*range(1, len(edits) + 1)]:
        raise parts["edits"].wrong(f"1 to {MAX_EDITS} edits, numbered from 1")
    return Entry(
        ladder=parts["ladder"].integer(0),
        threshold=_per_mille(threshold),
        base=_optional(parts["base"], _OID),
        spec_digest=_hex(parts["spec"].fields(["digest"], [])["digest"]),
        reads=tuple(_read(node) for node in parts["reads"].items()),
        edits=edits,
        files=tuple(_file(node) for node in parts["files"].items()),
        claims=_claims(parts["claims"]),
    )


def _check_schema(root: Node) -> None:
    """A newer schema is said to be newer before anything else is found wrong with it."""
    schema = root.members().get("schema")
    if schema is None:
        raise InvalidInput(root.path, "is no ledger entry: it has no schema")
    if schema.integer(1) > SCHEMA:
        what = f"is {schema.value}, this hkgit knows {SCHEMA}"
        raise NewerEntry(schema.path, what, "Upgrade hkgit.")


def _claims(node: Node) -> JsonObject:
    """What nobody can recompute: anything, but the agent's name is to be printed on one line."""
    claims = node.members()
    if "agent" in claims and not claims["agent"].text().isprintable():
        raise claims["agent"].wrong("one line of printable text")
    return {key: claim.value for key, claim in claims.items()}


def _read(node: Node) -> Read:
    parts = node.fields(["path", "lines", "range_hash", "kind"], [])
    lines = None if parts["lines"].value is None else _lines(parts["lines"])
    first, last = (None, None) if lines is None else lines
    kind = parts["kind"].text()
    if kind not in CHECKED:
        raise parts["kind"].wrong('"hash", "receipt" or "late"')
    return Read(
        path=text_of(parts["path"]),
        start_line=first,
        end_line=last,
        range_hash=_hex(parts["range_hash"]),
        kind=kind,
    )


def _edit(node: Node) -> RecordedEdit:
    parts = node.fields(RecordedEdit.__slots__, [])
    if parts["evidence"].text() not in KINDS:
        raise parts["evidence"].wrong(f"one of {', '.join(KINDS)}")
    evidence_lines = parts["evidence_lines"]
    runner_up = parts["runner_up"]
    return RecordedEdit(
        id=parts["id"].integer(1),
        dialect=parts["dialect"].text(),
        path=text_of(parts["path"]),
        text=text_of(parts["text"]),
        evidence=parts["evidence"].text(),
        expected_hash=_optional(parts["expected_hash"], _HEX64),
        evidence_lines=None if evidence_lines.value is None else _lines(evidence_lines),
        lines=_ranges(parts["lines"]),
        base_lines=_ranges(parts["base_lines"]),
        relocated=parts["relocated"].boolean(),
        tier=parts["tier"].text(),
        repairs=tuple(each.text() for each in parts["repairs"].items()),
        similarity=_per_mille(parts["similarity"]),
        confidence=_per_mille(parts["confidence"]),
        runner_up=None if runner_up.value is None else _per_mille(runner_up),
    )


def _file(node: Node) -> RecordedFile:
    parts = node.fields(RecordedFile.__slots__, [])
    file = RecordedFile(
        path=None if parts["path"].value is None else text_of(parts["path"]),
        new_path=None if parts["new_path"].value is None else text_of(parts["new_path"]),
        before=_mark(parts["before"]),
        after=_mark(parts["after"]),
        final_newline=parts["final_newline"].boolean(),
        hunks=tuple(_hunk(each) for each in parts["hunks"].items()),
    )
    if (file.path is None) != (file.before is None):
        raise parts["before"].wrong("a mark exactly where there is a path")
    if (file.new_path is None) != (file.after is None):
        raise parts["after"].wrong("a mark exactly where there is a new_path")
    return file


def _mark(node: Node) -> FileMark | None:
    if node.value is None:
        return None
    parts = node.fields(["mode", "sha256"], [])
    if not _MODE.match(parts["mode"].text()):
        raise parts["mode"].wrong("six octal digits")
    return FileMark(int(parts["mode"].text(), 8), _hex(parts["sha256"]))


def _hunk(node: Node) -> RecordedHunk:
    parts = node.fields(
        ["lines", "old_hash", "new_hash", "new_text", "before", "after", "edits"], []
    )
    first, last = _lines(parts["lines"])
    return RecordedHunk(
        start_line=first,
        end_line=last,
        old_hash=_hex(parts["old_hash"]),
        new_hash=_hex(parts["new_hash"]),
        new_text=text_of(parts["new_text"]),
        before=_context(parts["before"]),
        after=_context(parts["after"]),
        edits=tuple(each.integer(1) for each in parts["edits"].items()),
    )


def _context(node: Node) -> tuple[str, ...]:
    hashes = tuple(_hex(each) for each in node.items())
    if len(hashes) > CONTEXT:
        raise node.wrong(f"hashes of at most {CONTEXT} lines")
    return hashes


def _ranges(node: Node) -> tuple[Lines, ...]:
    ranges = tuple(_lines(each) for each in node.items())
    if not ranges:
        raise node.wrong("at least one range")
    return ranges


def _lines(node: Node) -> Lines:
    pair = [each.integer(0) for each in node.items()]
    if len(pair) != 2 or not 1 <= pair[0] <= pair[1] + 1:
        raise node.wrong("two line numbers, the first from 1 and at most one past the second")
    return pair[0], pair[1]


def _per_mille(node: Node) -> int:
    value = node.integer(0)
    if value > 1000:
        raise node.wrong("an integer from 0 to 1000")
    return value


def _hex(node: Node) -> str:
    if not _HEX64.match(node.text()):
        raise node.wrong("64 hex digits")
    return node.text()


def _optional(node: Node, pattern: re.Pattern[str]) -> str | None:
    if node.value is None:
        return None
    if not pattern.match(node.text()):
        raise node.wrong("hex digits")
    return node.text()

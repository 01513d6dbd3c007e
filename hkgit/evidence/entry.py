"""A ledger entry: its fields, its one written form, and its strict reader.

`reading.py` makes it from JSON, `recording.py` from a plan. Similarity and the like are per
mille; modes are octal strings in JSON, as git shows them.

A verifier reads millions of these. The strict reader (`reading`) names every mistake with its
place; this one only ever says yes, and then gives what the strict one would give: the bytes are
those that the entry would be written as, and every value has been looked at. Whatever it cannot
say yes to it leaves to the strict one.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import NoReturn

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import CHECKED, KINDS
from hkgit.applying.hunk import CONTEXT
from hkgit.edits import MAX_EDITS, Read, decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.text.hashes import sha256
from hkgit.text.strict_json import Json, JsonObject, Node, parse_document
from hkgit.values import dataclass, field, late_pattern

LEDGER = ".hkgit/ledger"
ATTRIBUTES_PATH = ".hkgit/.gitattributes"
ATTRIBUTES = b"ledger/** -text -filter -diff -merge linguist-generated\n"


def entry_path(entry_id: str) -> str:
    """Return the path of an entry in a tree."""
    return f"{LEDGER}/{entry_id[:2]}/{entry_id[2:]}.json"


def entry_name(path: str) -> str:
    """Return the name of the entry that stands at a path; the inverse of `entry_path`."""
    return path.removeprefix(f"{LEDGER}/").removesuffix(".json").replace("/", "")


_MOST = 2**53 - 1
"""The largest whole number that every reader of JSON reads alike."""


def write_canonical(value: Json) -> bytes:
    """Write canonical JSON (RFC 8785) and one line feed. Raises InvalidInput for other values."""
    if _is_plain(value):
        # Python writes what entries are made of as the RFC wants it; the rest needs its package.
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:  # it says so in its words
            pass
    import rfc8785

    if _has_fraction(value):
        raise InvalidInput("ledger entry", "cannot be written: its numbers must be whole")
    try:
        return rfc8785.dumps(value) + b"\n"
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InvalidInput("ledger entry", f"cannot be written: {error}") from error


def _is_plain(value: Json) -> bool:
    """Whether a value has but text, small whole numbers, and keys that sort alike everywhere."""
    kind: type = type(value)
    if kind is dict:
        return all(map(_is_key, value)) and all(map(_is_plain, value.values()))
    if kind is list or kind is tuple:
        return all(map(_is_plain, value))
    if kind is int:
        return bool(-_MOST <= value <= _MOST)
    return kind is str or kind is bool or value is None


def _has_fraction(value: Json) -> bool:
    """Whether a number has a fraction or an exponent, which not all programs write alike."""
    if isinstance(value, dict):
        return any(map(_has_fraction, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_fraction, value))
    return isinstance(value, float)


def _is_key(key: object) -> bool:
    return type(key) is str and key.isascii()


def digest(data: bytes) -> str:
    """Hash bytes: SHA-256 in lower-case hex."""
    return sha256(data).hexdigest()


def text_json(text: str) -> Json:
    """Write text as a JSON string, or as base64 where its bytes are not UTF-8."""
    data = encode_text(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def text_of(node: Node) -> str:
    """Read the text that `text_json` wrote. Raises InvalidInput."""
    if isinstance(node.value, str):
        return node.value
    data = node.fields(["base64"], [])["base64"]
    try:
        text = decode_text(base64.b64decode(data.text(), validate=True))
    except ValueError as error:
        raise data.wrong("base64") from error
    if text_json(text) != node.value:
        raise data.wrong("base64 in its usual form, of bytes that are not UTF-8")
    return text


SCHEMA = 1
MAX_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """One edit: what it said (`text`, its block in `dialect`), where it landed, how surely.

    `evidence_lines` are the base lines that `expected_hash` speaks of; None means each of
    `base_lines`. `lines` speak of the file as it stood just before this edit.
    """

    id: int
    dialect: str
    path: str
    text: str
    evidence: str
    expected_hash: str | None
    evidence_lines: Lines | None
    lines: tuple[Lines, ...]
    base_lines: tuple[Lines, ...]
    relocated: bool
    tier: str
    repairs: tuple[str, ...]
    similarity: int
    confidence: int
    runner_up: int | None

    @property
    def where(self) -> str:
        """Its path and base lines as `hkgit read` takes them; for a point the line above it."""
        first, last = self.lines_to_read
        return f"{self.path}:{first}-{last}"

    @property
    def lines_to_read(self) -> Lines:
        """The base lines from the first to the last it touches; for a point the line above it."""
        first, last = self.base_lines[0][0], self.base_lines[-1][1]
        return (first, last) if first <= last else (max(last, 1), max(last, 1))


@dataclass(frozen=True, slots=True)
class RecordedHunk:
    """Base lines `start_line..end_line` become `new_text`, with the hashes to find them again."""

    start_line: int
    end_line: int
    old_hash: str
    new_hash: str
    new_text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    edits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileMark:
    """What a file was or became: its mode and the SHA-256 of its bytes."""

    mode: int
    sha256: str


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """One file before and after; `path` is None for a new file, `new_path` for a deleted one."""

    path: str | None
    new_path: str | None
    before: FileMark | None
    after: FileMark | None
    final_newline: bool
    hunks: tuple[RecordedHunk, ...]

    @property
    def name(self) -> str:
        """The path by which the base knows the file, else its new one."""
        return self.path if self.path is not None else self.new_path or ""


@dataclass(frozen=True, slots=True)
class Entry:
    """The record of one applied spec; `claims` holds what nobody can recompute."""

    ladder: int
    threshold: int
    base: str | None
    spec_digest: str
    reads: tuple[Read, ...]
    edits: tuple[RecordedEdit, ...]
    files: tuple[RecordedFile, ...]
    claims: Mapping[str, Json] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """Who made the spec, by its own word."""
        return str(self.claims.get("agent", "unknown"))

    def to_bytes(self) -> bytes:
        """Write the canonical bytes whose SHA-256 names the entry."""
        return write_canonical(entry_json(self))


def entry_id(data: bytes) -> str:
    """Compute the name of an entry: the SHA-256 of its bytes."""
    return digest(data)


def entry_json(entry: Entry) -> Json:
    """Build the JSON that an entry is written as."""
    return {
        "schema": SCHEMA,
        "ladder": entry.ladder,
        "parameters": {"threshold": entry.threshold},
        "base": entry.base,
        "spec": {"digest": entry.spec_digest},
        "reads": [_read_json(read) for read in entry.reads],
        "edits": [_edit_json(edit) for edit in entry.edits],
        "files": [_file_json(file) for file in entry.files],
        "claims": dict(entry.claims),
    }


def _read_json(read: Read) -> Json:
    lines = None if read.start_line is None else [read.start_line, read.end_line]
    return {
        "path": text_json(read.path),
        "lines": lines,
        "range_hash": read.range_hash,
        "kind": read.kind,
    }


def _edit_json(edit: RecordedEdit) -> Json:
    return {
        "id": edit.id,
        "dialect": edit.dialect,
        "path": text_json(edit.path),
        "text": text_json(edit.text),
        "evidence": edit.evidence,
        "expected_hash": edit.expected_hash,
        "evidence_lines": None if edit.evidence_lines is None else list(edit.evidence_lines),
        "lines": [list(lines) for lines in edit.lines],
        "base_lines": [list(lines) for lines in edit.base_lines],
        "relocated": edit.relocated,
        "tier": edit.tier,
        "repairs": list(edit.repairs),
        "similarity": edit.similarity,
        "confidence": edit.confidence,
        "runner_up": edit.runner_up,
    }


def _file_json(file: RecordedFile) -> Json:
    return {
        "path": None if file.path is None else text_json(file.path),
        "new_path": None if file.new_path is None else text_json(file.new_path),
        "before": _mark_json(file.before),
        "after": _mark_json(file.after),
        "final_newline": file.final_newline,
        "hunks": [_hunk_json(hunk) for hunk in file.hunks],
    }


def _mark_json(mark: FileMark | None) -> Json:
    return None if mark is None else {"mode": f"{mark.mode:06o}", "sha256": mark.sha256}


def _hunk_json(hunk: RecordedHunk) -> Json:
    return {
        "lines": [hunk.start_line, hunk.end_line],
        "old_hash": hunk.old_hash,
        "new_hash": hunk.new_hash,
        "new_text": text_json(hunk.new_text),
        "before": list(hunk.before),
        "after": list(hunk.after),
        "edits": list(hunk.edits),
    }


_HEX = late_pattern(r"(?:[0-9a-f]{64} )*\Z")
_ID = late_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")

_LONGEST = 15
"""Digits of an integer that every reader of JSON takes for the same."""

_DEEPEST = 16


class _Odd(Exception):
    """The bytes are unusual: leave them to the strict reader."""


def read_quickly(data: bytes) -> Entry | None:
    """Read an entry quickly; None where the strict reader must decide."""
    try:
        value = _DECODER.decode(data.decode())
        entry = _quick_entry(value)
        encoded = _ENCODER.encode(entry_json(entry)).encode() + b"\n"
    except (_Odd, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None
    return entry if encoded == data else None


def _refuse(text: str) -> NoReturn:
    raise _Odd


def _integer(text: str) -> int:
    if len(text) > _LONGEST:
        raise _Odd
    return int(text)


_DECODER = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse, parse_int=_integer)
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _quick_entry(value: Json) -> Entry:
    threshold, claims = value["parameters"]["threshold"], value["claims"]
    _check(type(value["schema"]) is int and value["schema"] == SCHEMA, _quick_is_plain(claims, 0))
    _check(isinstance(claims, dict), str(claims.get("agent", "")).isprintable())
    _check(isinstance(claims.get("agent", ""), str))
    edits = tuple(map(_quick_edit, value["edits"]))
    _check([edit.id for edit in edits] == [*range(1, len(edits) + 1)], 1 <= len(edits) <= MAX_EDITS)
    base = value["base"]
    _check(base is None or _ID.match(base) is not None)
    _check_numbers((value["ladder"], *_quick_per_mille(threshold)))
    entry = Entry(
        ladder=value["ladder"],
        threshold=threshold,
        base=base,
        spec_digest=value["spec"]["digest"],
        reads=tuple(map(_quick_read, value["reads"])),
        edits=edits,
        files=tuple(map(_quick_file, value["files"])),
        claims=claims,
    )
    _check_hashes([entry.spec_digest])
    return entry


def _check(*holds: bool) -> None:
    if not all(holds):
        raise _Odd


def _check_hashes(hashes: Collection[str]) -> None:
    """All at once: a regular expression for each would take longer than all the rest.

    A text that holds two hashes and a blank would make what is joined too long for their number.
    """
    joined = " ".join((*hashes, ""))
    _check(len(joined) == 65 * len(hashes), _HEX.match(joined) is not None)


def _check_numbers(numbers: Iterable[Json]) -> None:
    for number in numbers:
        if type(number) is not int or number < 0:
            raise _Odd


def _check_texts(*texts: Json) -> None:
    for text in texts:
        if type(text) is not str:
            raise _Odd


def _quick_per_mille(*numbers: Json) -> tuple[Json, ...]:
    _check(all(number <= 1000 for number in numbers))
    return numbers


def _quick_read(value: Json) -> Read:
    first, last = (None, None) if value["lines"] is None else _quick_lines(value["lines"])
    _check(value["kind"] in CHECKED)
    _check_texts(value["path"])
    _check_hashes([value["range_hash"]])
    return Read(
        path=value["path"],
        start_line=first,
        end_line=last,
        range_hash=value["range_hash"],
        kind=value["kind"],
    )


def _quick_edit(value: Json) -> RecordedEdit:
    runner_up, lines = value["runner_up"], value["evidence_lines"]
    edit = RecordedEdit(
        id=value["id"],
        dialect=value["dialect"],
        path=value["path"],
        text=value["text"],
        evidence=value["evidence"],
        expected_hash=value["expected_hash"],
        evidence_lines=None if lines is None else _quick_lines(lines),
        lines=tuple(map(_quick_lines, value["lines"])),
        base_lines=tuple(map(_quick_lines, value["base_lines"])),
        relocated=value["relocated"],
        tier=value["tier"],
        repairs=tuple(value["repairs"]),
        similarity=value["similarity"],
        confidence=value["confidence"],
        runner_up=runner_up,
    )
    _check(bool(edit.lines and edit.base_lines), type(edit.relocated) is bool)
    _check(edit.evidence in KINDS)
    _check_texts(edit.dialect, edit.path, edit.text, edit.tier, *edit.repairs)
    _check_hashes([] if edit.expected_hash is None else [edit.expected_hash])
    known = [] if runner_up is None else [runner_up]
    _check_numbers((edit.id, *_quick_per_mille(edit.similarity, edit.confidence, *known)))
    return edit


def _quick_file(value: Json) -> RecordedFile:
    file = RecordedFile(
        path=value["path"],
        new_path=value["new_path"],
        before=_quick_mark(value["before"]),
        after=_quick_mark(value["after"]),
        final_newline=value["final_newline"],
        hunks=tuple(map(_quick_hunk, value["hunks"])),
    )
    _check(type(file.final_newline) is bool)
    _check((file.path is None) == (file.before is None))
    _check((file.new_path is None) == (file.after is None))
    _check_texts(*(path for path in (file.path, file.new_path) if path is not None))
    return file


def _quick_mark(value: Json) -> FileMark | None:
    if value is None:
        return None
    _check(_MODE.match(value["mode"]) is not None)
    _check_hashes([value["sha256"]])
    return FileMark(int(value["mode"], 8), value["sha256"])


def _quick_hunk(value: Json) -> RecordedHunk:
    first, last = _quick_lines(value["lines"])
    hunk = RecordedHunk(
        start_line=first,
        end_line=last,
        old_hash=value["old_hash"],
        new_hash=value["new_hash"],
        new_text=value["new_text"],
        before=tuple(value["before"]),
        after=tuple(value["after"]),
        edits=tuple(value["edits"]),
    )
    _check_texts(hunk.new_text, hunk.old_hash, hunk.new_hash, *hunk.before, *hunk.after)
    _check_hashes((hunk.old_hash, hunk.new_hash, *hunk.before, *hunk.after))
    _check_numbers(hunk.edits)
    _check(0 not in hunk.edits, len(hunk.before) <= CONTEXT, len(hunk.after) <= CONTEXT)
    return hunk


def _quick_lines(value: Json) -> Lines:
    first, last = value
    _check(type(first) is int and type(last) is int and 1 <= first <= last + 1)
    return first, last


def _quick_is_plain(value: Json, depth: int) -> bool:
    """Whether a claim is such that there is one way to write it, whoever sorts its keys."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(
            key.isascii() and _quick_is_plain(each, depth + 1) for key, each in value.items()
        )
    return not isinstance(value, list) or all(_quick_is_plain(each, depth + 1) for each in value)


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

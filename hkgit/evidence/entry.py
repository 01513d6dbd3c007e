"""A ledger entry: its fields, its one written form, and its strict reader.

`record` (claims) makes it from a plan. Similarity and the like are per mille; modes are octal
strings in JSON, as git shows them.

A verifier reads millions of these. So the reader takes plain values as `json` gives them, and only
a fault collects its path, on the way out. The entry must then be written as the very same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from hkgit.applying.evidence import CHECKED, KINDS, RECOVERED, join_touched
from hkgit.applying.hunk import CONTEXT, Hunk
from hkgit.edits import MAX_EDITS, AnyEdit, Read, encode_text
from hkgit.errors import InvalidInput
from hkgit.text.document import Lines
from hkgit.text.edit_json import decode_base64, parse_edit, text_json, write_edit
from hkgit.text.hashes import digest
from hkgit.text.strict_json import MAX_DEPTH, ROOT, Json, JsonObject, Node, parse_document
from hkgit.values import cached_property, dataclass, field, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    Part = TypeVar("Part")
    Reader = Callable[[Json], Part]  # makes a part of an entry from what JSON says of it

LEDGER = ".hkgit/ledger"
ATTRIBUTES_PATH = ".hkgit/.gitattributes"
ATTRIBUTES = b"ledger/** -text -filter -diff -merge linguist-generated\n"


def entry_path(entry_id: str) -> str:
    """Return the path of an entry in a tree."""
    return f"{LEDGER}/{entry_id[:2]}/{entry_id[2:]}.json"


def entry_name(path: str) -> str | None:
    """Return the name of the entry that belongs at a path; None where none does."""
    found = re.fullmatch(rf"{re.escape(LEDGER)}/([0-9a-f]{{2}})/([0-9a-f]{{62}})\.json", path)
    return None if found is None else found[1] + found[2]


def is_record(path: str) -> bool:
    """Whether a path is below the ledger."""
    return path.startswith(f"{LEDGER}/")


def is_ledgers(path: str) -> bool:
    """Whether a path is the ledger's: a record, or its attributes."""
    return is_record(path) or path == ATTRIBUTES_PATH


_MOST = 2**53 - 1
"""The largest whole number that every reader of JSON reads alike."""


def write_canonical(value: Json, *parts: Json) -> bytes:
    """Write canonical JSON (RFC 8785) and one line feed. Raises InvalidInput for other values.

    `parts` are those of the value that may hold anything; by default it is all of it.
    """
    is_plain = all([*map(_expect_whole, parts or (value,))])
    value = value if is_plain else _sort_keys(value)
    text = json.dumps(value, ensure_ascii=False, sort_keys=is_plain, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError as error:
        raise InvalidInput("ledger entry", f"cannot be written: {error}") from error


def _expect_whole(value: Json) -> bool:
    """Raise InvalidInput for a number that not all programs write alike.

    Answers whether the keys are ASCII, which sort alike everywhere.
    """
    if isinstance(value, dict):
        return all([*map(str.isascii, value), *map(_expect_whole, value.values())])
    if isinstance(value, list | tuple):
        return all([*map(_expect_whole, value)])
    if isinstance(value, float) or (isinstance(value, int) and abs(value) > _MOST):
        what = f"cannot be written: its numbers must be whole, and at most {_MOST}"
        raise InvalidInput("ledger entry", what)
    return True


def _sort_keys(value: Json) -> Json:
    """Sort the keys of objects by their UTF-16, as the RFC wants it."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return {key: _sort_keys(value[key]) for key in keys}
    return [*map(_sort_keys, value)] if isinstance(value, list | tuple) else value


SCHEMA = 1
MAX_BYTES = 2**20


@dataclass(frozen=True)
class RecordedEdit:
    """One edit: what it says, in which notation it came, where it landed, how surely.

    `evidence_lines` are the base lines that `expected_hash` refers to; None means each of
    `base_lines`. `lines` refer to the file as it was just before this edit.
    """

    id: int
    dialect: str
    path: str
    edit: AnyEdit
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
        return join_touched(self.base_lines)


@dataclass(frozen=True)
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

    @cached_property
    def plain(self) -> Hunk:
        """The hunk without its hashes."""
        return Hunk(self.start_line, self.end_line, encode_text(self.new_text), self.edits)


@dataclass(frozen=True)
class FileMark:
    """What a file was or became: its mode and the SHA-256 of its bytes."""

    mode: int
    sha256: str


State = tuple[str, FileMark | None]
"""A path and what is there."""


@dataclass(frozen=True)
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

    @property
    def paths(self) -> tuple[str, ...]:
        """Its old path and its new one, as far as it has them."""
        return tuple(path for path in (self.path, self.new_path) if path is not None)

    @property
    def needs(self) -> Iterator[State]:
        """What must be where before: the file, and nothing where one is made."""
        yield self.name, self.before
        if self.new_path is not None and self.new_path != self.name:
            yield self.new_path, None

    @property
    def leaves(self) -> Iterator[State]:
        """What is where after."""
        if self.path is not None and self.path != self.new_path:
            yield self.path, None
        if self.new_path is not None:
            yield self.new_path, self.after


@dataclass(frozen=True)
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
    def needs(self) -> Iterator[State]:
        """What must be where before it."""
        return (state for file in self.files for state in file.needs)

    @property
    def leaves(self) -> Iterator[State]:
        """What is where after it."""
        return (state for file in self.files for state in file.leaves)

    @property
    def agent(self) -> str:
        """Who made the spec, by its own word."""
        return str(self.claims.get("agent", "unknown"))

    @property
    def is_recovered(self) -> bool:
        """Whether it was made from a transcript, by its own word."""
        return self.claims.get("origin") == RECOVERED

    def to_bytes(self) -> bytes:
        """Write the canonical bytes whose SHA-256 names the entry."""
        return write_canonical(part_json(self), self.claims)


def entry_id(data: bytes) -> str:
    """Compute the name of an entry: the SHA-256 of its bytes."""
    return digest(data)


def part_json(part: Any) -> Json:
    """Build the JSON of an entry or a part of one: an object has the names of its fields."""
    match part:
        case str():
            return text_json(part)
        case None | int():
            return part
        case tuple():
            return [*map(part_json, part)]
        case FileMark():
            return {"mode": f"{part.mode:06o}", "sha256": part.sha256}
        case RecordedEdit() | RecordedFile():
            return {name: part_json(getattr(part, name)) for name in fields_of(type(part))}
        case RecordedHunk() | Read():
            said = {name: part_json(getattr(part, name)) for name in fields_of(type(part))}
            lines = (said.pop("start_line"), said.pop("end_line"))
            return said | {"lines": None if lines == (None, None) else lines}
        case Entry():
            return {
                "schema": SCHEMA,
                "ladder": part.ladder,
                "parameters": {"threshold": part.threshold},
                "base": part.base,
                "spec": {"digest": part.spec_digest},
                "reads": part_json(part.reads),
                "edits": part_json(part.edits),
                "files": part_json(part.files),
                "claims": dict(part.claims),
            }
    return write_edit(part)


class NewerEntry(InvalidInput):
    """An entry of a schema that only a later hkgit knows."""


def read_entry(data: bytes) -> Entry:
    """Parse the bytes of an entry; errors name the path of what is wrong.

    Raises InvalidInput where they are not canonical, NewerEntry for a later schema.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInput("ledger entry", f"has {len(data)} bytes, over {MAX_BYTES}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("ledger entry", "is not UTF-8") from error
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        value = parse_document(text).value
    try:
        entry = _read_entry(value)
    except _Fault as fault:
        parse_document(text)  # what is not JSON for every reader is said before
        root = Node(ROOT, value)
        _expect_known_schema(root)
        raise fault.name(root) from fault
    if write_canonical(value, entry.claims) != data:
        parse_document(text)
        raise InvalidInput("ledger entry", "is not canonical JSON and one line feed")
    return entry


def parse_entry(value: Json) -> Entry:
    """Make an entry of the JSON that `part_json` built. Raises InvalidInput."""
    return _parse(value, _read_entry)


def parse_file(value: Json) -> RecordedFile:
    """Make a file of the JSON that `part_json` built. Raises InvalidInput."""
    return _parse(value, _FILE)


def _parse(value: Json, reader: Reader[Part]) -> Part:
    try:
        return reader(value)
    except _Fault as fault:
        raise fault.name(Node(ROOT, value)) from fault


def _expect_known_schema(root: Node) -> None:
    """A newer schema is reported as newer before anything else is found wrong with it."""
    schema = root.members().get("schema")
    if schema is None:
        raise InvalidInput(root.path, "is not a ledger entry: it has no schema")
    if schema.integer(1) > SCHEMA:
        what = f"is {schema.value}, but this hkgit knows {SCHEMA}"
        raise NewerEntry(schema.path, what, "Upgrade hkgit.")


class _Fault(Exception):
    """A value is not what an entry has there: a text, an object of these keys, or what that reads.

    `steps` lead to it, the last one first; each reader on the way out adds its own.
    """

    def __init__(
        self, expected: str | Collection[str] | Callable[[Node], object], *steps: str | int
    ) -> None:
        super().__init__(expected)
        self.expected = expected
        self.steps = [*steps]

    def name(self, node: Node) -> InvalidInput:
        """Say where in a document it is."""
        for step in reversed(self.steps):
            node = node.items()[step] if isinstance(step, int) else node.members()[step]
        if callable(self.expected):
            self.expected(node)  # which raises
        elif not isinstance(self.expected, str):
            node.fields(self.expected, [])  # and so does this
        return node.wrong(str(self.expected))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_MODE = r"[0-7]{6}\Z"


def _object(make: Callable[..., Part], **readers: Reader[Any]) -> Reader[Part]:
    """Reads an object of just these keys, and makes something of their values, by name."""
    keys, pairs = readers.keys(), [*readers.items()]

    def read(value: Json) -> Part:
        if type(value) is not dict or value.keys() != keys:
            raise _Fault(keys)
        parts, key = {}, ""
        try:
            for key, read_part in pairs:
                parts[key] = read_part(value[key])
        except _Fault as fault:
            fault.steps.append(key)
            raise
        return make(**parts)

    return read


def _only(key: str, reader: Reader[Part]) -> Reader[Part]:
    """Reads an object of one key as the value of that key."""
    return _object(lambda **parts: parts[key], **{key: reader})


def _list(
    reader: Reader[Part], least: int = 0, most: int = MAX_BYTES, expected: str = "a list"
) -> Reader[tuple[Part, ...]]:
    def read(value: Json) -> tuple[Part, ...]:
        if type(value) is not list or not least <= len(value) <= most:
            raise _Fault(expected)
        parts: list[Part] = []
        try:
            for each in value:
                parts.append(reader(each))
        except _Fault as fault:
            fault.steps.append(len(parts))
            raise
        return tuple(parts)

    return read


def _optional(reader: Reader[Part]) -> Reader[Part | None]:
    return lambda value: None if value is None else reader(value)


def _check(
    kind: type[Part], expected: str, holds: Callable[[Any], object] | None = None
) -> Reader[Part]:
    def read(value: Json) -> Part:
        if type(value) is not kind or (holds is not None and not holds(value)):
            raise _Fault(expected)
        return value

    return read


def _digits(expected: str, *sizes: int) -> Reader[str]:
    """Reads so many hex digits."""
    digits = "0123456789abcdef"
    return _check(str, expected, lambda text: len(text) in sizes and not text.strip(digits))


def _text(value: Json) -> str:
    """Read the text that `text_json` wrote."""
    return value if type(value) is str else _BASE64(value)


def _decode_base64(value: Json) -> str:
    try:
        return decode_base64(_STRING(value))
    except ValueError as error:
        raise _Fault("base64 in its usual form, of bytes that are not UTF-8") from error


def _edit(value: Json) -> AnyEdit:
    try:
        edit = parse_edit(Node(ROOT, value))
    except InvalidInput as error:
        raise _Fault(parse_edit) from error
    if write_edit(edit) != value:
        raise _Fault("an edit as hkgit writes it")
    return edit


def _lines(value: Json) -> Lines:
    if type(value) is list and len(value) == 2:
        first, last = value
        if type(first) is int and type(last) is int and 1 <= first <= last + 1:
            return first, last
    raise _Fault("two line numbers, the first from 1 and at most one past the second")


def _edits(value: Json) -> tuple[RecordedEdit, ...]:
    edits = _EDITS(value)
    if any(edit.id != number for number, edit in enumerate(edits, 1)):
        raise _Fault(_NUMBERED)
    return edits


def _claims(value: Json) -> JsonObject:
    """What nobody can recompute: anything, but the agent's name is to be printed on one line."""
    if type(value) is not dict:
        raise _Fault("an object")
    agent = value.get("agent", "")
    if type(agent) is not str or not agent.isprintable():
        expected = "one line of printable text" if type(agent) is str else "a string"
        raise _Fault(expected, "agent")
    if _is_deeper(value, MAX_DEPTH - 1):
        raise _Fault(f"at most {MAX_DEPTH} levels of nesting")
    return value


def _is_deeper(value: Json, levels: int) -> bool:
    if type(value) is dict or type(value) is list:
        inner = value.values() if type(value) is dict else value
        return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)
    return False


def _make_read(path: str, lines: Lines | None, range_hash: str, kind: str) -> Read:
    first, last = (None, None) if lines is None else lines
    return Read(path=path, start_line=first, end_line=last, range_hash=range_hash, kind=kind)


def _make_hunk(lines: Lines, **parts: Any) -> RecordedHunk:
    return RecordedHunk(start_line=lines[0], end_line=lines[1], **parts)


def _make_file(**parts: Any) -> RecordedFile:
    file = RecordedFile(**parts)
    if (file.path is None) != (file.before is None):
        raise _Fault("a mark exactly where there is a path", "before")
    if (file.new_path is None) != (file.after is None):
        raise _Fault("a mark exactly where there is a new_path", "after")
    return file


def _make_entry(schema: int, parameters: int, spec: str, **parts: Any) -> Entry:
    return Entry(threshold=parameters, spec_digest=spec, **parts)


_BASE64 = _only("base64", _decode_base64)
_STRING = _check(str, "a string")
_HEX = _digits("64 hex digits", 64)
_OCTAL = _check(str, "six octal digits", lambda text: re.match(_MODE, text))
_PER_MILLE = _check(int, "an integer from 0 to 1000", range(1001).__contains__)
_FROM_0 = _check(int, "an integer from 0", range(_MOST + 1).__contains__)
_FROM_1 = _check(int, "an integer from 1", range(1, _MOST + 1).__contains__)
_RANGES = _list(_lines, least=1, expected="at least one range")
_CONTEXT = _list(_HEX, most=CONTEXT, expected=f"hashes of at most {CONTEXT} lines")
_MARK = _optional(_object(FileMark, mode=lambda value: int(_OCTAL(value), 8), sha256=_HEX))
_READ = _object(
    _make_read,
    path=_text,
    lines=_optional(_lines),
    range_hash=_HEX,
    kind=_check(str, '"hash", "receipt" or "late"', CHECKED.__contains__),
)
_EDIT = _object(
    RecordedEdit,
    id=_FROM_1,
    dialect=_STRING,
    path=_text,
    edit=_edit,
    evidence=_check(str, f"one of {', '.join(KINDS)}", KINDS.__contains__),
    expected_hash=_optional(_digits("hex digits", 64)),
    evidence_lines=_optional(_lines),
    lines=_RANGES,
    base_lines=_RANGES,
    relocated=_check(bool, "true or false"),
    tier=_STRING,
    repairs=_list(_STRING),
    similarity=_PER_MILLE,
    confidence=_PER_MILLE,
    runner_up=_optional(_PER_MILLE),
)
_NUMBERED = f"1 to {MAX_EDITS} edits, numbered from 1"
_EDITS = _list(_EDIT, least=1, most=MAX_EDITS, expected=_NUMBERED)
_HUNK = _object(
    _make_hunk,
    lines=_lines,
    old_hash=_HEX,
    new_hash=_HEX,
    new_text=_text,
    before=_CONTEXT,
    after=_CONTEXT,
    edits=_list(_FROM_1),
)
_FILE = _object(
    _make_file,
    path=_optional(_text),
    new_path=_optional(_text),
    before=_MARK,
    after=_MARK,
    final_newline=_check(bool, "true or false"),
    hunks=_list(_HUNK),
)
_read_entry = _object(
    _make_entry,
    schema=_check(int, "an integer from 1", SCHEMA.__eq__),
    ladder=_FROM_0,
    parameters=_only("threshold", _PER_MILLE),
    base=_optional(_digits("hex digits", 40, 64)),
    spec=_only("digest", _HEX),
    reads=_list(_READ),
    edits=_edits,
    files=_list(_FILE),
    claims=_claims,
)

"""The keys of a policy, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import gt, lt
from typing import Any, TypeGuard, TypeVar

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.gate.policy.consistency import expect_consistent
from hkgit.gate.policy.defaults import ACCEPTABLE, KNOWN_AGENTS, PROTECTED, ROLES, TEXT
from hkgit.gate.policy.model import Floors, Grant, Policy, Recovered, RefRules
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

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


MODES = ("report", "warn", "enforce")
GOVERN = ("agents", "all")
REWRITES = ("judge", "refuse")
CREDITS = ("allow", "require", "forbid")
TIERS = (
    "exact",
    "whitespace",
    "unicode",
    "elided",
    "fuzzy",
    "line-block",
    "range",
    "tag",
    "file",
)
MOST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of values: how one is read, and its JSON Schema."""

    read: Callable[[Table, str], Any]
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Tightening:
    """What a policy that extends another may do with a key: `words` say which value is tighter.

    `is_looser` says whether its value lets pass what that of the other does not. Of a key that
    `adds`, the values of both hold. Every use of one that `opens` loosens, so that only a policy
    that says so lets another one set it.
    """

    words: str
    is_looser: Callable[[Any, Any], bool] = lambda own, base: False
    adds: bool = False
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `field` of `Policy` has its value; `default` says in words what holds without."""

    name: str
    kind: Kind
    words: str
    tightening: Tightening
    default: str = ""
    field: str = ""


# Kinds of values


TEXTS = Kind(
    lambda table, name: table.texts(name, ()), {"type": "array", "items": {"type": "string"}}
)
STRING = Kind(Table.text, {"type": "string"})
COMMIT = Kind(Table.commit, {"type": "string", "pattern": "^[0-9a-f]{40}([0-9a-f]{24})?$"})
INTEGERS = Kind(Table.integers, {"type": "array", "items": {"type": "integer"}})
FLAG = Kind(Table.flag, {"type": "boolean"})
PER_MILLE = Kind(Table.per_mille, {"type": "number", "minimum": 0, "maximum": 1})
SECONDS = Kind(
    lambda table, name: table.integer(name, 1, MOST_SECONDS),
    {"type": "integer", "minimum": 1, "maximum": MOST_SECONDS},
)


def _choice(known: tuple[str, ...]) -> Kind:
    return Kind(lambda table, name: table.choice(name, known), {"enum": [*known]})


def _choices(known: tuple[str, ...]) -> Kind:
    schema = {"type": "array", "items": {"enum": [*known]}}
    return Kind(lambda table, name: table.choices(name, known), schema)


def _with(known: tuple[str, ...]) -> Kind:
    """A list of strings, which come behind known ones."""
    return Kind(lambda table, name: (*known, *table.texts(name, ())), TEXTS.schema)


def _inner(make: Callable[..., Any], **kinds: Kind) -> Kind:
    """A table of these keys."""

    def read(table: Table, name: str) -> Any:
        inner = table.inner(name, *kinds)
        return make(
            **{key: each.read(inner, key) for key, each in kinds.items() if key in inner.table}
        )

    return Kind(read, _describe_table(kinds))


def _each(make: Callable[..., Any], globs: str, **kinds: Kind) -> Kind:
    """A list of tables of these keys; only the globs that they are for must be there."""

    def read_one(table: Table) -> Any:
        table.check_keys(globs, *kinds)
        parts = {key: each.read(table, key) for key, each in kinds.items() if key in table.table}
        return make(**{globs: table.globs(globs)}, **parts)

    def read(table: Table, name: str) -> Any:
        return tuple(map(read_one, table.tables(name)))

    required = Kind(Table.globs, TEXTS.schema | {"minItems": 1})
    items = _describe_table({globs: required, **kinds}) | {"required": [globs]}
    return Kind(read, {"type": "array", "items": items})


def _describe_table(kinds: Mapping[str, Kind]) -> JsonObject:
    properties = {key: each.schema for key, each in kinds.items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _read_recovered(accept: bool = True, **floors: int) -> Recovered:
    return Recovered(accept, **floors)


_TIERS = _choices(TIERS)
_KINDS = _choices(KINDS)
_VERDICTS = _choices(ACCEPTABLE)
_GRANTS = _each(Grant, "paths", names=TEXTS, keys=TEXTS, principals=TEXTS, pushers=TEXTS)
_TARGETS = _each(RefRules, "refs", verdicts=_VERDICTS, rewrites=_choice(REWRITES))
_FLOORS = _each(
    Floors,
    "paths",
    accept=_KINDS,
    tiers=_TIERS,
    min_confidence=PER_MILLE,
    min_tightness=PER_MILLE,
)
_RECOVERED = _inner(_read_recovered, accept=FLAG, min_confidence=PER_MILLE, min_tightness=PER_MILLE)


# What is tighter


def _later(order: tuple[str, ...], words: str) -> Tightening:
    return Tightening(words, lambda own, base: order.index(own) < order.index(base))


def _accepts_more(own: tuple[object, ...] | None, base: tuple[object, ...] | None) -> bool:
    """Whether a list accepts what another does not; None accepts everything."""
    return base is not None and (own is None or not set(own) <= set(base))


def _asks_less(own: Recovered, base: Recovered) -> bool:
    return (
        (own.is_accepted and not base.is_accepted)
        or own.min_confidence < base.min_confidence
        or own.min_tightness < base.min_tightness
    )


OPEN = Tightening("*open*", opens=True)
BOTH = Tightening("more; both apply", adds=True)
FEWER = Tightening("fewer", _accepts_more)
HIGHER = Tightening("higher", lt)
UNHELD = Tightening("")


def _list_words(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)


# The keys


_KEYS = (
    Key(
        "mode",
        _choice(MODES),
        "`enforce` rejects; `warn` and `report` only report",
        _later(MODES, "later in report, warn, enforce"),
    ),
    Key(
        "govern",
        _choice(GOVERN),
        "to which commits the rules apply: `agents` (commits with entries, or by an agent)"
        " or `all`",
        _later(GOVERN, "`all`"),
    ),
    Key(
        "agents",
        _with(KNOWN_AGENTS),
        "globs on `Name <email>`, added to the built-in list",
        Tightening("more", adds=True),
        default="`[]`",
    ),
    Key(
        "since",
        COMMIT,
        "a full commit id: it and what came before are not judged",
        OPEN,
        default="none",
    ),
    Key(
        "accept",
        _KINDS,
        f"evidence that is not blind: {_list_words(KINDS)}",
        FEWER,
        default='`["hash", "receipt"]`',
    ),
    Key("verdicts", _VERDICTS, "verdicts that pass", FEWER, default="[the table](verdicts.md)"),
    Key("tiers", _TIERS, "the only tiers accepted", FEWER, default="all"),
    Key("ladders", INTEGERS, "the only versions of the ladder accepted", FEWER, default="all"),
    Key(
        "min_threshold",
        PER_MILLE,
        "the least `--threshold` that an entry may have been applied with",
        HIGHER,
    ),
    Key("min_confidence", PER_MILLE, "the least confidence of an edit", HIGHER),
    Key(
        "min_tightness",
        PER_MILLE,
        "the least share of changed lines in those that an edit names",
        HIGHER,
    ),
    Key(
        "paths",
        _FLOORS,
        "`paths`, and `accept`, `tiers`, `min_confidence`, `min_tightness` for them, under the old"
        " name of a file and the new",
        BOTH,
        default="none",
    ),
    Key(
        "protect",
        _with(PROTECTED),
        "globs on paths that governed commits may change only with a grant, added to the"
        " built-in ones",
        BOTH,
        default="`[]`",
    ),
    Key("unprotect", TEXTS, "globs on paths to leave unprotected", OPEN, default="`[]`"),
    Key(
        "reject_text",
        _choices(TEXT),
        f"text that no governed commit may add: {_list_words(TEXT)}",
        Tightening("more", lambda own, base: not set(base) <= set(own)),
        default="all four",
    ),
    Key(
        "manual",
        _GRANTS,
        "a grant: `paths`, and who has it: `names`, `keys`, `principals`, `pushers`",
        OPEN,
        default="none",
    ),
    Key(
        "allowed_signers",
        STRING,
        "a file in the repository, in the format of ssh-keygen(1), one principal per line",
        OPEN,
        default="none",
    ),
    Key(
        "pusher_variable",
        STRING,
        "the variable in which the server names the pusher",
        OPEN,
        default="none",
    ),
    Key(
        "roles",
        _inner(dict, **dict.fromkeys(ROLES, TEXTS)),
        f"principals for {_list_words(ROLES)}",
        OPEN,
        default="none",
    ),
    Key(
        "attest",
        _inner(lambda keys=(): keys, keys=TEXTS),
        "`keys`: SSH public keys whose attested verdicts count",
        OPEN,
        default="none",
        field="attest_keys",
    ),
    Key(
        "entries",
        _inner(lambda signed=False: signed, signed=FLAG),
        "`signed`: every new entry needs a signature by the role `sign`",
        Tightening("`true`", lt),
        default="`false`",
        field="entries_signed",
    ),
    Key(
        "recovered",
        _RECOVERED,
        "entries from transcripts: `accept`, `min_confidence`, `min_tightness`",
        Tightening("refused, higher", _asks_less),
        default="accepted, `0`",
    ),
    Key(
        "assisted_by",
        _choice(CREDITS),
        f"`Assisted-by` trailers: {_list_words(CREDITS)}",
        Tightening("the same, or one from `allow`", lambda own, base: base not in ("allow", own)),
    ),
    Key(
        "refs",
        TEXTS,
        "globs on refs whose pushes are judged",
        BOTH,
        default="`refs/heads/*`, `refs/tags/*`",
    ),
    Key(
        "rewrites",
        _choice(REWRITES),
        "force pushes and deletions of these: `judge` or `refuse`",
        _later(REWRITES, "`refuse`"),
    ),
    Key(
        "targets",
        _TARGETS,
        "`refs`, and `verdicts`, `rewrites` that also hold there",
        BOTH,
        default="none",
    ),
    Key("max_seconds", SECONDS, "how long one commit may take to judge", Tightening("lower", gt)),
    Key(
        "extends",
        STRING,
        "a policy that this one extends and may only tighten",
        UNHELD,
        default="none",
    ),
)
OPEN_KEYS: tuple[str, ...] = tuple(key.name for key in _KEYS if key.tightening.opens)
KEYS = (
    *_KEYS,
    Key(
        "open",
        _choices(OPEN_KEYS),
        "keys marked *open* that an extending policy may set",
        UNHELD,
        default="`[]`",
    ),
)


def policy_schema() -> JsonObject:
    """Write the JSON Schema of a policy."""
    usual = Policy()
    schema = _describe_table({})
    for key in KEYS:
        described = key.kind.schema | {"description": key.words}
        if not key.default:
            value = getattr(usual, key.field or key.name)
            described["default"] = value / 1000 if key.kind is PER_MILLE else value
        schema["properties"][key.name] = described
    words = "[gate] of .hkgit/config.toml. `hkgit policy check` also checks that its parts agree."
    return schema | {"description": words}


def parse_policy(table: object, source: str) -> Policy:
    """Parse a policy table. Raises InvalidInput, naming the key, also for contradictions."""
    policy = read_table(table, source)
    expect_consistent(policy)
    return policy


def read_table(table: object, source: str) -> Policy:
    """Read the policy that a table says: every key by itself, as `hkgit schema policy` has it."""
    reader = Table(source, table)
    reader.check_keys(*(key.name for key in KEYS))
    given = (key for key in KEYS if key.name in reader.table)
    values = {key.field or key.name: key.kind.read(reader, key.name) for key in given}
    return Policy(**values, source=source, table=reader.table)

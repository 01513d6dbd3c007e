"""The keys of a policy, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import gt, lt
from typing import Any, cast

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import ACCEPTABLE, KNOWN_AGENTS, PROTECTED, ROLES, SIGN, TEXT
from hkgit.gate.policy.model import Floors, Grant, Policy, RefRules
from hkgit.matching.place import format_decimal
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict, dataclass, replace

MODES = ("report", "warn", "enforce")
GOVERN = ("agents", "all")
REWRITES = ("judge", "refuse")
CREDITS = ("allow", "require", "forbid")
TIERS = ("exact", "whitespace", "unicode", "elided", "fuzzy", "line-block", "range", "tag", "file")
MOST_SECONDS = 3600


@dataclass(frozen=True)
class Kind:
    """A type of values: its JSON Schema, and how one is read, with the place that it is at."""

    schema: JsonObject
    read: Callable[[str, object], Any]


@dataclass(frozen=True)
class Tightening:
    """What a policy that extends another may do with a key: `words` say which value is tighter.

    `is_looser` says whether its value accepts what that of the other does not. Of a key that
    `adds`, the values of both hold. Every use of one that `opens` loosens, so that only a policy
    that says so lets another one set it.
    """

    words: str
    is_looser: Callable[[Any, Any], bool] = lambda own, base: False
    adds: bool = False
    opens: bool = False


@dataclass(frozen=True)
class Key:
    """One key. `field` of `Policy` has its value; `default` says in words what holds without."""

    name: str
    kind: Kind
    words: str
    tightening: Tightening
    default: str = ""
    field: str = ""


# Kinds of values


def _wrong(where: str, expected: str, found: object) -> InvalidInput:
    fix = "hkgit schema policy prints what each key takes."
    return InvalidInput(where, f"expected {expected}, found {found!r}", fix)


def _fits(value: Any, schema: JsonObject) -> bool:
    """Whether a value is as a schema says; 1.0 is a whole number, as in JSON Schema."""
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "array":
            is_long_enough = isinstance(value, list) and len(value) >= schema.get("minItems", 0)
            return is_long_enough and all(_fits(each, schema["items"]) for each in value)
        case "string":
            pattern = schema.get("pattern", "(?s).*")
            return isinstance(value, str) and re.fullmatch(pattern, value) is not None
        case "boolean":
            return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    is_whole = schema["type"] == "number" or isinstance(value, int) or value.is_integer()
    return is_whole and schema.get("minimum", value) <= value <= schema.get("maximum", value)


def _plain(words: str, schema: JsonObject, make: Callable[[Any], Any] = tuple) -> Kind:
    """Values that a schema tells, what is expected in words, and what is made of one."""

    def read(where: str, value: object) -> Any:
        if not _fits(value, schema):
            raise _wrong(where, words, value)
        return make(value)

    return Kind(schema, read)


def _strings(
    words: str, pattern: str = r"^[\s\S]*$", *, least: int = 0, known: tuple[str, ...] = ()
) -> Kind:
    """A list of strings, which come behind known ones."""
    items = {"type": "string", "pattern": pattern}
    schema = {"type": "array", "items": items, "minItems": least}
    return _plain(words, schema, lambda values: (*known, *values))


TEXTS = _strings("a list of strings")
# In the spelling of another tool they would match nothing, and nobody would see it.
_paths = partial(
    _strings,
    "globs from the root, as `src/*`, without `./` or a slash at either end",
    r"^(?!\.?/)[\s\S]*[^/]$",
)
_refs = partial(_strings, "globs on full names, as `refs/heads/*`", r"^(refs/|[*?\[])[\s\S]*$")
PUBLIC_KEYS = _strings("SSH public keys, each the line of a .pub file", r"^\S+ +\S[^\n]*$")
STRING = _plain("a string", {"type": "string"}, str)
COMMIT = _plain(
    "all 40 digits of a commit",
    {"type": "string", "pattern": r"^[0-9a-f]{40}([0-9a-f]{24})?$"},
    str,
)
"""What is shorter could be the name of a branch."""
FLAG = _plain("true or false", {"type": "boolean"}, bool)
PER_MILLE = _plain(
    "a number from 0 to 1",
    {"type": "number", "minimum": 0, "maximum": 1},
    lambda value: round(value * 1000),
)
SECONDS = _plain(
    f"an integer from 1 to {MOST_SECONDS}",
    {"type": "integer", "minimum": 1, "maximum": MOST_SECONDS},
    int,
)


def _choice(known: tuple[str, ...]) -> Kind:
    return _plain(f"one of {', '.join(known)}", {"enum": [*known]}, str)


def _choices(known: tuple[str, ...]) -> Kind:
    words = f"some of {', '.join(map(str, known))}"
    return _plain(words, {"type": "array", "items": {"enum": [*known]}})


def read_fields(where: str, table: object, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """Read the keys that a table has. Raises InvalidInput for one that is wrong, naming it."""
    if not isinstance(table, dict):
        raise _wrong(where, "a table", table)
    for key in table:
        if key not in kinds:
            fix = f"Known keys: {', '.join(kinds)}."
            raise InvalidInput(f"{where}: {key}", "unknown key", fix)
    return {key: kinds[key].read(f"{where}: {key}", value) for key, value in table.items()}


def _inner(make: Callable[..., Any], **kinds: Kind) -> Kind:
    """A table of these keys."""
    return Kind(
        _describe_table(kinds), lambda where, table: make(**read_fields(where, table, kinds))
    )


def list_of(make: Callable[..., Any], *required: str, **kinds: Kind) -> Kind:
    """Read a list of tables of these keys, of which some must be there."""

    def read_one(where: str, table: object) -> Any:
        fields = read_fields(where, table, kinds)
        for key in required:
            if key not in fields:
                kinds[key].read(f"{where}: {key}", None)
        return make(**fields)

    def read(where: str, tables: object) -> Any:
        if not isinstance(tables, list):
            raise _wrong(where, "a list of tables", tables)
        return tuple(read_one(where, table) for table in tables)

    items = _describe_table(kinds) | {"required": [*required]}
    return Kind({"type": "array", "items": items}, read)


def _describe_table(kinds: Mapping[str, Kind]) -> JsonObject:
    properties = {key: each.schema for key, each in kinds.items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


_TIERS = _choices(TIERS)
_KINDS = _choices(KINDS)
_VERDICTS = _choices(ACCEPTABLE)
_GRANTS = list_of(
    Grant,
    "paths",
    paths=_paths(least=1),
    names=TEXTS,
    keys=PUBLIC_KEYS,
    principals=TEXTS,
    pushers=TEXTS,
)
_TARGETS = list_of(
    RefRules, "refs", refs=_refs(least=1), verdicts=_VERDICTS, rewrites=_choice(REWRITES)
)
_FLOORS = list_of(
    Floors,
    "paths",
    paths=_paths(least=1),
    accept=_KINDS,
    tiers=_TIERS,
    min_confidence=PER_MILLE,
    min_tightness=PER_MILLE,
    recovered=FLAG,
)


# What is tighter


def _later(order: tuple[str, ...], words: str) -> Tightening:
    return Tightening(words, lambda own, base: order.index(own) < order.index(base))


def _accepts_more(own: tuple[object, ...] | None, base: tuple[object, ...] | None) -> bool:
    """Whether a list accepts what another does not; None accepts everything."""
    return base is not None and (own is None or not set(own) <= set(base))


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
        "to which commits the rules apply: `agents` (commits with entries, or that name an agent)"
        " or `all`",
        _later(GOVERN, "`all`"),
    ),
    Key(
        "agents",
        _strings("a list of strings", known=KNOWN_AGENTS),
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
        " name of a file and the new; with `recovered = true` for entries from transcripts alone",
        BOTH,
        default="none",
    ),
    Key(
        "protect",
        _paths(known=PROTECTED),
        "globs on paths that governed commits may change only with a grant, added to the"
        " built-in ones",
        BOTH,
        default="`[]`",
    ),
    Key("unprotect", _paths(), "globs on paths to leave unprotected", OPEN, default="`[]`"),
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
        "a grant: `paths`, and who has it: `names` (in clones only), `keys`, `principals`,"
        " `pushers`",
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
        _inner(lambda keys=(): keys, keys=PUBLIC_KEYS),
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
        "assisted_by",
        _choice(CREDITS),
        f"`Assisted-by` trailers: {_list_words(CREDITS)}",
        Tightening("the same, or one from `allow`", lambda own, base: base not in ("allow", own)),
    ),
    Key(
        "refs",
        _refs(),
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


def describe_policy(policy: Policy) -> Iterator[str]:
    """Say what holds for each key that says anything, and what the key is for."""
    usual = Policy()
    for key in KEYS:
        value, known = (getattr(each, key.field or key.name) for each in (policy, usual))
        is_tables = isinstance(value, tuple) and not any(isinstance(each, str) for each in value)
        if isinstance(known, tuple) and len(known) > MOST_SHOWN and value[: len(known)] == known:
            value = (f"{len(known)} of hkgit's own", *value[len(known) :])
        for each in value if is_tables else (value,):
            said = _say(key.name, each)
            if said:
                yield f"{key.name}: {said} ({key.words})"


MOST_SHOWN = 20
"""So many built-in globs are listed; of more there is only their number."""


def _say(name: str, value: Any) -> str:
    """Say the value of a key in words; nothing where it asks for nothing."""
    if isinstance(value, tuple):
        is_limit = name in ("accept", "tiers", "verdicts")
        return ", ".join(map(str, value)) or ("nothing" if is_limit else "")
    if isinstance(value, Mapping | Grant | Floors | RefRules):
        fields = value if isinstance(value, Mapping) else asdict(value)
        said = {field: _say(field, each) for field, each in fields.items() if each is not False}
        return "; ".join(f"{field} {each}" for field, each in said.items() if each)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.startswith("min_"):
        return format_decimal(value) if value else ""
    return str(value or "")


def parse_policy(table: object, source: str) -> Policy:
    """Parse a policy table. Raises InvalidInput, naming the key, also for contradictions."""
    policy = read_table(table, source)
    expect_consistent(policy)
    return policy


def read_table(table: object, source: str) -> Policy:
    """Read the policy that a table says: every key by itself, as `hkgit schema policy` has it."""
    fields = read_fields(source, table, {key.name: key.kind for key in KEYS})
    named = {key.name: key.field or key.name for key in KEYS}
    values = {named[name]: value for name, value in fields.items()}
    return Policy(**values, source=source, table=cast("Mapping[str, object]", table))


# What does not go together


def extend_policy(policy: Policy, base: Policy) -> Policy:
    """Lay one policy over another. Raises InvalidInput for the first key that loosens."""
    fields: dict[str, Any] = {}
    for key in KEYS:
        if key.name not in (policy.table or {}):
            continue
        name = key.field or key.name
        own, below = getattr(policy, name), getattr(base, name)
        is_closed = key.tightening.opens and key.name not in base.open
        if is_closed or key.tightening.is_looser(own, below):
            where, fix = f"{policy.source}: {key.name}", f"{base.source} may only be tightened."
            raise InvalidInput(where, "is looser than the policy that it extends", fix)
        added = (each for each in own if each not in below) if key.tightening.adds else ()
        fields[name] = (*below, *added) if key.tightening.adds else own
    if "allowed_signers" in fields:
        fields["signers"] = policy.signers
    fields |= {
        "extends": None,
        "open": base.open,
        "source": f"{policy.source} over {base.source}",
        "table": policy.table,
        "below": (base.table, *base.below),
    }
    joined = replace(base, **fields)
    expect_consistent(joined)
    return joined


def expect_consistent(policy: Policy) -> None:
    """Raise InvalidInput for the first contradiction: a rule that can never do what it says."""
    for key, what, fix in find_contradictions(policy):
        raise InvalidInput(f"{policy.source}: {key}", what, fix)


def find_contradictions(policy: Policy) -> Iterator[tuple[str, str, str]]:
    """Find everything in which a policy contradicts itself: a key, what is wrong, and the fix."""
    for grant in policy.manual:
        yield from _check_grant(policy, grant)
    for name, parts in (("paths", policy.paths), ("targets", policy.targets)):
        for what in (each for part in parts for each in _find_looser(policy, part)):
            yield name, what, "Tighten it, or loosen the policy's own."
    if policy.roles and policy.allowed_signers is None:
        yield "roles", "names principals, but no file lists their keys", _SIGNERS
    if policy.entries_signed and not policy.roles.get(SIGN) and policy.extends is None:
        what = "must be signed, but nobody may sign them"
        yield "entries", what, "Name principals in roles.sign."
    protected = (policy.table or {}).get("protect")
    for glob in policy.unprotect:
        if glob in policy.protect and isinstance(protected, list) and glob in protected:
            yield "unprotect", f"{glob!r} is protected and unprotected", "Keep one of them."


_SIGNERS = 'Set allowed_signers = ".hkgit/allowed_signers", a file in the format of ssh-keygen(1).'


def _check_grant(policy: Policy, grant: Grant) -> Iterator[tuple[str, str, str]]:
    if not (grant.names or grant.keys or grant.principals or grant.pushers):
        yield "manual", "a grant without a recipient", "Give it names, keys, principals or pushers."
    if grant.principals and policy.allowed_signers is None:
        yield "manual", "grants to principals, but no file lists their keys", _SIGNERS
    if grant.pushers and policy.pusher_variable is None:
        fix = 'Set pusher_variable, to "GL_USERNAME" on GitLab or what your server sets.'
        yield "manual", "grants to pushers, but pusher_variable is not set", fix


def _find_looser(policy: Policy, part: Floors | RefRules) -> Iterator[str]:
    """Find what is looser for some paths or refs: rules for a part only tighten."""
    for key in KEYS:
        own = getattr(part, key.name, None)
        if own and key.tightening.is_looser(own, getattr(policy, key.field or key.name)):
            yield f"{key.name} is looser than that of the policy as a whole"

"""The keys of the policy: how each is read, and which of two values is looser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import gt, lt
from typing import Any

from hkgit.applying.evidence import KINDS
from hkgit.gate.policy.agent_names import KNOWN_AGENTS
from hkgit.gate.policy.consistency import expect_consistent
from hkgit.gate.policy.defaults import ACCEPTABLE, PROTECTED, ROLES, TEXT
from hkgit.gate.policy.model import Floors, Grant, Policy, Recovered, RefRules
from hkgit.gate.policy.table import Table
from hkgit.values import dataclass

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


Read = Callable[[Table, str], Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key: how its value is read, and which field of `Policy` has it, with its default.

    A policy that extends another may only tighten it: `is_looser` says whether its value lets pass
    what that of the other does not. Of a key that `adds`, the values of both hold. Every use of
    one that `opens` loosens, so that only a policy that says so lets another one set it.
    """

    name: str
    read: Read
    is_looser: Callable[[Any, Any], bool] = lambda own, base: False
    field: str = ""
    adds: bool = False
    opens: bool = False


def _choice(known: tuple[str, ...]) -> Read:
    return lambda reader, name: reader.choice(name, known)


def _choices(known: tuple[str, ...]) -> Read:
    return lambda reader, name: reader.choices(name, known)


def _with(known: tuple[str, ...]) -> Read:
    """Read a list of strings, which come behind known ones."""
    return lambda reader, name: (*known, *reader.texts(name, ()))


def _comes_before(order: tuple[str, ...]) -> Callable[[str, str], bool]:
    return lambda own, base: order.index(own) < order.index(base)


def _accepts_more(own: tuple[object, ...] | None, base: tuple[object, ...] | None) -> bool:
    """Whether a list accepts what another does not; None accepts everything."""
    return base is not None and (own is None or not set(own) <= set(base))


def _asks_less(own: Recovered, base: Recovered) -> bool:
    return (
        (own.is_accepted and not base.is_accepted)
        or own.min_confidence < base.min_confidence
        or own.min_tightness < base.min_tightness
    )


def _parse_roles(reader: Table, name: str) -> Mapping[str, tuple[str, ...]]:
    roles = reader.inner(name, *ROLES)
    return {role: roles.texts(role, ()) for role in ROLES if role in roles.table}


def _parse_recovered(reader: Table, name: str) -> Recovered:
    inner = reader.inner(name, "accept", "min_confidence", "min_tightness")
    is_accepted = inner.flag("accept") if "accept" in inner.table else True
    confidence = inner.per_mille("min_confidence")
    return Recovered(is_accepted, confidence, inner.per_mille("min_tightness"))


def _each(make: Callable[..., Any], globs: str, **readers: Read) -> Read:
    """Read a list of tables of these keys; only the globs that they are for must be there."""

    def parse(reader: Table) -> Any:
        reader.check_keys(globs, *readers)
        parts = {key: read(reader, key) for key, read in readers.items() if key in reader.table}
        return make(**{globs: reader.globs(globs)}, **parts)

    return lambda reader, name: tuple(map(parse, reader.tables(name)))


_PER_MILLE = Table.per_mille
_GRANTS = _each(
    Grant, "paths", names=_with(()), keys=_with(()), principals=_with(()), pushers=_with(())
)
_TARGETS = _each(RefRules, "refs", verdicts=_choices(ACCEPTABLE), rewrites=_choice(REWRITES))
_FLOORS = _each(
    Floors,
    "paths",
    accept=_choices(KINDS),
    tiers=_choices(TIERS),
    min_confidence=_PER_MILLE,
    min_tightness=_PER_MILLE,
)
KEYS = (
    Key("mode", _choice(MODES), _comes_before(MODES)),
    Key("govern", _choice(GOVERN), _comes_before(GOVERN)),
    Key("agents", _with(KNOWN_AGENTS), adds=True),
    Key("accept", _choices(KINDS), _accepts_more),
    Key("verdicts", _choices(ACCEPTABLE), _accepts_more),
    Key("tiers", _choices(TIERS), _accepts_more),
    Key("ladders", Table.integers, _accepts_more),
    Key("min_confidence", _PER_MILLE, lt),
    Key("min_threshold", _PER_MILLE, lt),
    Key("min_tightness", _PER_MILLE, lt),
    Key("since", Table.commit, opens=True),
    Key("manual", _GRANTS, opens=True),
    Key("refs", _with(()), adds=True),
    Key("rewrites", _choice(REWRITES), _comes_before(REWRITES)),
    Key("targets", _TARGETS, adds=True),
    Key("paths", _FLOORS, adds=True),
    Key("protect", _with(PROTECTED), adds=True),
    Key("unprotect", _with(()), opens=True),
    Key("reject_text", _choices(TEXT), lambda own, base: not set(base) <= set(own)),
    Key("allowed_signers", Table.text, opens=True),
    Key("pusher_variable", Table.text, opens=True),
    Key("roles", _parse_roles, opens=True),
    Key(
        "attest",
        lambda reader, name: reader.inner(name, "keys").texts("keys", ()),
        field="attest_keys",
        opens=True,
    ),
    Key(
        "entries",
        lambda reader, name: reader.inner(name, "signed").flag("signed"),
        lt,
        field="entries_signed",
    ),
    Key("recovered", _parse_recovered, _asks_less),
    Key(
        "assisted_by",
        _choice(CREDITS),
        lambda own, base: base not in ("allow", own),
    ),
    Key("max_seconds", lambda reader, name: reader.integer(name, 1, MOST_SECONDS), gt),
    Key("extends", Table.text),
    Key("open", lambda reader, name: reader.choices(name, OPEN)),
)
OPEN: tuple[str, ...] = tuple(key.name for key in KEYS if key.opens)


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
    values = {key.field or key.name: key.read(reader, key.name) for key in given}
    return Policy(**values, source=source, table=reader.table)

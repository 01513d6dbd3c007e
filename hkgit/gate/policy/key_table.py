"""The keys of a policy: how each is read, and what tightens it.

The type and the words of a key are those of the published format (`text.formats`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import gt, lt
from typing import Any, cast

from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import KNOWN_AGENTS, PROTECTED, SIGN
from hkgit.gate.policy.model import Floors, Grant, Policy, RefRules
from hkgit.matching.place import format_decimal
from hkgit.text.formats import describe_format, find_faults
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict, dataclass, replace

_SCHEMA = describe_format("policy")


@dataclass(frozen=True)
class Key:
    """What a policy that extends another may do with a key: `tighter` says which value it may have.

    `is_looser` says whether its value accepts what that of the other does not. Of a key that
    `adds`, the values of both hold. Every use of one that `opens` loosens, so that only a policy
    that says so lets another one set it. `default` says in words what holds without the key, and
    `field` of `Policy` has its value.
    """

    tighter: str = ""
    default: str = ""
    is_looser: Callable[[Any, Any], bool] = lambda own, base: False
    adds: bool = False
    opens: bool = False
    field: str = ""


def _later(key: str) -> Callable[[Any, Any], bool]:
    """Of the words that a key may have, the later ones are tighter."""
    order = _SCHEMA["properties"][key]["enum"]
    return lambda own, base: order.index(own) < order.index(base)


def _accepts_more(own: tuple[object, ...] | None, base: tuple[object, ...] | None) -> bool:
    """Whether a list accepts what another does not; None accepts everything."""
    return base is not None and (own is None or not set(own) <= set(base))


KEYS: Mapping[str, Key] = {
    "mode": Key("later in report, warn, enforce", is_looser=_later("mode")),
    "govern": Key("`all`", is_looser=_later("govern")),
    "agents": Key("more", "`[]`", adds=True),
    "since": Key("*open*", "none", opens=True),
    "accept": Key("fewer", '`["hash", "receipt"]`', _accepts_more),
    "verdicts": Key("fewer", "[the table](verdicts.md)", _accepts_more),
    "tiers": Key("fewer", "all", _accepts_more),
    "min_confidence": Key("higher", is_looser=lt),
    "min_tightness": Key("higher", is_looser=lt),
    "paths": Key("more; both apply", "none", adds=True),
    "protect": Key("more; both apply", "`[]`", adds=True),
    "unprotect": Key("*open*", "`[]`", opens=True),
    "reject_text": Key("more", "all four", lambda own, base: not set(base) <= set(own)),
    "manual": Key("*open*", "none", opens=True),
    "allowed_signers": Key("*open*", "none", opens=True),
    "pusher_variable": Key("*open*", "none", opens=True),
    "roles": Key("*open*", "none", opens=True),
    "attest": Key("*open*", "none", opens=True, field="attest_keys"),
    "entries": Key("`true`", "`false`", lt, field="entries_signed"),
    "assisted_by": Key(
        "the same, or one from `allow`", is_looser=lambda own, base: base not in ("allow", own)
    ),
    "refs": Key("more; both apply", "`refs/heads/*`, `refs/tags/*`", adds=True),
    "rewrites": Key("`refuse`", is_looser=_later("rewrites")),
    "targets": Key("more; both apply", "none", adds=True),
    "max_seconds": Key("lower", is_looser=gt),
    "extends": Key(default="none"),
    "open": Key(default="`[]`"),
}


def policy_schema() -> JsonObject:
    """Write the JSON Schema of a policy."""
    schema, usual = describe_format("policy"), Policy()
    for name, key in KEYS.items():
        if not key.default:
            value = getattr(usual, key.field or name)
            schema["properties"][name]["default"] = value / 1000 if _is_share(name) else value
    return schema


def _is_share(name: str) -> bool:
    """Whether a key is a number from 0 to 1, which is per mille here."""
    return name.startswith("min_")


def describe_policy(policy: Policy) -> Iterator[str]:
    """Say what holds for each key that says anything, and what the key is for."""
    usual = Policy()
    for name, key in KEYS.items():
        value, known = (getattr(each, key.field or name) for each in (policy, usual))
        is_tables = isinstance(value, tuple) and not any(isinstance(each, str) for each in value)
        if isinstance(known, tuple) and len(known) > MOST_SHOWN and value[: len(known)] == known:
            value = (f"{len(known)} of hkgit's own", *value[len(known) :])
        for each in value if is_tables else (value,):
            said = _say(name, each)
            if said:
                yield f"{name}: {said} ({_SCHEMA['properties'][name]['description']})"


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
    if _is_share(name):
        return format_decimal(value) if value else ""
    return str(value or "")


def parse_policy(table: object, source: str) -> Policy:
    """Parse a policy table. Raises InvalidInput, naming the key, also for contradictions."""
    policy = read_table(table, source)
    expect_consistent(policy)
    return policy


def read_table(table: object, source: str) -> Policy:
    """Read the policy that a table says: every key by itself, as `hkgit schema policy` has it."""
    fix = "hkgit schema policy prints what each key takes."
    for fault in find_faults(source, table, _SCHEMA, fix):
        raise fault
    told = cast("Mapping[str, object]", table)
    values = {KEYS[name].field or name: _make_value(name, each) for name, each in told.items()}
    return Policy(**values, source=source, table=told)


_KNOWN = {"agents": KNOWN_AGENTS, "protect": PROTECTED}
"""What the values of a key come behind."""
_TABLES: Mapping[str, Callable[..., Any]] = {
    "manual": Grant,
    "paths": Floors,
    "targets": RefRules,
    "roles": dict,
    "attest": lambda keys=(): keys,
    "entries": lambda signed=False: signed,
}


def _make_value(name: str, value: Any) -> Any:
    """Make what a policy has of the value of a key."""
    match value:
        case list():
            return (*_KNOWN.get(name, ()), *(_make_value(name, each) for each in value))
        case dict():
            return _TABLES[name](**{key: _make_value(key, each) for key, each in value.items()})
        case str() | bool():
            return value
    return round(value * 1000) if _is_share(name) else int(value)


# What does not go together


def extend_policy(policy: Policy, base: Policy) -> Policy:
    """Lay one policy over another. Raises InvalidInput for the first key that loosens."""
    fields: dict[str, Any] = {}
    for name, key in KEYS.items():
        if name not in (policy.table or {}):
            continue
        field = key.field or name
        own, below = getattr(policy, field), getattr(base, field)
        if (key.opens and name not in base.open) or key.is_looser(own, below):
            where, fix = f"{policy.source}: {name}", f"{base.source} may only be tightened."
            raise InvalidInput(where, "is looser than the policy that it extends", fix)
        fields[field] = (*below, *(each for each in own if each not in below)) if key.adds else own
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
    for name, key in KEYS.items():
        own = getattr(part, name, None)
        if own and key.is_looser(own, getattr(policy, key.field or name)):
            yield f"{name} is looser than that of the policy as a whole"

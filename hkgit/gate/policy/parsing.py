"""parsing.py: make a policy of its table, and check every key."""

from __future__ import annotations

from hkgit.applying.evidence import HASHED, KINDS
from hkgit.gate.policy.agents import KNOWN_AGENTS
from hkgit.gate.policy.consistency import expect_consistent
from hkgit.gate.policy.defaults import ACCEPTABLE, ACCEPTED, PROTECTED, ROLES, TEXT
from hkgit.gate.policy.model import Floors, Grant, Policy, Recovered, RefRules
from hkgit.gate.policy.table import Table

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
OPEN = ("since", "manual", "unprotect", "roles", "allowed_signers", "pusher_variable", "attest")
"""Keys whose every use loosens, so that only a policy that says so lets another one set them."""

KEYS = (
    *("mode", "govern", "agents", "accept", "verdicts", "tiers", "ladders", "min_confidence"),
    *("min_threshold", "min_tightness", "since", "manual", "refs", "rewrites", "targets", "paths"),
    *("protect", "unprotect", "reject_text", "allowed_signers", "pusher_variable", "roles"),
    *("attest", "entries", "recovered", "assisted_by", "max_seconds", "extends", "open"),
)

_RECOVERED = ("accept", "min_confidence", "min_tightness")
MOST_SECONDS = 3600


def parse_policy(table: object, source: str) -> Policy:
    """Parse a policy table. Raises InvalidInput, naming the key, also for contradictions."""
    policy = read_table(table, source)
    expect_consistent(policy)
    return policy


def read_table(table: object, source: str) -> Policy:
    """Read the policy that a table says: every key by itself, as `hkgit schema policy` has it."""
    reader = Table(source, table)
    reader.check_keys(*KEYS)
    roles, attest = reader.inner("roles", *ROLES), reader.inner("attest", "keys")
    return Policy(
        mode=reader.choice("mode", MODES, "enforce"),
        govern=reader.choice("govern", GOVERN, "agents"),
        agents=(*KNOWN_AGENTS, *reader.texts("agents", ())),
        accept=reader.choices("accept", KINDS, HASHED),
        verdicts=reader.choices("verdicts", ACCEPTABLE, ACCEPTED),
        tiers=_parse_tiers(reader),
        ladders=reader.integers("ladders"),
        min_confidence=reader.per_mille("min_confidence"),
        min_threshold=reader.per_mille("min_threshold"),
        min_tightness=reader.per_mille("min_tightness"),
        since=reader.commit("since"),
        manual=tuple(map(_parse_grant, reader.tables("manual"))),
        refs=reader.texts("refs", ("refs/heads/*", "refs/tags/*")),
        rewrites=reader.choice("rewrites", REWRITES, "judge"),
        targets=tuple(map(_parse_target, reader.tables("targets"))),
        paths=tuple(map(_parse_floors, reader.tables("paths"))),
        protect=(*PROTECTED, *reader.texts("protect", ())),
        unprotect=reader.texts("unprotect", ()),
        reject_text=reader.choices("reject_text", TEXT, TEXT),
        allowed_signers=reader.text("allowed_signers"),
        pusher_variable=reader.text("pusher_variable"),
        roles={role: roles.texts(role, ()) for role in ROLES if role in roles.table},
        attest_keys=attest.texts("keys", ()),
        entries_signed=reader.inner("entries", "signed").flag("signed"),
        assisted_by=reader.choice("assisted_by", CREDITS, "allow"),
        recovered=_parse_recovered(reader.inner("recovered", *_RECOVERED)),
        max_seconds=reader.integer("max_seconds", 1, MOST_SECONDS, 60),
        extends=reader.text("extends"),
        open=reader.choices("open", OPEN, ()),
        source=source,
        table=reader.table,
    )


def _parse_tiers(reader: Table) -> tuple[str, ...] | None:
    return reader.choices("tiers", TIERS, ()) if "tiers" in reader.table else None


def _parse_recovered(reader: Table) -> Recovered:
    is_accepted = reader.flag("accept") if "accept" in reader.table else True
    confidence = reader.per_mille("min_confidence")
    return Recovered(is_accepted, confidence, reader.per_mille("min_tightness"))


def _parse_grant(reader: Table) -> Grant:
    reader.check_keys("paths", "names", "keys", "principals", "pushers")
    who = (reader.texts(key, ()) for key in ("names", "keys", "principals", "pushers"))
    return Grant(reader.globs("paths"), *who)


def _parse_floors(reader: Table) -> Floors:
    reader.check_keys("paths", "accept", "tiers", "min_confidence", "min_tightness")
    accept = reader.choices("accept", KINDS, ()) if "accept" in reader.table else None
    confidence = reader.per_mille("min_confidence")
    tightness = reader.per_mille("min_tightness")
    return Floors(
        paths=reader.globs("paths"),
        accept=accept,
        tiers=_parse_tiers(reader),
        min_confidence=confidence,
        min_tightness=tightness,
    )


def _parse_target(reader: Table) -> RefRules:
    reader.check_keys("refs", "verdicts", "rewrites")
    refs, table = reader.globs("refs"), reader.table
    verdicts = reader.choices("verdicts", ACCEPTABLE, ()) if "verdicts" in table else None
    rewrites = reader.choice("rewrites", REWRITES, "") if "rewrites" in table else None
    return RefRules(refs, verdicts, rewrites)

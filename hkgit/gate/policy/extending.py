"""extending.py: a policy laid over that of an organisation, which it may only tighten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from hkgit.errors import InvalidInput
from hkgit.gate.policy.consistency import expect_consistent
from hkgit.gate.policy.model import Policy, Recovered
from hkgit.gate.policy.parsing import GOVERN, MODES, OPEN, REWRITES
from hkgit.values import replace

DEEPEST = 5
"""So many policies may extend one another."""

Item = TypeVar("Item")
Load = Callable[[str, Policy], Policy]
"""Reads the policy that another one extends, by the name it gives."""


def follow_extends(policy: Policy, load: Load) -> Policy:
    """Lay a policy over all that it extends.

    Raises InvalidInput, naming the key, where it is looser than what it extends.
    """
    chain = [policy]
    while (named := chain[-1].extends) is not None:
        if len(chain) > DEEPEST:
            what = f"more than {DEEPEST} policies extend one another"
            raise InvalidInput(f"{policy.source}: extends", what, "Let one extend itself no more.")
        chain.append(load(named, chain[-1]))
    result = chain.pop()
    while chain:
        result = extend_policy(chain.pop(), result)
    return result


def extend_policy(policy: Policy, base: Policy) -> Policy:
    """Lay one policy over another. Raises InvalidInput for the first key that loosens."""
    given = policy.table or {}
    for key in _find_loosened(given, policy, base):
        where, fix = f"{policy.source}: {key}", f"{base.source} may only be tightened."
        raise InvalidInput(where, "is looser than what it extends", fix)
    names = (name for key in given for name in _FIELDS.get(key, (key,)))
    own: dict[str, Any] = {name: getattr(policy, name) for name in names}
    added: dict[str, Any] = {
        name: _both(getattr(base, name), getattr(policy, name)) for name in _ADDED
    }
    joined = replace(
        base,
        **own,
        **added,
        refs=_both(base.refs, policy.refs) if "refs" in given else base.refs,
        extends=None,
        open=base.open,
        source=f"{policy.source} over {base.source}",
        table=policy.table,
        below=(base.table, *base.below),
    )
    expect_consistent(joined)
    return joined


_ADDED = ("agents", "protect", "paths", "targets")
"""Lists of which those of both hold."""

_FIELDS = {
    **dict.fromkeys((*_ADDED, "refs", "extends", "open"), ()),
    "attest": ("attest_keys",),
    "entries": ("entries_signed",),
    "allowed_signers": ("allowed_signers", "signers"),
}
"""The fields that a key sets, where they are not of its own name."""


def _both(first: tuple[Item, ...], second: tuple[Item, ...]) -> tuple[Item, ...]:
    return (*first, *(each for each in second if each not in first))


def _find_loosened(given: Mapping[str, object], policy: Policy, base: Policy) -> Iterator[str]:
    """Find the keys that a policy gives and that let pass what its base does not."""
    for key in OPEN:
        if key in given and key not in base.open:
            yield key
    for key, order in (("mode", MODES), ("govern", GOVERN), ("rewrites", REWRITES)):
        if key in given and order.index(getattr(policy, key)) < order.index(getattr(base, key)):
            yield key
    for key in ("accept", "verdicts", "tiers", "ladders"):
        if key in given and not _is_within(getattr(policy, key), getattr(base, key)):
            yield key
    for key in ("min_confidence", "min_threshold", "min_tightness"):
        if key in given and getattr(policy, key) < getattr(base, key):
            yield key
    if "reject_text" in given and not set(base.reject_text) <= set(policy.reject_text):
        yield "reject_text"
    if "assisted_by" in given and base.assisted_by not in ("allow", policy.assisted_by):
        yield "assisted_by"
    if "max_seconds" in given and policy.max_seconds > base.max_seconds:
        yield "max_seconds"
    if "entries" in given and base.entries_signed and not policy.entries_signed:
        yield "entries"
    if "recovered" in given and _is_looser(policy.recovered, base.recovered):
        yield "recovered"


def _is_looser(own: Recovered, base: Recovered) -> bool:
    return (
        (own.is_accepted and not base.is_accepted)
        or own.min_confidence < base.min_confidence
        or own.min_tightness < base.min_tightness
    )


def _is_within(values: tuple[object, ...] | None, allowed: tuple[object, ...] | None) -> bool:
    """Whether a list accepts no more than another; None accepts everything."""
    return allowed is None or (values is not None and set(values) <= set(allowed))

"""extending.py: a policy laid over that of an organisation, which it may only tighten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from hkgit.errors import InvalidInput
from hkgit.policy.consistency import expect_consistent
from hkgit.policy.model import Policy
from hkgit.policy.parsing import GOVERN, MODES, OPEN, REWRITES

DEEPEST = 5
"""So many policies may extend one another."""

Load = Callable[[str, Policy], Policy]
"""Reads the policy that another one extends, by the name it gives."""


def followed(policy: Policy, load: Load) -> Policy:
    """The policy with all that it extends laid under it.

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
        result = extended(chain.pop(), result)
    return result


def extended(policy: Policy, base: Policy) -> Policy:
    """One policy over another. Raises InvalidInput for the first key that loosens."""
    given = policy.table or {}
    for key in _loosened(given, policy, base):
        where, fix = f"{policy.source}: {key}", f"{base.source} may only be tightened."
        raise InvalidInput(where, "is looser than what it extends", fix)
    own = {key: value for key, value in _plain(given, policy).items() if key in given}
    joined = replace(
        base,
        **own,
        agents=tuple(dict.fromkeys((*base.agents, *policy.agents))),
        protect=tuple(dict.fromkeys((*base.protect, *policy.protect))),
        unprotect=policy.unprotect if "unprotect" in given else base.unprotect,
        refs=tuple(dict.fromkeys((*base.refs, *policy.refs))) if "refs" in given else base.refs,
        paths=(*base.paths, *policy.paths),
        targets=(*base.targets, *policy.targets),
        consult_required=base.consult_required or policy.consult_required,
        attest_keys=policy.attest_keys if "attest" in given else base.attest_keys,
        signers=policy.signers if "allowed_signers" in given else base.signers,
        extends=None,
        open=base.open,
        source=f"{policy.source} over {base.source}",
        table=policy.table,
    )
    expect_consistent(joined)
    return joined


_REPLACED = (
    "mode", "govern", "accept", "verdicts", "tiers", "ladders", "min_confidence", "min_threshold",
    "min_tightness", "since", "manual", "rewrites", "reject_text", "allowed_signers",
    "pusher_variable", "roles", "max_seconds",
)  # fmt: skip


def _plain(given: Any, policy: Policy) -> dict[str, Any]:
    """The keys whose value takes the place of the other's."""
    return {key: getattr(policy, key) for key in _REPLACED if key in given}


def _loosened(given: Any, policy: Policy, base: Policy) -> Iterator[str]:
    """The keys that a policy gives and that let pass what its base does not."""
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
    if "max_seconds" in given and policy.max_seconds > base.max_seconds:
        yield "max_seconds"


def _is_within(values: tuple[Any, ...] | None, allowed: tuple[Any, ...] | None) -> bool:
    """Whether a list accepts no more than another; None accepts everything."""
    return allowed is None or (values is not None and set(values) <= set(allowed))

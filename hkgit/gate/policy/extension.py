"""A policy laid over that of an organisation, which it may only tighten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hkgit.errors import InvalidInput
from hkgit.gate.policy.consistency import expect_consistent
from hkgit.gate.policy.key_table import KEYS
from hkgit.gate.policy.model import Policy
from hkgit.values import replace

DEEPEST = 5
"""So many policies may extend one another."""

Load = Callable[[str, Policy], Policy]
"""Reads the policy that another one extends, by the name it gives."""


def follow_extends(policy: Policy, load: Load) -> Policy:
    """Lay a policy over all that it extends.

    Raises InvalidInput, naming the key, where it is looser than the policy that it extends.
    """
    chain = [policy]
    while (named := chain[-1].extends) is not None:
        if len(chain) > DEEPEST:
            what = f"more than {DEEPEST} policies extend each other"
            raise InvalidInput(
                f"{policy.source}: extends", what, "Remove `extends` from one of them."
            )
        chain.append(load(named, chain[-1]))
    result = chain.pop()
    while chain:
        result = extend_policy(chain.pop(), result)
    return result


def extend_policy(policy: Policy, base: Policy) -> Policy:
    """Lay one policy over another. Raises InvalidInput for the first key that loosens."""
    given = [key for key in KEYS if key.name in (policy.table or {})]
    fields: dict[str, Any] = {}
    for key in given:
        name = key.field or key.name
        own, below = getattr(policy, name), getattr(base, name)
        tightening = key.tightening
        is_closed = tightening.opens and key.name not in base.open
        if is_closed or tightening.is_looser(own, below):
            where, fix = f"{policy.source}: {key.name}", f"{base.source} may only be tightened."
            raise InvalidInput(where, "is looser than the policy that it extends", fix)
        fields[name] = (
            (*below, *(each for each in own if each not in below)) if tightening.adds else own
        )
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

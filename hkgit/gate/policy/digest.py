"""digest.py: what a policy is called when somebody pins it or signs for it."""

from __future__ import annotations

import json

from hkgit.gate.policy.model import Policy
from hkgit.text.hashing import sha256


def hash_policy(policy: Policy) -> str:
    """Hash a policy's value: `sha256:` and 64 hex digits.

    The value is the table as TOML says it, and the allowed signers that stand beside it: JSON with
    sorted keys, without blanks. Of the built-in policy the table is null. The tables of those that
    it extends stand behind, the nearest first.
    """
    value = [policy.table, policy.signers, *policy.below]
    # A TOML table may hold dates, which JSON cannot say.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{sha256(text.encode()).hexdigest()}"

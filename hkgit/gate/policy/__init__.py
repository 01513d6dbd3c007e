"""What a repository lets pass, read from the trusted side."""

from hkgit.gate.policy.agents import KNOWN_AGENTS, co_authors, matches
from hkgit.gate.policy.defaults import ACCEPTED
from hkgit.gate.policy.files import (
    CONFIG,
    PYPROJECT,
    load_toml,
    policy_in,
    policy_value,
    read_policy,
)
from hkgit.gate.policy.model import BUILT_IN, Floors, Grant, Policy, RefRules
from hkgit.gate.policy.parsing import parse_policy

__all__ = [
    "ACCEPTED",
    "BUILT_IN",
    "CONFIG",
    "KNOWN_AGENTS",
    "PYPROJECT",
    "Floors",
    "Grant",
    "Policy",
    "RefRules",
    "co_authors",
    "load_toml",
    "matches",
    "parse_policy",
    "policy_in",
    "policy_value",
    "read_policy",
]

"""What a repository lets pass, read from the trusted side."""

from hkgit.gate.policy.agents import KNOWN_AGENTS, find_co_authors, matches
from hkgit.gate.policy.defaults import ACCEPTED
from hkgit.gate.policy.files import (
    CONFIG,
    PYPROJECT,
    find_policy_table,
    load_toml,
    policy_value,
    read_policy,
)
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import BUILT_IN, Floors, Grant, Policy, RefRules

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
    "find_co_authors",
    "find_policy_table",
    "load_toml",
    "matches",
    "parse_policy",
    "policy_value",
    "read_policy",
]

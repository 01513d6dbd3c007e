"""What a repository lets pass, read from the trusted side."""

from hkgit.policy.agents import KNOWN_AGENTS, co_authors, matches
from hkgit.policy.files import CONFIG, PYPROJECT, load_toml, policy_in, policy_value, read_policy
from hkgit.policy.model import ACCEPTED, BUILT_IN, Floors, Grant, Policy, Target
from hkgit.policy.parsing import parse_policy

__all__ = [
    "ACCEPTED", "BUILT_IN", "CONFIG", "KNOWN_AGENTS", "PYPROJECT", "Floors", "Grant", "Policy",
    "Target", "co_authors", "load_toml", "matches", "parse_policy", "policy_in", "policy_value",
    "read_policy",
]  # fmt: skip

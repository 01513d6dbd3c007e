"""grants.py: find the grant by which a commit may change paths by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.gate.context import JudgeContext
from hkgit.gate.policy.agents import matches
from hkgit.gate.policy.model import Grant, Policy
from hkgit.git.repository import Repository


def read_pusher(policy: Policy) -> str | None:
    """Read who the server says is pushing; only for a hook that a server runs."""
    if policy.pusher_variable is None:
        return None
    return os.environ.get(policy.pusher_variable) or None


def find_grant(
    repository: Repository,
    policy: Policy,
    candidate: CandidateCommit,
    paths: Sequence[str],
    context: JudgeContext,
) -> str | None:
    """Find the rule by which these paths may be changed by hand, or None."""
    for grant in policy.manual:
        if not grant.covers(paths):
            continue
        if context.on_client and matches(candidate.author, grant.names):
            return f"manual grant to {candidate.author} (by name: provisional)"
        if context.pusher is not None and context.pusher in grant.pushers:
            return f"manual grant to {context.pusher}, who pushed it"
        rule = _by_signature(repository, policy, candidate, grant)
        if rule is not None:
            return rule
    return None


def _by_signature(
    repository: Repository, policy: Policy, candidate: CandidateCommit, grant: Grant
) -> str | None:
    if candidate.id is None:
        return None
    if grant.keys and repository.verify_signature(candidate.id, _render_signers(grant)) is not None:
        return "manual grant to the key that signed it"
    if grant.principals:
        signer = repository.verify_signature(candidate.id, policy.signers)
        if signer in grant.principals:
            return f"manual grant to {signer}, who signed it"
    return None


def _render_signers(grant: Grant) -> str:
    """Render the grant's keys as git's file of allowed signers."""
    return "".join(f"granted {key}\n" for key in grant.keys)

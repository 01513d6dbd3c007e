"""grants.py: find the grant by which paths may be changed by hand, and who vouches for a commit."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hkgit.evidence.ledger.footers import read_trailers
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.gate.context import JudgeContext
from hkgit.gate.policy.agents import matches
from hkgit.gate.policy.model import Grant, Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass


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
    voucher: str | None = None,
) -> str | None:
    """Find the rule by which these paths may be changed by hand, or None.

    With a `voucher` (`Name <email>`), the rule by which that very person may change them.
    """
    for grant in policy.manual:
        if not grant.covers(paths):
            continue
        name = candidate.author if voucher is None else voucher
        if context.on_client and matches(name, grant.names):
            return f"manual grant to {name} (by name: provisional)"
        if context.on_client and candidate.id is None and _is_named(voucher, grant.principals):
            return f"manual grant to {name} (who has to sign it: provisional)"
        # A key and a pusher have no name of their own: as with Signed-off-by, the committer's.
        is_own = voucher is None or _address(voucher) == _address(candidate.committer)
        if is_own and context.pusher is not None and context.pusher in grant.pushers:
            return f"manual grant to {context.pusher}, who pushed it"
        if candidate.id is None:
            continue
        signers = _render_signers(grant)
        if is_own and grant.keys and repository.verify_signature(candidate.id, signers) is not None:
            return "manual grant to the key that signed it"
        if grant.principals:
            signer = repository.verify_signature(candidate.id, policy.signers)
            if signer in grant.principals and (voucher is None or _is_named(voucher, (signer,))):
                return f"manual grant to {signer}, who signed it"
    return None


def _render_signers(grant: Grant) -> str:
    """Render the grant's keys as git's file of allowed signers."""
    return "".join(f"granted {key}\n" for key in grant.keys)


def _is_named(voucher: str | None, principals: Sequence[str]) -> bool:
    """Whether a `Name <email>` is one of some principals, by address or by name."""
    if voucher is None:
        return False
    called = (_address(voucher), voucher.partition(" <")[0].lower())
    return any(principal.lower() in called for principal in principals)


def _address(identity: str) -> str:
    return identity.partition("<")[2].partition(">")[0].lower()


@dataclass(frozen=True, slots=True)
class Voucher:
    """Who takes a commit upon himself, and the rule by which he may."""

    person: str
    rule: str


def find_voucher(
    repository: Repository,
    policy: Policy,
    candidate: CandidateCommit,
    paths: Sequence[str],
    context: JudgeContext,
) -> Voucher | None:
    """Find the person who vouches for what a commit changes without evidence, and may.

    An agent vouches for nothing; in its shell nobody does. Before commit-msg no message is known:
    then whoever may vouch can still do so.
    """
    if context.shell is not None:
        return None
    if candidate.message is None:
        is_open = context.on_client and any(grant.covers(paths) for grant in policy.manual)
        return Voucher("", "somebody may vouch for it in the message") if is_open else None
    for person in read_trailers(candidate.message).vouchers:
        if not policy.is_agent(person):
            rule = find_grant(repository, policy, candidate, paths, context, person)
            if rule is not None:
                return Voucher(person, f"vouched for by {person}: {rule}")
    return None


def explain_refused_voucher(
    policy: Policy, candidate: CandidateCommit, paths: Sequence[str], context: JudgeContext
) -> tuple[str, str] | None:
    """Say why whoever a message names may not vouch, and what to do; None where it names nobody."""
    people = read_trailers(candidate.message or b"").vouchers
    if not people:
        return None
    who = people[0]
    if context.shell is not None:
        what = f"names {who}, but this is the shell of {context.shell}"
        return what, "A person vouches in a shell of his own."
    if all(map(policy.is_agent, people)):
        return f"names {who}, an agent", "A person vouches, and signs the commit: " + VOUCH
    if not any(grant.covers(paths) for grant in policy.manual):
        what = f"names {who}, and the policy grants nobody all that the commit changes"
        return what, "Only whom a [[gate.manual]] of the policy grants these paths may vouch."
    what = f"names {who}, whom no grant of these paths is shown to be for"
    fix = f"Names alone count in clones only. Whoever is granted them signs it: {VOUCH}"
    return what, fix


VOUCH = 'git commit --amend --no-edit -S --trailer "Hkgit-Vouched-by: NAME <EMAIL>"'
"""How a person takes the last commit upon himself; what says who made it is kept."""

"""trusting.py: find the attestation, by somebody trusted, that lets a commit pass."""

from __future__ import annotations

from hkgit.errors import InvalidInput
from hkgit.evidence.replay.findings import CandidateCommit, ReplayResult, Verdict
from hkgit.gate.attestations.envelope import Envelope, encode_pae
from hkgit.gate.attestations.keeping import read_envelopes
from hkgit.gate.attestations.keys import find_verifier, fingerprint, verify
from hkgit.gate.attestations.statement import PAYLOAD_TYPE, Statement, read_statement
from hkgit.gate.policy.defaults import ATTEST
from hkgit.gate.policy.digest import hash_policy
from hkgit.gate.policy.model import Policy
from hkgit.gate.rulings import Ruling
from hkgit.git.repository import Repository


def find_attestation(
    repository: Repository, policy: Policy, candidate: CandidateCommit, ref: str | None = None
) -> str | None:
    """Tell who attested that the candidate's tree, made of its parent's, is judged work; or None.

    The policy must be the one it was judged under, with no verdict accepted then that is not
    accepted now, and `ref`, where it is known, the one it was judged for. A merge has none.
    """
    principals = policy.roles.get(ATTEST, ())
    if len(candidate.parents) != 1 or not (policy.attest_keys or principals):
        return None
    base_tree = repository.commit(candidate.parents[0]).tree
    for envelope in read_envelopes(repository, base_tree, candidate.tree):
        signer = _signer(policy, envelope)
        statement = None if signer is None else read_statement_of(envelope)
        if (
            statement is not None
            and (statement.base_tree, statement.tree) == (base_tree, candidate.tree)
            and _fits(policy, statement, ref)
        ):
            return f"{signer}, of {statement.base[:12]}..{statement.head[:12]}"
    return None


def attest_ruling(ruling: Ruling, signer: str) -> Ruling:
    """Make the ruling on a commit for which somebody trusted has signed."""
    judged = ruling.judged
    return Ruling(
        judged=ReplayResult(
            candidate=judged.candidate,
            verdict=Verdict.ATTESTED,
            entries=judged.entries,
            notes=judged.notes,
            basis=signer,
        ),
        replayed=Verdict.ATTESTED,
        passes=True,
        rule=f"verdict {Verdict.ATTESTED}",
        agent=ruling.agent,
    )


def _signer(policy: Policy, envelope: Envelope) -> str | None:
    """The principal, or else the fingerprint of the key, that signed and that is trusted."""
    signed = encode_pae(envelope.payload_type, envelope.payload)
    for each in envelope.signatures[:8]:
        if policy.attest_keys and verify(signed, each.sig, policy.attest_keys):
            return fingerprint(each.sig)
        principals = policy.roles.get(ATTEST, ())
        found = find_verifier(signed, each.sig, policy.signers, principals)
        if found is not None:
            return found
    return None


def read_statement_of(envelope: Envelope) -> Statement | None:
    """Read what an envelope says of a verdict, signed or not; None where it says nothing."""
    if envelope.payload_type != PAYLOAD_TYPE:
        return None
    try:
        return read_statement(envelope.payload)
    except InvalidInput:
        return None


def _fits(policy: Policy, statement: Statement, ref: str | None) -> bool:
    return (
        statement.policy == hash_policy(policy)
        and set(statement.accepted) <= set(policy.verdicts)
        and (policy.ladders is None or statement.ladder in policy.ladders)
        and (ref is None or statement.target in (None, ref))
    )

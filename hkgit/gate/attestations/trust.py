"""Whose signature counts, of a verdict and of an entry.

That of an entry names the entry by the SHA-256 of its bytes, and no commit. So it holds after a
rebase, a squash and a cherry-pick, which keep the entry as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import Entry, write_canonical
from hkgit.evidence.verdict import CandidateCommit, ReplayResult, Verdict
from hkgit.gate.attestations.keys import find_verifier, fingerprint, sign, verify
from hkgit.gate.attestations.statement import (
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    Statement,
    encode_pae,
    read_envelopes,
    read_envelopes_below,
    read_statement,
)
from hkgit.gate.policy.defaults import ATTEST, SIGN
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository

NAMESPACE = "hkgit-entry@v1"
ENTRY_PAYLOAD_TYPE = "application/vnd.hkgit.entry+json"
REFS = "refs/hkgit/entries/"
MOST_SIGNATURES = 8
"""The most signatures of one envelope to look at: each takes a process for every principal."""


def entry_refs(name: str) -> str:
    """Return where the signatures of an entry are kept, one ref each."""
    return f"{REFS}{name}"


def make_payload(name: str, entry: Entry) -> bytes:
    """Write the bytes to be signed: the entry's id and the agent it claims, as canonical JSON."""
    return write_canonical({"schema": 1, "entry": f"sha256:{name}", "agent": entry.agent})


def sign_entry(name: str, entry: Entry, key: Path) -> Envelope:
    """Sign an entry with an SSH key. Raises InvalidInput when the key cannot be used."""
    payload = make_payload(name, entry)
    signature = sign(key, encode_pae(ENTRY_PAYLOAD_TYPE, payload), NAMESPACE)
    return Envelope(ENTRY_PAYLOAD_TYPE, payload, (Signature(fingerprint(signature), signature),))


def find_signer(
    repository: Repository,
    policy: Policy,
    name: str,
    entry: Entry,
    incoming: Mapping[str, str] | None = None,
) -> str | None:
    """Find the principal with the role that signed an entry, or None.

    `incoming` are refs of a push that are not set yet, with the ids they name. The bytes that must
    have been signed are computed here, so nothing that somebody wrote is interpreted.
    """
    expected = (ENTRY_PAYLOAD_TYPE, make_payload(name, entry))
    signed, principals = encode_pae(*expected), policy.roles.get(SIGN, ())
    for envelope in read_envelopes_below(repository, entry_refs(name), incoming):
        if (envelope.payload_type, envelope.payload) != expected:
            continue
        for each in envelope.signatures[:MOST_SIGNATURES]:
            found = find_verifier(signed, each.sig, policy.signers, principals, NAMESPACE)
            if found is not None:
                return found
    return None


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
        and (ref is None or statement.target in (None, ref))
    )

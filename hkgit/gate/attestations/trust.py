"""Whose signature counts, of a verdict and of an entry.

That of an entry names the entry by the SHA-256 of its bytes, and no commit. So it holds after a
rebase, a squash and a cherry-pick, which keep the entry as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import Entry, write_canonical
from hkgit.evidence.verdict import CandidateCommit
from hkgit.gate.attestations.keys import NAMESPACE as VERDICT
from hkgit.gate.attestations.keys import find_verifier, fingerprint, sign, verify
from hkgit.gate.attestations.statement import (
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    Statement,
    change_refs,
    encode_pae,
    read_envelopes,
    read_statement,
)
from hkgit.gate.policy.defaults import ATTEST, SIGN
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository

NAMESPACE = "hkgit-entry@v1"
ENTRY_PAYLOAD_TYPE = "application/vnd.hkgit.entry+json"
REFS = "refs/hkgit/entries/"
MOST_SIGNATURES = 8
"""The most signatures of one envelope to look at: each takes a process for every principal."""

USES = {SIGN: NAMESPACE, ATTEST: VERDICT}
"""The namespace that the signatures of a role are made in."""


def entry_refs(name: str) -> str:
    """Return where the signatures of an entry are kept, one ref each."""
    return f"{REFS}{name}"


def make_payload(name: str, entry: Entry) -> bytes:
    """Write the bytes to be signed: the entry's id and the agent it claims, as canonical JSON."""
    return write_canonical({"schema": 1, "entry": f"sha256:{name}", "agent": entry.agent})


def sign_payload(payload_type: str, payload: bytes, key: Path, role: str) -> Envelope:
    """Sign bytes with an SSH key. Raises InvalidInput when the key cannot be used."""
    signature = sign(key, encode_pae(payload_type, payload), USES[role])
    return Envelope(payload_type, payload, (Signature(fingerprint(signature), signature),))


def sign_entry(name: str, entry: Entry, key: Path) -> Envelope:
    """Sign an entry with an SSH key. Raises InvalidInput when the key cannot be used."""
    return sign_payload(ENTRY_PAYLOAD_TYPE, make_payload(name, entry), key, SIGN)


def says_entry(envelope: Envelope, name: str, entry: Entry) -> bool:
    """Whether an envelope names just this entry.

    The bytes are computed here, so nothing that somebody wrote is interpreted.
    """
    said = (envelope.payload_type, envelope.payload)
    return said == (ENTRY_PAYLOAD_TYPE, make_payload(name, entry))


def find_signer(
    repository: Repository, policy: Policy, name: str, entry: Entry, incoming: Mapping[str, str]
) -> str | None:
    """Find the principal with the role that signed an entry, or None.

    `incoming` are refs of a push that are not set yet, with the ids they name.
    """
    kept = read_envelopes(repository, entry_refs(name), incoming)
    said = (each for each in kept if says_entry(each, name, entry))
    return next(_list_trusted(policy, said, SIGN), None)


def _list_trusted(policy: Policy, envelopes: Iterable[Envelope], role: str) -> Iterator[str]:
    """Yield whom the policy trusts among those who signed envelopes."""
    for envelope in envelopes:
        for each in envelope.signatures[:MOST_SIGNATURES]:
            found = find_trusted(policy, envelope, each, role)
            if found is not None:
                yield found


def find_trusted(policy: Policy, envelope: Envelope, signature: Signature, role: str) -> str | None:
    """Find the principal with a role, or else the fingerprint of a key, that signed an envelope."""
    data = encode_pae(envelope.payload_type, envelope.payload)
    keys = policy.attest_keys if role == ATTEST else ()
    if keys and verify(data, signature.sig, keys):
        return fingerprint(signature.sig)
    principals = policy.roles.get(role, ())
    return find_verifier(data, signature.sig, policy.signers, principals, USES[role])


def find_attestation(
    repository: Repository, policy: Policy, candidate: CandidateCommit, ref: str | None
) -> str | None:
    """Tell who attested that the candidate's tree, made of its parent's, is judged work; or None.

    The policy must be the one it was judged under, with no verdict accepted then that is not
    accepted now, and `ref`, where it is known, the one it was judged for. A merge has none.
    """
    if len(candidate.parents) != 1:
        return None
    trees = repository.commit(candidate.parents[0]).tree, candidate.tree
    for envelope in read_envelopes(repository, change_refs(*trees)):
        signer = next(_list_trusted(policy, [envelope], ATTEST), None)
        statement = None if signer is None else read_statement_of(envelope)
        if statement is not None and statement.trees == trees and _fits(policy, statement, ref):
            return f"{signer}, of {statement.base[:12]}..{statement.head[:12]}"
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

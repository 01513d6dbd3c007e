"""entries.py: sign ledger entries, and find who signed one.

The signature names the entry by the SHA-256 of its bytes, and no commit. So it holds after a
rebase, a squash and a cherry-pick, which keep the entry as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.evidence.ledger.canonical import write_canonical
from hkgit.evidence.ledger.entry import Entry
from hkgit.gate.attestations.envelope import Envelope, Signature, encode_pae
from hkgit.gate.attestations.keeping import read_envelopes_below
from hkgit.gate.attestations.keys import find_verifier, fingerprint, sign
from hkgit.gate.policy.defaults import SIGN
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository

NAMESPACE = "hkgit-entry@v1"
PAYLOAD_TYPE = "application/vnd.hkgit.entry+json"
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
    signature = sign(key, encode_pae(PAYLOAD_TYPE, payload), NAMESPACE)
    return Envelope(PAYLOAD_TYPE, payload, (Signature(fingerprint(signature), signature),))


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
    expected = (PAYLOAD_TYPE, make_payload(name, entry))
    signed, principals = encode_pae(*expected), policy.roles.get(SIGN, ())
    for envelope in read_envelopes_below(repository, entry_refs(name), incoming):
        if (envelope.payload_type, envelope.payload) != expected:
            continue
        for each in envelope.signatures[:MOST_SIGNATURES]:
            found = find_verifier(signed, each.sig, policy.signers, principals, NAMESPACE)
            if found is not None:
                return found
    return None

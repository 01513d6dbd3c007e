"""entries.py: signed ledger entries; who signed one, wherever it has gone since.

What is signed names the entry by the SHA-256 of its bytes, and no commit. So it holds after a
rebase, a squash and a cherry-pick, which carry the entry on as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.evidence.ledger.canonical import canonical
from hkgit.evidence.ledger.entry import Entry
from hkgit.gate.attestations.envelope import Envelope, Signature, pae
from hkgit.gate.attestations.keeping import read_envelopes_below
from hkgit.gate.attestations.keys import find_verifier, fingerprint, sign
from hkgit.gate.policy.defaults import SIGN
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository

NAMESPACE = "hkgit-entry@v1"
PAYLOAD_TYPE = "application/vnd.hkgit.entry+json"
REFS = "refs/hkgit/entries/"
MOST_SIGNATURES = 8
"""So many signatures of one envelope are looked at: each takes a process for every principal."""


def entry_refs(name: str) -> str:
    """Where the signatures of an entry are kept, one ref each."""
    return f"{REFS}{name}"


def payload_of(name: str, entry: Entry) -> bytes:
    """What a signature says: the entry's id, and its agent as claimed; canonical JSON."""
    return canonical({"schema": 1, "entry": f"sha256:{name}", "agent": entry.agent})


def sign_entry(name: str, entry: Entry, key: Path) -> Envelope:
    """An entry signed with an SSH key. Raises InvalidInput when the key cannot be used."""
    payload = payload_of(name, entry)
    signature = sign(key, pae(PAYLOAD_TYPE, payload), NAMESPACE)
    return Envelope(PAYLOAD_TYPE, payload, (Signature(fingerprint(signature), signature),))


def signer_of(
    repository: Repository,
    policy: Policy,
    name: str,
    entry: Entry,
    coming: Mapping[str, str] | None = None,
) -> str | None:
    """The principal with the role that signed an entry, or None.

    `coming` are refs that a push brings and that do not stand yet, with what they name. What must
    have been signed is known before, so nothing that somebody wrote is interpreted.
    """
    expected = (PAYLOAD_TYPE, payload_of(name, entry))
    signed, principals = pae(*expected), policy.roles.get(SIGN, ())
    for envelope in read_envelopes_below(repository, entry_refs(name), coming):
        if (envelope.payload_type, envelope.payload) != expected:
            continue
        for each in envelope.signatures[:MOST_SIGNATURES]:
            found = find_verifier(signed, each.sig, policy.signers, principals, NAMESPACE)
            if found is not None:
                return found
    return None

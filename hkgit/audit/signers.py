"""Find who signed a commit's entries, or the verdict on the same change.

The gate looks for one signature that counts; this reports every one that is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import Entry
from hkgit.evidence.verdict import CandidateCommit
from hkgit.gate.attestations import keys, trust
from hkgit.gate.attestations.statement import (
    REFS,
    Envelope,
    change_refs,
    encode_pae,
    list_envelopes,
    load_envelopes,
)
from hkgit.gate.attestations.trust import read_statement_of
from hkgit.gate.policy.defaults import ATTEST, SIGN
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

ENTRY, VERDICT = "entry", "verdict"
"""What is signed: an entry by its id, or that a range with the commit's change was judged."""

_ROLES = {ENTRY: SIGN, VERDICT: ATTEST}
_NAMESPACES = {ENTRY: trust.NAMESPACE, VERDICT: keys.NAMESPACE}


@dataclass(frozen=True)
class Signed:
    """One signature, of an entry (`sha256:...`) or of the verdict on a range (`A..B`).

    `key` is the fingerprint of its key, `principal` whose that is by the policy's allowed signers.
    It `holds` when the key signed just this, `is_trusted` when the policy lets the key do so.
    """

    kind: str
    of: str | None
    key: str | None
    principal: str | None = None
    holds: bool = False
    is_trusted: bool = False


@dataclass
class Signers:
    """Finds the signatures of commits; where nothing is signed it costs one look at the refs.

    The policy at the commit `trusted` says whom to trust; without a commit nobody is.
    """

    repository: Repository
    trusted: str | None

    def of(self, ruling: Ruling) -> tuple[Signed, ...]:
        """List the signatures of a commit's entries, then of the verdict on its change.

        Raises InvalidInput where something is signed and the policy is malformed.
        """
        if not self._kept:
            return ()
        judged = ruling.judged
        return (*self._of_entries(judged.entries), *self._of_change(judged.candidate))

    def _of_entries(self, added: Sequence[tuple[str, Entry]]) -> Iterator[Signed]:
        for name, entry in added:
            expected = (trust.ENTRY_PAYLOAD_TYPE, trust.make_payload(name, entry))
            for envelope in self._envelopes(trust.entry_refs(name)):
                fits = (envelope.payload_type, envelope.payload) == expected
                yield from self._signatures(ENTRY, f"sha256:{name}", envelope, is_said=fits)

    def _of_change(self, candidate: CandidateCommit) -> Iterator[Signed]:
        if len(candidate.parents) != 1:
            return
        trees = self.repository.commit(candidate.parents[0]).tree, candidate.tree
        for envelope in self._envelopes(change_refs(*trees)):
            statement = read_statement_of(envelope)
            fits = statement is not None and (statement.base_tree, statement.tree) == trees
            named = None if statement is None else f"{statement.base[:12]}..{statement.head[:12]}"
            yield from self._signatures(VERDICT, named, envelope, is_said=fits)

    def _signatures(
        self, kind: str, of: str | None, envelope: Envelope, *, is_said: bool
    ) -> Iterator[Signed]:
        """List the signatures of an envelope; none is valid if it signs something else."""
        data = encode_pae(envelope.payload_type, envelope.payload)
        for each in envelope.signatures[: trust.MOST_SIGNATURES]:
            key = _key(each.sig)
            checked = is_said and key is not None
            yield self._check(kind, of, key, data, each.sig) if checked else Signed(kind, of, key)

    def _check(
        self, kind: str, of: str | None, key: str | None, data: bytes, signature: bytes
    ) -> Signed:
        policy, namespace = self._policy, _NAMESPACES[kind]
        in_role = policy.roles.get(_ROLES[kind], ())
        principal = keys.find_verifier(data, signature, policy.signers, in_role, namespace)
        is_trusted = principal is not None or (
            kind == VERDICT
            and bool(policy.attest_keys)
            and keys.verify(data, signature, policy.attest_keys)
        )
        holds = is_trusted or keys.is_valid(data, signature, namespace)
        if principal is None and holds:
            principal = keys.find_holder(signature, policy.signers)
        return Signed(
            kind=kind, of=of, key=key, principal=principal, holds=holds, is_trusted=is_trusted
        )

    def _envelopes(self, folder: str) -> Iterator[Envelope]:
        return load_envelopes(self.repository, self._kept.get(folder, ()))

    @cached_property
    def _kept(self) -> Mapping[str, Sequence[str]]:
        return list_envelopes(self.repository, trust.REFS, REFS)

    @cached_property
    def _policy(self) -> Policy:
        return read_trusted_policy(self.repository, self.trusted)


def _key(signature: bytes) -> str | None:
    try:
        return keys.fingerprint(signature)
    except InvalidInput:
        return None


def render_signature(signed: Signed) -> str:
    """Render a signature for people: whose, with which key, and what it is worth."""
    worth = "does not hold"
    if signed.holds:
        worth = "holds, trusted" if signed.is_trusted else "holds, not trusted"
    who = "unknown" if signed.principal is None else visible(signed.principal)
    of = "" if signed.kind == ENTRY else f", verdict on {signed.of or 'another change'}"
    return f"signed    {who}  {signed.key or 'no SSH key'}  {worth}{of}"


def signature_json(signed: Signed) -> JsonObject:
    """Write a signature as one JSON object."""
    return {
        "kind": signed.kind,
        "of": signed.of,
        "principal": to_json_text(signed.principal),
        "key": signed.key,
        "holds": signed.holds,
        "trusted": signed.is_trusted,
    }

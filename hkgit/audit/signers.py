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

_KINDS = {SIGN: ENTRY, ATTEST: VERDICT}
"""What those with a role sign."""


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
            for envelope in self._envelopes(trust.entry_refs(name)):
                is_said = trust.says_entry(envelope, name, entry)
                yield from self._signatures(SIGN, f"sha256:{name}", envelope, is_said=is_said)

    def _of_change(self, candidate: CandidateCommit) -> Iterator[Signed]:
        if len(candidate.parents) != 1:
            return
        trees = self.repository.commit(candidate.parents[0]).tree, candidate.tree
        for envelope in self._envelopes(change_refs(*trees)):
            statement = trust.read_statement_of(envelope)
            is_said = statement is not None and statement.trees == trees
            named = None if statement is None else f"{statement.base[:12]}..{statement.head[:12]}"
            yield from self._signatures(ATTEST, named, envelope, is_said=is_said)

    def _signatures(
        self, role: str, of: str | None, envelope: Envelope, *, is_said: bool
    ) -> Iterator[Signed]:
        """List the signatures of an envelope; none is valid if it signs something else."""
        data = encode_pae(envelope.payload_type, envelope.payload)
        for each in envelope.signatures[: trust.MOST_SIGNATURES]:
            try:
                key = keys.fingerprint(each.sig)
            except InvalidInput:
                yield Signed(_KINDS[role], of, None)
                continue
            trusted = trust.find_trusted(self._policy, envelope, each, role) if is_said else None
            holds = is_said and (
                trusted is not None or keys.is_valid(data, each.sig, trust.USES[role])
            )
            principal = trusted
            if holds and trusted in (None, key):  # the policy names the key, or does not trust it
                principal = keys.find_holder(each.sig, self._policy.signers)
            yield Signed(
                kind=_KINDS[role],
                of=of,
                key=key,
                principal=principal,
                holds=holds,
                is_trusted=trusted is not None,
            )

    def _envelopes(self, folder: str) -> Iterator[Envelope]:
        return load_envelopes(self.repository, self._kept.get(folder, ()))

    @cached_property
    def _kept(self) -> Mapping[str, Sequence[str]]:
        return list_envelopes(self.repository, trust.REFS, REFS)

    @cached_property
    def _policy(self) -> Policy:
        return read_trusted_policy(self.repository, self.trusted)


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

"""signing.py: where a policy wants every entry signed by somebody who may sign."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.evidence.ledger.names import entry_path
from hkgit.evidence.replay.findings import Finding
from hkgit.gate.attestations.entries import find_signer
from hkgit.gate.case import JudgedCommit


def signature_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find the entries that a commit adds and that nobody signed who has the role for it.

    Signed is what is committed, so a commit that is still being made cannot lack it.
    """
    commit = case.candidate.id
    if commit is None:
        return
    for name, entry in case.judged.entries:
        if find_signer(case.repository, case.policy, name, entry, case.incoming) is None:
            where, what = entry_path(name), "no signature by a key that may sign entries is here"
            yield Finding(
                rule="signature", where=where, what=what, fix=_fix(commit[:12]), path=where
            )


def _fix(commit: str) -> str:
    sign = f"`hkgit attest --entries {commit}^..{commit} --key FILE`"
    return f"{sign}, then push refs/hkgit/entries/* to where the gate runs."

"""The rules in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hkgit.evidence.entry import entry_path
from hkgit.evidence.trailers import list_credited_agents, list_missing_lines
from hkgit.evidence.verdict import Finding
from hkgit.gate.attestations.trust import find_signer
from hkgit.gate.judged_commit import JudgedCommit
from hkgit.gate.rules.floors import floor_findings, recovered_findings, tightness_findings
from hkgit.gate.rules.grants import hand_findings
from hkgit.gate.rules.protection import (
    collision_findings,
    merged_policy_findings,
    move_findings,
    name_findings,
    path_findings,
    policy_findings,
)


def signature_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find the entries that a commit adds and that nobody signed who has the role for it.

    Signed is what is committed, so a commit that is still being made cannot lack it.
    """
    commit = case.candidate.id
    if commit is None or not case.policy.entries_signed:
        return
    for name, entry in case.judged.entries:
        if find_signer(case.repository, case.policy, name, entry, case.incoming) is None:
            where, what = entry_path(name), "no signature by a key that may sign entries is here"
            sign = f"`hkgit attest --entries {commit[:12]}^..{commit[:12]} --key FILE`"
            fix = f"{sign}, then push refs/hkgit/entries/* to where the gate runs."
            yield Finding.at("signature", where, what, fix)


RULE = "assisted-by"


def credit_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find agents of entries that the message does not name, or anyone where none may be named."""
    message = case.candidate.message
    if message is None or case.policy.assisted_by == "allow":  # None: it is not written yet
        return
    if case.policy.assisted_by == "forbid":
        for name in list_credited_agents(message):
            what = f"the message says that {name} assisted, and the policy forbids such lines"
            yield Finding(RULE, "commit", what, "Take the line Assisted-by out of the message.")
        return
    for line in list_missing_lines((entry for _, entry in case.judged.entries), message):
        what = "the message does not name the agent of an entry as the policy asks"
        yield Finding(RULE, "commit", what, f"Add to the message: {line}")


Check = Callable[[JudgedCommit], Iterator[Finding]]


def _check_text(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.reject_text:
        from hkgit.gate.rules.characters import text_findings  # which few commits load

        yield from text_findings(case)


CHECKS: dict[str, Check] = {
    "by hand": hand_findings,
    "floors": floor_findings,
    "tightness": tightness_findings,
    "moved": move_findings,
    "recovered": recovered_findings,
    "signature": signature_findings,
    "names": name_findings,
    "twins": collision_findings,
    "policy": policy_findings,
    "protected": path_findings,
    "text": _check_text,
    "assisted-by": credit_findings,
}
"""Each check yields what is wrong with a commit that replays."""

FOR_ALL: dict[str, Check] = {"policy": merged_policy_findings}
"""Those that hold for commits that nobody governs as well."""

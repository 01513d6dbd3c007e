"""crediting.py: what a policy asks of `Assisted-by` trailers: that they are there, or are not."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.evidence.ledger.crediting import list_credited_agents, list_missing_lines
from hkgit.evidence.replay.findings import Finding
from hkgit.gate.case import JudgedCommit

RULE = "assisted-by"


def credit_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find agents of entries that the message does not name, or anyone where none may be named."""
    message = case.candidate.message
    if message is None:  # it is not written yet
        return
    if case.policy.assisted_by == "forbid":
        for name in list_credited_agents(message):
            what = f"the message says that {name} assisted, and the policy forbids such lines"
            yield Finding(RULE, "commit", what, "Take the line Assisted-by out of the message.")
        return
    for line in list_missing_lines((entry for _, entry in case.judged.entries), message):
        what = "the message does not name the agent of an entry as the policy asks"
        yield Finding(RULE, "commit", what, f"Add to the message: {line}")

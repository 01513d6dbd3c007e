"""summary.py: a verdict as a SLSA verification summary of a source revision (SLSA 1.2).

It says what hkgit has seen: a revision in git (source level 1), and that its commits were
replayed. How a host enforces its rules hkgit does not see, so it asserts no higher level.
"""

from __future__ import annotations

from datetime import datetime

from hkgit.evidence.ledger.canonical import write_canonical
from hkgit.gate.attestations.statement import STATEMENT, Statement

PREDICATE = "https://slsa.dev/verification_summary/v1"
SLSA_VERSION = "1.2"
VERIFIER = "urn:hkgit"
LEVELS = ("SLSA_SOURCE_LEVEL_1", "ORG_SOURCE_HKGIT_REPLAYED")
"""The level that is asserted, and our own property, prefixed as the specification wants."""
NAMESPACE = "hkgit-summary@v1"


def summary_bytes(statement: Statement, resource: str, time: datetime) -> bytes:
    """Write the payload of a SLSA verification summary: an in-toto statement as canonical JSON.

    The subject's annotations hold the command by which anybody with a clone derives it again.

    `resource` is the repository's URI.
    """
    derive = f"hkgit gate --range {statement.base}..{statement.head}"
    subject = {
        "name": resource,
        "digest": {"gitCommit": statement.head, "gitTree": statement.tree},
        "annotations": {
            "source_refs": [] if statement.target is None else [statement.target],
            "hkgit": {"derive": derive, "base": statement.base, "counts": dict(statement.counts)},
        },
    }
    predicate = {
        "verifier": {
            "id": VERIFIER,
            "version": {"hkgit": statement.hkgit, "git": statement.git},
        },
        "timeVerified": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "resourceUri": resource,
        "policy": {
            "uri": f"{resource}@{statement.base}#.hkgit/config.toml",
            "digest": {"sha256": statement.policy.removeprefix("sha256:")},
        },
        "verificationResult": "PASSED",
        "verifiedLevels": [*LEVELS],
        "slsaVersion": SLSA_VERSION,
    }
    return write_canonical(
        {
            "_type": STATEMENT,
            "subject": [subject],
            "predicateType": PREDICATE,
            "predicate": predicate,
        }
    )

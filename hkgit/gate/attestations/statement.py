"""What an attestation states of a range.

It says what hkgit has seen: a revision in git (source level 1), and that its commits were
replayed. How a host enforces its rules hkgit does not see, so it asserts no higher level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import write_canonical
from hkgit.text.strict_json import Node, parse_document
from hkgit.values import dataclass

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:hkgit:verdict:v1"

_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Statement:
    """Every commit of `base..head` passes under a policy.

    `target` is the ref that the range is for, or None for any; `accepted` are the verdicts that
    passed, `counts` how many commits had which. `git` and `hkgit` are versions.
    """

    base: str
    base_tree: str
    head: str
    tree: str
    target: str | None
    policy: str
    accepted: tuple[str, ...]
    ladder: int
    counts: Mapping[str, int]
    git: str
    hkgit: str

    def to_bytes(self) -> bytes:
        """Write the payload: canonical JSON and one line feed."""
        predicate = {
            "base": {"gitCommit": self.base, "gitTree": self.base_tree},
            "target": self.target,
            "policy": {"digest": self.policy, "accepted": list(self.accepted)},
            "ladder": self.ladder,
            "counts": dict(self.counts),
            "versions": {"git": self.git, "hkgit": self.hkgit},
        }
        subject = {"digest": {"gitCommit": self.head, "gitTree": self.tree}}
        return write_canonical(
            {
                "_type": STATEMENT,
                "subject": [subject],
                "predicateType": PREDICATE,
                "predicate": predicate,
            }
        )


def read_statement(payload: bytes) -> Statement:
    """Read the statement of a payload whose signature has been verified. Raises InvalidInput."""
    try:
        root = parse_document(payload.decode())
    except UnicodeDecodeError as error:
        raise InvalidInput("attestation", "is not UTF-8") from error
    parts = root.fields(["_type", "subject", "predicateType", "predicate"], [])
    if (parts["_type"].text(), parts["predicateType"].text()) != (STATEMENT, PREDICATE):
        raise parts["predicateType"].wrong(PREDICATE)
    subjects = parts["subject"].items()
    if len(subjects) != 1:
        raise parts["subject"].wrong("one subject")
    head, tree = _commit(subjects[0].fields(["digest"], [])["digest"])
    says = parts["predicate"].fields(
        ["base", "target", "policy", "ladder", "counts", "versions"], []
    )
    base, base_tree = _commit(says["base"])
    policy = says["policy"].fields(["digest", "accepted"], [])
    versions = says["versions"].fields(["git", "hkgit"], [])
    return Statement(
        base=base,
        base_tree=base_tree,
        head=head,
        tree=tree,
        target=None if says["target"].value is None else says["target"].text(),
        policy=policy["digest"].text(),
        accepted=tuple(node.text() for node in policy["accepted"].items()),
        ladder=says["ladder"].integer(0),
        counts={key: node.integer(0) for key, node in says["counts"].members().items()},
        git=versions["git"].text(),
        hkgit=versions["hkgit"].text(),
    )


def _commit(node: Node) -> tuple[str, str]:
    parts = node.fields(["gitCommit", "gitTree"], [])
    for part in parts.values():
        if not _ID.match(part.text()):
            raise part.wrong("the id of an object")
    return parts["gitCommit"].text(), parts["gitTree"].text()


SUMMARY_PREDICATE = "https://slsa.dev/verification_summary/v1"
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
            "predicateType": SUMMARY_PREDICATE,
            "predicate": predicate,
        }
    )

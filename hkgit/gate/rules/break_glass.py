"""break_glass.py: break-glass, a record by which a person lets one rejected commit pass.

The record is an annotated tag `break-glass/...` on the commit: it names the commit, its message is
the reason, its tagger's time the date, and an SSH key signs it, whose principal has the role
`break-glass` under the trusted side's policy. No format of hkgit's own: `git tag -s` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hkgit.gate.policy.defaults import BREAK_GLASS as ROLE
from hkgit.gate.policy.model import Policy
from hkgit.git.objects.ids import HEX
from hkgit.git.repository import Repository
from hkgit.values import dataclass, late_pattern

BREAK_GLASS = "refs/tags/break-glass/"
_TAG = late_pattern(
    rb"object (" + HEX.encode() + rb")\ntype commit\ntag ([^\n]+)\n"
    rb"tagger [^\n]*> (\d+) [-+]\d{4}\n\n(.*?)-----BEGIN SSH SIGNATURE-----\n",
    re.DOTALL,
)
LONGEST = 65_536
"""Bytes that a record may have."""


@dataclass(frozen=True, slots=True)
class Record:
    """Who let which commit pass, when (seconds since 1970) and why."""

    commit: str
    name: str
    time: int
    reason: str
    principal: str

    def __str__(self) -> str:
        from datetime import UTC, datetime  # few commits break the glass

        day = datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%dT%H:%MZ")
        return f"break-glass {self.name} by {self.principal} on {day}: {self.reason}"


def find_record(
    repository: Repository, policy: Policy, commit: str, incoming: Mapping[str, str]
) -> Record | None:
    """Find the record that lets a commit pass, among its tags and those that a push brings."""
    if not policy.roles.get(ROLE):
        return None
    listed = ("for-each-ref", f"--points-at={commit}", "--format=%(objectname)", BREAK_GLASS)
    tags = (tag for ref, tag in incoming.items() if ref.startswith(BREAK_GLASS))
    for tag in dict.fromkeys((*repository.git(*listed).text.split(), *tags)):
        for record in _read(repository, policy, tag):
            if record.commit == commit:
                return record
    return None


def _read(repository: Repository, policy: Policy, tag: str) -> Iterator[Record]:
    """Read the record that a tag is, if it is signed by one who may make it."""
    if repository.blob_size(tag) > LONGEST:
        return
    found = _TAG.match(repository.git("cat-file", "tag", tag, check=False).stdout)
    reason = " ".join(found[4].decode("utf-8", "replace").split()) if found else ""
    if found is None or not reason or not found[2].startswith(b"break-glass/"):
        return
    principal = repository.verify_tag(tag, policy.signers)
    if principal is not None and policy.has_role(principal, ROLE):
        name = found[2].decode("utf-8", "replace")
        yield Record(
            commit=found[1].decode(),
            name=name,
            time=int(found[3]),
            reason=reason,
            principal=principal,
        )

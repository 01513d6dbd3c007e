"""recovered.py: evidence that was found for a commit later, kept beside the history.

`refs/hkgit/recovered/<commit>` names a tree: that of the commit, with the ledger entries in it that
were made from transcripts. The commit is as it was; its record is replayed as if it had them.
"""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.replay.findings import CandidateCommit, ReplayResult, Verdict
from hkgit.evidence.replay.judging import replay
from hkgit.git.repository import Repository
from hkgit.values import replace

REFS = "refs/hkgit/recovered/"

PROVED = (Verdict.STRICT, Verdict.SPLICED, Verdict.REANCHORED)
"""What the entries of a record must come to, for the commit to be recovered."""


def record_ref(commit: str) -> str:
    """Return the ref that keeps what was recovered for a commit."""
    return f"{REFS}{commit}"


def replay_record(
    repository: Repository, candidate: CandidateCommit, incoming: Mapping[str, str] | None = None
) -> ReplayResult | None:
    """Judge what the record of a commit proves; None where it has none, or one that proves less.

    `incoming` are refs that a push brings, with what they will name.
    """
    if candidate.id is None:
        return None
    ref = record_ref(candidate.id)
    listed = repository.git("for-each-ref", "--format=%(objectname)", "--", ref).text
    tree = (incoming or {}).get(ref) or listed
    if not tree or not _adds_only_entries(repository, candidate.tree, tree):
        return None
    found = replay(repository, replace(candidate, id=None, tree=tree))
    if found is None or found.verdict not in PROVED:
        return None
    return replace(found, candidate=candidate, verdict=Verdict.RECOVERED, basis=ref)


def _adds_only_entries(repository: Repository, own: str, recorded: str) -> bool:
    """Whether a record's tree is the commit's, but for entries that it adds."""
    return all(
        change.old is None
        and (change.path.startswith(f"{LEDGER}/") or change.path == ATTRIBUTES_PATH)
        for change in repository.changes(own, recorded)
    )

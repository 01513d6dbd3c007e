"""keeping.py: write down what was recovered for a commit that exists, beside the history."""

from __future__ import annotations

from hkgit.edits import File
from hkgit.evidence.ledger.names import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.evidence.replay.recovered import record_ref
from hkgit.git.repository import Repository
from hkgit.sessions.commit.proposing import Proposal


def keep_record(repository: Repository, commit: str, proposal: Proposal) -> str:
    """Keep the entries of a proposal as the record of a commit; the name of the ref.

    Raises GitRefused where nothing can be written.
    """
    tree = repository.commit(commit).tree
    files: dict[str, File | None] = {
        each.path: File(each.entry.to_bytes()) for each in proposal.entries
    }
    if repository.snapshot(tree).get(ATTRIBUTES_PATH) is None:
        files[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    ref = record_ref(commit)
    repository.write_ref(ref, repository.write_tree(tree, files))
    return ref

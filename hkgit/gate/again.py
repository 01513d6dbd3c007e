"""again.py: collect what is needed to make a rejected commit again, with evidence."""

from __future__ import annotations

from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import HkgitError
from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.gate.policy.files import CONFIG
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.manual import find_changed_paths
from hkgit.gate.rulings import Before
from hkgit.git.repository import Repository
from hkgit.text.document import Document, terminate

_BINARY_PROBE = 8000
"""git looks for a NUL byte in as many bytes to call a file binary."""


def find_before(repository: Repository, policy: Policy, candidate: CandidateCommit) -> Before:
    """Find the files that a commit changes, as they were before; none if its parents are not here.

    For a merge that git makes by itself they are taken from that merge, else from the first parent.
    """
    try:
        tree = repository.commit(candidate.parents[0]).tree
        merged = None
        if len(candidate.parents) == 2:
            merged = repository.automatic_merge(candidate.parents)
        files = repository.snapshot(tree if merged is None else merged)
        paths = find_changed_paths(repository, candidate)
        own = (each for each in paths if not each.startswith(f"{LEDGER}/"))
        found = [(path, files.get(path)) for path in own if path != ATTRIBUTES_PATH]
        after = repository.snapshot(candidate.tree)
        kept = [file for path, _ in found if (file := after.get(path)) is not None]
    except HkgitError:
        return Before()
    hashes = tuple(
        (path, None if file is None else terminate(Document(file.data)).whole_hash)
        for path, file in found
    )
    asks = any(policy.protects_path(path) or path == CONFIG for path, _ in found)
    asks = asks or any(map(_is_no_text, (*kept, *(file for _, file in found if file is not None))))
    return Before(hashes, is_merged=merged is not None, for_person=asks)


def _is_no_text(file: File) -> bool:
    """Whether no edit of lines makes or changes a file: a link, a submodule, a picture."""
    return file.mode not in (REGULAR, EXECUTABLE) or b"\0" in file.data[:_BINARY_PROBE]

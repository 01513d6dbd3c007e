"""staging.py: add entries to the commit that git is making, and forget what is committed.

In a hook `GIT_INDEX_FILE` names the index that becomes the commit. With `git commit -- PATH` or
`-a` it is a temporary one, and the checkout's own index gets the entries after the commit.
"""

from __future__ import annotations

import os
from pathlib import Path

from hkgit.applying.files.directory import write_files
from hkgit.edits import File
from hkgit.evidence.ledger.names import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.git.repository import Repository
from hkgit.sessions.awaiting import may_be_committed
from hkgit.sessions.commit.proposing import Proposal, propose
from hkgit.sessions.commit.settling import (
    bring_along,
    find_parents,
    find_root,
    lock_all,
    open_journals,
    settle,
    take_out,
    update_index,
)
from hkgit.sessions.storage.paths import say_none_waits


def stage(repository: Repository) -> Proposal:
    """Add the entries of what is staged to the index being committed.

    Entries that an earlier attempt left are taken out. Raises GitRefused.
    """
    root = find_root(repository)
    journals = open_journals(root)
    parents = find_parents(repository)
    if not journals or len(parents) > 2:
        return Proposal((), ())
    with lock_all(journals):
        bring_along(repository, root, settle(repository, journals))
        take_out(repository, root, journals)
        tree = repository.index_tree()
        if len(parents) == 2:
            from hkgit.sessions.commit.merging import propose_merge  # few commits are merges

            proposal = propose_merge(repository, journals, tree, (parents[0], parents[1]))
        else:
            proposal = propose(repository, journals, tree)
        _stage(repository, root, proposal, tree)
        for journal in journals:
            mine = [each for entry in proposal.entries for each in entry.list_edits(journal)]
            if mine or journal.state.proposed:
                journal.propose(mine)
        if not proposal.entries and not may_be_committed(repository, root, journals):
            say_none_waits(root)
    return proposal


def _stage(repository: Repository, root: Path, proposal: Proposal, tree: str) -> None:
    files = {each.path: File(each.entry.to_bytes()) for each in proposal.entries}
    if not files:
        return
    if repository.snapshot(tree).get(ATTRIBUTES_PATH) is None:
        files[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    if not _is_passing(repository):
        write_files(root, files)
    ids = repository.write_blobs(file.data for file in files.values())
    update_index(repository, dict(zip(files, ids, strict=True)))


def _is_passing(repository: Repository) -> bool:
    """Whether the index is a temporary one, dropped if the commit fails: then no file may be left.

    Not so under the pre-commit framework, which takes a file that only the index has for a change
    by a hook, and fails.
    """
    named = os.environ.get("GIT_INDEX_FILE", "")
    is_framework = "PRE_COMMIT" in os.environ
    return repository.in_hook and named.endswith(".lock") and not is_framework

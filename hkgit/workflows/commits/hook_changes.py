"""hook_changes.py: plan what hooks of the repository have changed as a commit of their own.

A formatter that runs at every commit changes what a spec made. With --accept-hook-changes the
commit gets a second ledger entry, so that every byte has an author: the agent, or the hooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import plan
from hkgit.dialects import parse
from hkgit.edits import Read, Snapshot
from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository
from hkgit.git.transactions.commits import HookChanged, compute_diff
from hkgit.text.document import Document
from hkgit.values import replace
from hkgit.workflows.commits.plan import PlannedCommit

AGENT = "hooks of the repository"
"""The agent named in the second entry."""


def plan_hook_changes(repository: Repository, planned: str, changed: HookChanged) -> PlannedCommit:
    """Plan what hooks made of a tree as a unified diff on that tree.

    Raises `changed` again where the diff does not derive the tree: binary files, modes, links.
    """
    text = compute_diff(repository, planned, changed.tree)
    before = repository.snapshot(planned)
    try:
        spec = replace(parse(text, "unified-diff"), digest=hashlib.sha256(text).hexdigest())
        reads = tuple(_reads(before, [edit.path for edit in spec.edits]))
        result = plan(spec, before, reads=reads)
    except InvalidInput as error:
        raise changed from error
    if not result.ok or repository.write_tree(planned, files_after(result)) != changed.tree:
        raise changed
    return PlannedCommit(replace(spec, agent=AGENT), result, reads, base=None)


def _reads(files: Snapshot, paths: list[str]) -> Iterator[Read]:
    """A read of each whole file, as the hooks found it."""
    for path in dict.fromkeys(paths):
        file = files.get(path)
        if file is not None:
            yield Read(path, None, None, Document(file.data).whole_hash)

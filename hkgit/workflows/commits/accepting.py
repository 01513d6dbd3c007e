"""accepting.py: what the repository's own hooks changed, as edits with evidence of their own.

A formatter that runs at every commit changes what a spec made. Who accepts that gets a second
ledger entry beside the spec's, so that every byte is accounted for: by the agent or by the hooks.
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
from hkgit.git.transactions.commits import HookChanged, diff
from hkgit.text.document import Document
from hkgit.values import replace
from hkgit.workflows.commits.preparing import PlannedCommit

AGENT = "hooks of the repository"
"""The agent that the entry claims."""


def step_of_hooks(repository: Repository, planned: str, changed: HookChanged) -> PlannedCommit:
    """What hooks made of a planned tree, as a step that follows the spec's.

    Raises `changed` again when it cannot be said as edits of text, and so not be derived.
    """
    text = diff(repository, planned, changed.tree)
    before = repository.snapshot(planned)
    try:
        spec = replace(parse(text, "unified-diff"), digest=hashlib.sha256(text).hexdigest())
        reads = tuple(_reads(before, [edit.path for edit in spec.edits]))
        made = plan(spec, before, reads=reads)
    except InvalidInput as error:
        raise changed from error
    if not made.ok or repository.write_tree(planned, files_after(made)) != changed.tree:
        raise changed
    return PlannedCommit(replace(spec, agent=AGENT), made, reads, base=None)


def _reads(files: Snapshot, paths: list[str]) -> Iterator[Read]:
    """The whole files as the hooks found them."""
    for path in dict.fromkeys(paths):
        file = files.get(path)
        if file is not None:
            yield Read(path, None, None, Document(file.data).whole_hash)

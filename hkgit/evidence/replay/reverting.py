"""reverting.py: which earlier commit a commit takes back, exactly.

Where the files have moved on since, the changes of the earlier commit, turned round, must have
their only places in them (`anchors`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.applying.hunks import Hunk
from hkgit.edits import EXECUTABLE, REGULAR
from hkgit.errors import Unverifiable
from hkgit.evidence.ledger.entry import RecordedHunk
from hkgit.evidence.ledger.names import LEDGER
from hkgit.evidence.ledger.recording import record_hunk
from hkgit.evidence.replay.added import Added
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.evidence.replay.history import find_last_commit
from hkgit.evidence.replay.reanchoring.anchors import HunkNotPlaced, reanchor_file
from hkgit.git.objects.objects import Commit, TreeSnapshot
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes as stretches
from hkgit.text.document import Document, has_too_many_lines, terminate
from hkgit.values import late_pattern

_NAMED = late_pattern(
    rb"^This reverts commit ([0-9a-f]{40,64})(?:, reversing\s+changes made to ([0-9a-f]{40,64}))?",
    re.MULTILINE,
)


def may_revert(candidate: CandidateCommit, added: Added) -> bool:
    """Whether anything about a commit says that it takes another one back."""
    return bool(added.removed) or _NAMED.search(candidate.message or b"") is not None


def find_reverted(
    repository: Repository, candidate: CandidateCommit, changes: Sequence[TreeChange]
) -> str | None:
    """Find the earlier commit of which the candidate is the exact inverse, or None.

    Looked at are the commits that the message names as git does, and the one that added what the
    candidate removes from the ledger.
    """
    [parent] = candidate.parents
    for commit_id, against in _find_named(repository, candidate, changes):
        commit = _in_history(repository, commit_id, parent)
        if commit is not None and _has_one_beginning(repository, commit):
            before = against if against in commit.parents else next(iter(commit.parents), None)
            old = None if before is None else repository.commit(before).tree
            changed = repository.changes(old, commit.tree)
            files = repository.snapshot(parent)
            kept = [each for each in changed if not _is_pruned(each, files)]
            if _is_inverse(repository, kept, changes):
                return commit_id
    return None


def _has_one_beginning(repository: Repository, commit: Commit) -> bool:
    """Whether its parents' histories meet. Where they do not, what one side "brought" is all that
    the other one had.
    """
    first, *others = commit.parents or (commit.id,)
    return all(repository.merge_base(first, other) is not None for other in others)


def _is_pruned(change: TreeChange, files: TreeSnapshot) -> bool:
    """Whether a change added a record that has been pruned since: it cannot be taken out again."""
    is_record = change.old is None and change.path.startswith(f"{LEDGER}/")
    return is_record and files.entry(change.path) is None


def _in_history(repository: Repository, commit_id: str, tip: str) -> Commit | None:
    try:
        return repository.commit(commit_id) if repository.is_ancestor(commit_id, tip) else None
    except Unverifiable:
        return None


def _find_named(
    repository: Repository, candidate: CandidateCommit, changes: Sequence[TreeChange]
) -> Iterator[tuple[str, str | None]]:
    for found in _NAMED.finditer(candidate.message or b""):
        yield found[1].decode(), None if found[2] is None else found[2].decode()
    for change in changes:
        if change.path.startswith(f"{LEDGER}/") and (change.old is None or change.new is None):
            what = "A" if change.new is None else "D"
            commit = find_last_commit(repository, candidate.parents[0], change.path, what)
            if commit is not None:
                yield commit, None
            return


def _is_inverse(
    repository: Repository,
    changed: Sequence[TreeChange],
    changes: Sequence[TreeChange],
) -> bool:
    """Whether changes take others back: path by path, and nothing beside."""
    now = {change.path: change for change in changes}
    if now.keys() != {change.path for change in changed}:
        return False
    return all(_takes_back(repository, each, now[each.path]) for each in changed)


def _takes_back(repository: Repository, original: TreeChange, change: TreeChange) -> bool:
    if change.old == original.new:
        return change.new == original.old
    sides = (original.old, original.new, change.old, change.new)
    files = [side for side in sides if side is not None]
    modes = {side.mode for side in files}
    is_text = len(files) == 4 and len(modes) == 1 and modes <= {REGULAR, EXECUTABLE}
    if not is_text or change.path.startswith(".hkgit/"):
        return False
    old, new, before, after = texts = [repository.blob(side.id) for side in files]
    if any(map(has_too_many_lines, texts)):
        return False
    try:
        end = Document(old).is_terminated
        return reanchor_file(before, invert_hunks(new, old), final_newline=end) == after
    except HunkNotPlaced:
        return False


def invert_hunks(new: bytes, old: bytes) -> tuple[RecordedHunk, ...]:
    """Compute the hunks that make the old text of the new one again, by the line diff."""
    base = Document(new)
    lines = terminate(Document(old)).raw_lines
    return tuple(
        record_hunk(
            base, Hunk(c.old_start + 1, c.old_end, b"".join(lines[c.new_start : c.new_end]), ())
        )
        for c in stretches(base.lines, Document(old).lines)
    )

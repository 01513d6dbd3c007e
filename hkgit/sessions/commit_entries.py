"""The entries that a commit is to have.

Most often a call has made of its files what is staged: then its entry goes in as it is. What else
is staged is worked out again from the edits (`squash`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hkgit.applying.evidence import LATE, is_blind
from hkgit.edits import File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import Entry
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import PendingEdit, group_connected
from hkgit.sessions.proposal import Proposal, ProposedEntry, propose_entry
from hkgit.text.line_words import words_of_files


def propose(
    repository: Repository,
    waiting: Sequence[PendingEdit],
    head: str | None,
    tree: str,
    *,
    is_built: bool = False,
) -> Proposal:
    """Make the entries, from edits that wait, for what differs between a commit and a tree.

    With `is_built` all of them are put on the commit's files.
    """
    before = repository.snapshot(EMPTY_TREE if head is None else head)
    after = repository.snapshot(tree)
    changed = {change.path for change in repository.changes(before.tree_id, tree)}
    log = RefusalLog.of(repository.common_dir)
    entries: list[ProposedEntry] = []
    others: list[list[PendingEdit]] = []
    units = [unit for unit in waiting if unit.paths & changed]
    specs = [[*own] for _, own in groupby(units, key=lambda unit: unit.key)]
    for paths, group in group_connected(specs):
        found = None if is_built else _find_final(paths, group, before, after)
        try:
            entries += [propose_entry(own[0].entry, own, head, log) for own in found or ()]
        except InvalidInput:  # one is too large, which `squash` says
            found = None
        if found is None:
            others.append(group)
    if not others and not is_built:
        return Proposal(tuple(entries), ())
    # Few commits need the ladder.
    from hkgit.sessions.squash import Squash

    squash = Squash.of(repository, (before, after), head, log, entries)
    for group in others:
        squash.add(group)
    return squash.propose(sorted(path for path in changed if before.entry(path) is None))


def _find_final(
    paths: Sequence[str], units: Sequence[PendingEdit], before: Snapshot, after: Snapshot
) -> list[tuple[PendingEdit, ...]] | None:
    """Group edits by their entries where these lead as they are from the one to the other.

    None where they do not, and where they report text that is in neither.
    """
    found = [tuple(group) for _, group in groupby(units, key=lambda unit: unit.key)]
    here = {path: mark(before.get(path)) for path in paths}
    wanted = [after.get(path) for path in paths]
    between: list[bytes | None] = []
    for own in found:
        entry = own[0].entry
        if len(own) != len(entry.edits) or not _says_what_stays(entry):
            return None
        if any(here.get(path, state) != state for path, state in entry.needs):
            return None
        here.update(entry.leaves)
        between += (own[0].version(file.after) for file in entry.files)
    # Of line ends that git may store otherwise nothing is said here.
    is_plain = not any(file is not None and b"\r\n" in file.data for file in wanted)
    if not is_plain or [here[path] for path in paths] != [*map(mark, wanted)]:
        return None
    if len(found) > 1:
        landed = words_of_files([*map(before.get, paths), *wanted])
        if not words_of_files(None if each is None else File(each) for each in between) <= landed:
            return None
    return found


def _says_what_stays(entry: Entry) -> bool:
    """Whether each edit was read before, is where it says, and none wrote over another."""
    by = [hunk.edits for file in entry.files for hunk in file.hunks]
    return (
        all(len(each) == 1 for each in by)
        and {number for each in by for number in each} == {edit.id for edit in entry.edits}
        and not any(edit.relocated or is_blind(edit.evidence) for edit in entry.edits)
        and not any(read.kind == LATE for read in entry.reads)
    )

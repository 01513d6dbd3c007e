"""The entries that resolve the conflicts of a merge.

Sessions edit a file with conflict markers, which no commit has. So each conflicted file has one
entry: what is staged, on the first parent's file. Together with git's own merge the entries must
give what is staged, else nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hkgit.applying.evidence import LATE
from hkgit.applying.outcome import FileChange
from hkgit.edits import File, Read, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import list_read_lines
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.evidence.replay import make_candidate, replay_merge
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import RESOLVE
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, list_waiting
from hkgit.sessions.commit_entries import (
    Proposal,
    ProposedEntry,
    list_blind,
    propose_entry,
    restate,
)
from hkgit.sessions.placement import PlacedEdits, without_marks
from hkgit.text.document import Document
from hkgit.text.hashes import digest
from hkgit.values import replace


def propose_merge(
    repository: Repository, journals: Sequence[SessionJournal], tree: str, parents: tuple[str, str]
) -> Proposal:
    """Propose the entries that resolve a merge's staged conflicts, or say why there are none."""
    with repository.merge(parents) as merged:
        conflicts, objects = merged.conflicts, merged.pack_objects()
    ours = repository.snapshot(parents[0])
    staged = repository.snapshot(tree)
    paths = [path for path in conflicts if staged.entry(path) != ours.entry(path)]
    waiting = [unit for unit in list_waiting(journals) if unit.paths.intersection(paths)]
    if not waiting:
        return Proposal((), ())
    repository.git("unpack-objects", "-q", stdin=objects)
    marked = repository.snapshot(merged.tree)
    try:
        sides = (ours, marked, staged)
        log = RefusalLog.of(repository.common_dir)
        entries = [_resolve(path, waiting, sides, parents[0], log) for path in paths]
        _expect_merge(repository, tree, parents, entries)
    except HkgitError as error:
        return Proposal((), (f"the merge is not recorded: {error.where}: {error.what}", RESOLVE))
    notes = (note for each in entries for note in list_blind(each.entry, each.units))
    return Proposal(tuple(entries), tuple(notes))


def _resolve(
    path: str, waiting: Sequence[PendingEdit], sides: Sequence[Snapshot], base: str, log: RefusalLog
) -> ProposedEntry:
    """Make the entry of one conflicted path: of ours, as git marks it, and as it is staged.

    Raises HkgitError where edits do not account for it.
    """
    ours, marked, staged = (files.get(path) for files in sides)
    if ours is None or marked is None or staged is None:
        raise InvalidInput(path, "one side of the conflict has no such file")
    steps, gone = _find_steps(path, waiting, staged, (without_marks(marked.data), ours.data))
    units = tuple(unit for step in steps for unit in step.units)
    more: list[Read] = []
    if not any(unit.is_unread for unit in units):
        # What git has merged beside the conflict has the hash of the file that it was merged into.
        kind = LATE if any(x.kind == LATE for step in steps for x in step.reads) else "hash"
        more.append(Read(path, None, None, range_hash=Document(ours.data).whole_hash, kind=kind))
    entry = restate(steps, sides[0], more=more)
    if entry is None:
        raise InvalidInput(path, "is staged as it was")
    proposed = propose_entry(entry, units, base, log, is_net=len(steps) > 1)
    return replace(proposed, units=(*units, *gone))


def _find_steps(
    path: str, units: Sequence[PendingEdit], staged: File, starts: tuple[bytes, bytes]
) -> tuple[list[PlacedEdits], list[PendingEdit]]:
    """Find the edits of sessions that lead from the file as git left it to the file as staged.

    And those before them, of which nothing is left.
    """
    steps: list[PlacedEdits] = []
    after = staged
    here = (unit for unit in units if path in unit.paths)
    groups = [tuple(group) for _, group in groupby(here, key=lambda unit: unit.key)]
    for at, own in reversed([*enumerate(groups)]):
        entry, blobs = own[0].entry, own[0].journal.blobs
        for each in entry.files:
            if not path == each.path == each.new_path:
                continue
            before = blobs.file(each.before)
            if before is None or each.after is None or each.after.sha256 != digest(after.data):
                break
            hunks = tuple(hunk.plain for hunk in each.hunks)
            change = FileChange(path=path, new_path=path, before=before, after=after, hunks=hunks)
            reads = list_read_lines(entry, {unit.number for unit in own})
            steps.insert(0, PlacedEdits(own, (change,), tuple(reads)))
            after = before
            if without_marks(before.data) in starts:
                return steps, [unit for each in groups[:at] for unit in each]
    what = "what is staged is not just what edits of sessions made of the conflict"
    raise InvalidInput(path, what)


def _expect_merge(
    repository: Repository, tree: str, parents: tuple[str, str], entries: Sequence[ProposedEntry]
) -> None:
    """Raise InvalidInput unless a tree is git's merge plus what the entries change."""
    files = Proposal(tuple(entries), ()).list_files(repository.snapshot(tree))
    whole = repository.write_tree(tree, files)
    judged = replay_merge(repository, make_candidate(repository, whole, parents, None))
    for finding in () if judged is None else judged.findings:
        raise InvalidInput(finding.where, finding.what)

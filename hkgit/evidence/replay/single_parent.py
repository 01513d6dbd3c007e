"""single_parent.py: the derivation of a commit that adds entries, from its one parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hkgit.edits import File, MappingSnapshot, Snapshot
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.replay.added import Added
from hkgit.evidence.replay.findings import (
    CandidateCommit,
    Entries,
    Finding,
    Leftover,
    ReplayResult,
    Verdict,
)
from hkgit.evidence.replay.leftovers import find_leftovers
from hkgit.evidence.replay.messages import find_stray_trailers, message_findings
from hkgit.evidence.replay.sequence import CachedSnapshot, EntrySequence
from hkgit.git.name_collisions import expect_no_collisions
from hkgit.git.objects.ids import EMPTY_TREE
from hkgit.git.objects.objects import TreeSnapshot
from hkgit.git.repository import Repository

_OWN = ".hkgit/config.toml"
"""What people may write below `.hkgit/`, as far as the policy lets them."""


def replay_entries(
    repository: Repository, candidate: CandidateCommit, added: Added, *, recomputes: bool = True
) -> ReplayResult:
    """Apply the entries one after the other to the parent's files, and compare with the commit.

    Without `recomputes` no spec is located again, so that `spliced` is the most that comes out.
    """
    chain = follow_entries(repository, candidate, added.entries, recomputes=recomputes)
    findings = [*added.findings, *added.removals, *chain.findings]
    left: tuple[Leftover, ...] = ()
    if not findings:
        derived = chain.list_changed()
        left = find_leftovers(repository.blob, added.others, derived)
        findings += (each.finding for each in left if _is_hkgits(each.path))
        findings += _find_collisions(repository, candidate, chain.before, derived)
    if not findings:
        is_strict = chain.is_recomputed and not chain.has_moved
        findings += message_findings(candidate, added.entries, is_strict=is_strict)
    verdict = Verdict.MIXED if left else chain.verdict()
    notes = (*find_stray_trailers(candidate, added.entries), *chain.notes)
    return ReplayResult(
        candidate=candidate,
        verdict=Verdict.FAIL if findings else verdict,
        entries=added.entries,
        findings=tuple(findings),
        notes=notes,
        leftovers=left,
        underlying=chain.verdict() if left else None,
        is_recomputed=chain.is_recomputed,
    )


def follow_entries(
    repository: Repository, candidate: CandidateCommit, entries: Entries, *, recomputes: bool = True
) -> EntrySequence:
    """Apply the entries of a commit to the files of its first parent."""
    before: Snapshot = MappingSnapshot()
    if candidate.parents:
        tree = repository.commit(candidate.parents[0]).tree
        old = {change.path: change.old for change in repository.changes(tree, candidate.tree)}
        before = CachedSnapshot(TreeSnapshot(tree, repository.tree, repository.blob), old)
    chain = EntrySequence(
        before, lambda entry: _base_files(repository, candidate, entry), recomputes=recomputes
    )
    chain.run(entries)
    return chain


def _is_hkgits(path: str) -> bool:
    folded = path.lower()
    return folded.startswith(".hkgit/") and path != _OWN


def _base_files(
    repository: Repository, candidate: CandidateCommit, entry: Entry
) -> Snapshot | None:
    """The files that an entry's edits were carried from, if they are in the commit's history."""
    if entry.base is None or not candidate.parents:
        return None
    try:
        is_before = repository.is_ancestor(entry.base, candidate.parents[0])
        return repository.snapshot(entry.base) if is_before else None
    except Unverifiable:
        return None


def _find_collisions(
    repository: Repository,
    candidate: CandidateCommit,
    before: Snapshot,
    derived: Mapping[str, File | None],
) -> Iterator[Finding]:
    """Names that are new and that some file system takes for others; most commits bring none."""
    if all(file is None or before.get(path) is not None for path, file in derived.items()):
        return
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else EMPTY_TREE
    try:
        expect_no_collisions(repository.snapshot(parent), derived)
    except InvalidInput as error:
        yield Finding.of("path", error)

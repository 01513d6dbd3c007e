"""merges.py: a merge is what git makes of two commits by itself, or what an entry resolves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hkgit.edits import File
from hkgit.evidence.replay.added import Added, read_added_entries
from hkgit.evidence.replay.findings import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.evidence.replay.messages import find_stray_trailers
from hkgit.git import program
from hkgit.git.merging import find_invented_paths
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository

_OWN = "Merge without changes of your own, and make those in a commit after it."


def replay_merge(repository: Repository, candidate: CandidateCommit) -> ReplayResult | None:
    """Judge a merge; None where the policy must say whose it is.

    A path that git leaves in conflict may stand as the first parent has it, or as an entry of the
    merge makes it out of that. A merge of more than two has no verdict of its own.
    """
    is_octopus = len(candidate.parents) > 2
    if not is_octopus and repository.automatic_merge(candidate.parents) == candidate.tree:
        notes = find_stray_trailers(candidate)
        return ReplayResult(candidate, Verdict.MERGE, notes=notes, basis=_merge_reason())
    own = _changes_against_all(repository, candidate)
    if not any(change.path.startswith(".hkgit/") for change in own):
        return None
    added = read_added_entries(repository, own)
    if is_octopus or not added.entries or added.findings or added.removed or added.manifests:
        what = "differs from the automatic merge of its parents, in the ledger too"
        where = ", ".join(change.path for change in own[:5])
        return ReplayResult(
            candidate, Verdict.FAIL, findings=(Finding("merge", where, what, _OWN),)
        )
    accounted = {change.path for change in own} - {change.path for change in added.others}
    return _judge_resolution(repository, candidate, added, accounted)


def _merge_reason() -> str:
    return f"git {'.'.join(map(str, program.read_version()))}"


def _judge_resolution(
    repository: Repository, candidate: CandidateCommit, added: Added, accounted: Collection[str]
) -> ReplayResult:
    """A merge with entries; `accounted` are the paths of these, and what comes with them."""
    # Only here is the ladder needed.
    from hkgit.evidence.replay.single_parent import follow_entries

    first, second = candidate.parents
    how = repository.resolve_merge((first, second), candidate.tree)
    chain = follow_entries(repository, candidate, added.entries)
    ours = repository.changes(repository.commit(first).tree, candidate.tree)
    findings = [*chain.findings]
    if not findings:
        changes = {change.path: change for change in ours}
        findings += _misfits(repository, how.conflicts, changes, chain.list_changed())
        findings += (_beside(path) for path in how.others if path not in accounted)
        findings += (_aside(path) for path in find_invented_paths(how.conflicts, candidate.parents))
    is_located = chain.is_recomputed or chain.has_moved
    verdict = Verdict.MERGE if is_located else Verdict.SPLICED
    notes = (*find_stray_trailers(candidate, added.entries), *chain.notes)
    return ReplayResult(
        candidate=candidate,
        verdict=Verdict.FAIL if findings else verdict,
        entries=added.entries,
        findings=tuple(findings),
        notes=notes,
        basis=_merge_reason(),
        is_recomputed=chain.is_recomputed,
    )


def _misfits(
    repository: Repository,
    conflicts: tuple[str, ...],
    changes: Mapping[str, TreeChange],
    derived: Mapping[str, File | None],
) -> Iterator[Finding]:
    """Where a conflicted path is neither the first parent's nor what an entry makes of it."""
    from hkgit.evidence.replay.leftovers import find_leftovers

    touched = [changes[path] for path in conflicts if path in changes]
    resolved = {path: derived[path] for path in conflicts if path in derived}
    yield from (left.finding for left in find_leftovers(repository.blob, touched, resolved))
    for path in sorted(derived.keys() - set(conflicts)):
        what = "an entry of a merge changes a file that is not in conflict"
        yield Finding(rule="merge", where=path, what=what, fix=_OWN, path=path)


def _beside(path: str) -> Finding:
    return Finding(
        rule="merge",
        where=path,
        what="differs from the automatic merge of its parents",
        fix=_OWN,
        path=path,
    )


def _aside(path: str) -> Finding:
    what = "a file of one side and a directory of the other want one name"
    return Finding(
        rule="merge",
        where=path,
        what=what,
        fix="Rename one of the two on its branch, then merge.",
        path=path,
    )


def _changes_against_all(
    repository: Repository, candidate: CandidateCommit
) -> tuple[TreeChange, ...]:
    """Where a merge is like none of its parents, against the first: none accounts for that."""
    trees = [repository.commit(parent).tree for parent in candidate.parents]
    first, *others = (repository.changes(tree, candidate.tree) for tree in trees)
    paths = [{change.path for change in each} for each in others]
    return tuple(change for change in first if all(change.path in each for each in paths))

"""judging.py: what a commit is, seen from its parents: a merge, empty, or made by its entries."""

from __future__ import annotations

from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository
from hkgit.replay.added import added_entries
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.messages import stray_trailers


def replay(repository: Repository, candidate: Candidate) -> Judged | None:
    """The verdict of a commit that carries entries, merges or changes nothing.

    None for any other: what it changes has no evidence, so only the policy can let it pass.
    Raises Unverifiable when something that the judgement needs is not here.
    """
    if candidate.id is not None and repository.commit(candidate.id).is_boundary:
        fix = "Fetch the whole history (in CI: fetch-depth: 0)."
        raise Unverifiable(candidate.id[:12], "its parents are not here: the clone is shallow", fix)
    if len(candidate.parents) > 1:
        return _merge(repository, candidate)
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    changes = repository.changes(parent, candidate.tree)
    if not changes:
        return Judged(candidate, Verdict.EMPTY, notes=stray_trailers(candidate))
    added = added_entries(repository, changes)
    if not added.entries and not added.findings:
        return None
    # Only here is the ladder needed, and a hook that finds no entry need not wait for it.
    from hkgit.replay.linear import replay_entries

    return replay_entries(repository, candidate, added)


def _merge(repository: Repository, candidate: Candidate) -> Judged | None:
    """A merge of two passes as what git makes of them by itself."""
    is_octopus = len(candidate.parents) > 2
    if not is_octopus and repository.automatic_merge(candidate.parents) == candidate.tree:
        return Judged(candidate, Verdict.MERGE)
    touched = _changed_on_all_sides(repository, candidate)
    if not any(path.startswith(".hkgit/") for path in touched):
        return None
    what = "differs from the automatic merge of its parents, in the ledger too"
    fix = "Merge without changes of your own, and make those in a commit after it."
    findings = (Finding("merge", ", ".join(touched[:5]), what, fix),)
    return Judged(candidate, Verdict.FAIL, findings=findings)


def _changed_on_all_sides(repository: Repository, candidate: Candidate) -> list[str]:
    """The paths in which a merge is like none of its parents, so none accounts for them."""
    trees = [repository.commit(parent).tree for parent in candidate.parents]
    sides = [
        {change.path for change in repository.changes(tree, candidate.tree)} for tree in trees
    ]
    return sorted(set.intersection(*sides))

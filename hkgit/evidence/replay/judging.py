"""judging.py: give the verdict of a commit: a merge, a revert, empty, or made by its entries."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.errors import Unverifiable
from hkgit.evidence.ledger.names import LEDGER, entry_name, entry_path
from hkgit.evidence.replay.added import Added, read_added_entries
from hkgit.evidence.replay.findings import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.evidence.replay.history import was_there
from hkgit.evidence.replay.messages import find_stray_trailers
from hkgit.evidence.replay.reverting import find_reverted, may_revert
from hkgit.git.repository import Repository
from hkgit.values import replace


def candidate_of(repository: Repository, commit_id: str) -> CandidateCommit:
    """Make a candidate of an existing commit."""
    commit = repository.commit(commit_id)
    return CandidateCommit(
        id=commit.id,
        tree=commit.tree,
        parents=commit.parents,
        author=commit.author,
        committer=commit.committer,
        message=commit.message,
        header=commit.raw.partition(b"\n\n")[0],
    )


def replay(
    repository: Repository,
    candidate: CandidateCommit,
    *,
    tip: str | None = None,
    recomputes: bool = True,
    reverts: bool = True,
) -> ReplayResult | None:
    """Judge a commit that carries entries, merges, takes back or changes nothing.

    None for any other: what it changes has no evidence, so only the policy can let it pass. A
    `revert` stands only if the commit it takes back (its `basis`) passes; where that does not,
    ask again without `reverts`. An entry is introduced once: where `tip` is given, a commit whose
    history covers this one, no entry may come back. Without `recomputes` no spec is located
    again. Raises Unverifiable when something that the judgement needs is not here.
    """
    judged = _replay(repository, candidate, recomputes=recomputes, reverts=reverts)
    if judged is None or not judged.entries or tip is None:
        return judged
    back = [
        name
        for name, _ in judged.entries
        for parent in candidate.parents
        if was_there(repository, tip, parent, entry_path(name))
    ]
    if not back:
        return judged
    again = _revert(repository, candidate) if reverts else None
    return again if again is not None else _judge_reuse(judged, back)


def _judge_reuse(judged: ReplayResult, names: Sequence[str]) -> ReplayResult:
    what = "the history had this entry already, and removed it"
    fix = "Let hkgit apply the spec again: that makes an entry of its own."
    findings = tuple(Finding("reuse", entry_path(name), what, fix) for name in names)
    return replace(judged, verdict=Verdict.FAIL, findings=judged.findings + findings)


def _replay(
    repository: Repository, candidate: CandidateCommit, *, recomputes: bool, reverts: bool
) -> ReplayResult | None:
    if candidate.id is not None and repository.commit(candidate.id).is_boundary:
        fix = "Fetch the whole history: git fetch --unshallow (in CI: fetch-depth: 0)."
        raise Unverifiable(candidate.id[:12], "its parents are not here: the clone is shallow", fix)
    if len(candidate.parents) > 1:
        # Most commits are none, and need not wait for it.
        from hkgit.evidence.replay.merging.merges import replay_merge

        return replay_merge(repository, candidate)
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    changes = repository.changes(parent, candidate.tree)
    if not changes:
        return ReplayResult(candidate, Verdict.EMPTY, notes=find_stray_trailers(candidate))
    added = read_added_entries(repository, changes)
    if added.manifests:
        return _prune(candidate, added)
    if reverts and may_revert(candidate, added):
        found = _revert(repository, candidate)
        if found is not None:
            return found
    return _judge_carried(repository, candidate, added, recomputes=recomputes)


def _judge_carried(
    repository: Repository, candidate: CandidateCommit, added: Added, *, recomputes: bool
) -> ReplayResult | None:
    if not added.entries and not added.findings and not added.removed:
        return None
    # Only here is the ladder needed, and a hook that finds no entry need not wait for it.
    from hkgit.evidence.replay.single_parent import replay_entries

    return replay_entries(repository, candidate, added, recomputes=recomputes)


def _revert(repository: Repository, candidate: CandidateCommit) -> ReplayResult | None:
    if len(candidate.parents) != 1:
        return None
    parent = repository.commit(candidate.parents[0]).tree
    changes = repository.changes(parent, candidate.tree)
    basis = find_reverted(repository, candidate, changes)
    if basis is None:
        return None
    gone = (each.path for each in changes if each.path.startswith(f"{LEDGER}/") and not each.new)
    notes = find_stray_trailers(candidate)
    return ReplayResult(candidate, Verdict.REVERT, notes=notes, basis=basis, removed=tuple(gone))


def _prune(candidate: CandidateCommit, added: Added) -> ReplayResult:
    """A commit with a manifest removes just what it names, and does nothing else."""
    named = [name for manifest in added.manifests for name in manifest.entries]
    removed = sorted(entry_name(path) for path in added.removed)
    findings = list(added.findings)
    if sorted(named) != removed:
        what = f"names {len(named)} entries, and the commit removes {len(removed)}: not the same"
        findings.append(Finding("prune", "ledger", what, _PRUNE))
    entries = (entry_path(name) for name, _ in added.entries)
    for path in (*(each.path for each in added.others), *entries):
        what = "a commit that prunes changes nothing else"
        findings.append(Finding("prune", path, what, "Make it a commit of its own."))
    verdict = Verdict.FAIL if findings else Verdict.PRUNE
    notes = find_stray_trailers(candidate)
    return ReplayResult(
        candidate, verdict, findings=tuple(findings), notes=notes, removed=added.removed
    )


_PRUNE = "Let `hkgit ledger prune` make the commit."

"""The verdict of a commit: its own changes, a merge, a revert, or what was recovered.

A revert is what git makes of an earlier commit's parent and the files as they are now, which both
began as that commit left them.

What was recovered for a commit is beside it: `refs/hkgit/recovered/<commit>` names its tree
with the ledger entries in it that were made from transcripts, and is replayed in its place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from hkgit.edits import File, MappingSnapshot, Snapshot
from hkgit.errors import Unverifiable
from hkgit.evidence.additions import Added, find_leftovers, find_own_changes, read_added_entries
from hkgit.evidence.entry import LEDGER, Entry, entry_path, is_ledgers, is_record
from hkgit.evidence.sequence import CachedSnapshot, EntrySequence
from hkgit.evidence.trailers import find_stray_trailers, message_findings
from hkgit.evidence.verdict import (
    CandidateCommit,
    Entries,
    Finding,
    Leftover,
    ReplayResult,
    Verdict,
)
from hkgit.git import program
from hkgit.git.clean_merge import find_invented_paths
from hkgit.git.objects import EMPTY_TREE, Commit, TreeChange
from hkgit.git.repository import Repository
from hkgit.values import replace

_LOG = ("log", "--no-renames", "--no-ext-diff", "--full-history", "--format=commit %H")


_WHOLE = "Fetch the whole history: git fetch --unshallow (in CI: fetch-depth: 0)."


def was_there(repository: Repository, tip: str, commit: str, path: str) -> bool:
    """Whether the history of `commit`, which that of `tip` covers, removed a path of the ledger.

    A record that is not there, and that nobody removed, never was.
    """
    removed = find_removals(repository, tip).get(path, ())
    return any(repository.is_ancestor(each, commit) for each in removed)


def find_removals(repository: Repository, tip: str) -> dict[str, tuple[str, ...]]:
    """Map the paths of all records that a history removed to the commits that did."""
    # What a shallow clone lacks may come while a server runs.
    find = list_removals.__wrapped__ if repository.is_shallow else list_removals
    return find(repository, tip)


@lru_cache(maxsize=4)
def list_removals(repository: Repository, tip: str) -> dict[str, tuple[str, ...]]:
    """Find them once a run: git is quick at this, but a process for each commit would not be."""
    args = (*_LOG, "-z", "--diff-filter=D", "--name-only", "-m", tip, "--", f":(top){LEDGER}")
    found: dict[str, tuple[str, ...]] = defaultdict(tuple)
    commit = ""
    for word in repository.git(*args).words:  # a commit, or a path, which begins as the ledger's
        if word.startswith("commit "):
            commit = word.removeprefix("commit ")
        else:
            found[word.removeprefix("\n")] += (commit,)
    return dict(found)


def replay_entries(
    repository: Repository, candidate: CandidateCommit, added: Added, *, recomputes: bool
) -> ReplayResult:
    """Apply the entries one after the other to the parent's files, and compare with the commit.

    Without `recomputes` no spec is located again: the verdict is that of the bytes alone.
    """
    chain = follow_entries(repository, candidate, added.entries, recomputes=recomputes)
    findings = [*added.findings, *added.removals, *chain.findings]
    left: tuple[Leftover, ...] = ()
    if not findings:
        derived = chain.list_changed()
        left = find_leftovers(repository.blob, added.others, derived)
        # Below `.hkgit/` people may write the policy alone, as far as it lets them.
        own = (each for each in left if each.path.lower().startswith(".hkgit/"))
        findings += (each.finding for each in own if each.path != ".hkgit/config.toml")
    if not findings:
        is_strict = chain.is_recomputed and not chain.has_moved
        findings += message_findings(candidate, added.entries, is_strict=is_strict)
    verdict = Verdict.MIXED if left else chain.verdict()
    return ReplayResult(
        candidate=candidate,
        verdict=Verdict.FAIL if findings else verdict,
        entries=added.entries,
        findings=tuple(findings),
        notes=tuple(chain.notes),
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
        before = CachedSnapshot(repository.files_of(tree), old)
    chain = EntrySequence(
        before, lambda entry: _base_files(repository, candidate, entry), recomputes=recomputes
    )
    chain.run(entries)
    return chain


def _base_files(
    repository: Repository, candidate: CandidateCommit, entry: Entry
) -> Snapshot | None:
    """The files that an entry's edits were carried from, if they are in the commit's history."""
    base = entry.base
    if base is None or not candidate.parents or not _leads(repository, base, candidate.parents[0]):
        return None
    try:
        return repository.snapshot(base)
    except Unverifiable:
        return None


_OWN_OF_MERGE = "Merge without other changes, and make those in a later commit."


def replay_merge(repository: Repository, candidate: CandidateCommit) -> ReplayResult | None:
    """Judge a merge; None where the policy must say whose it is.

    A path that git leaves in conflict may be as the first parent has it, or as an entry of the
    merge makes it out of that. A merge of more than two has no verdict of its own.
    """
    is_octopus = len(candidate.parents) > 2
    if not is_octopus and repository.automatic_merge(candidate.parents) == candidate.tree:
        return ReplayResult(candidate, Verdict.MERGE, basis=_merge_reason())
    own = find_own_changes(repository, candidate.parents, candidate.tree)
    if not any(change.path.startswith(".hkgit/") for change in own):
        return None
    added = read_added_entries(repository, own)
    if is_octopus or not added.entries or added.findings or added.removed:
        what = "differs from git's merge of its parents, also in the ledger"
        where = ", ".join(change.path for change in own[:5])
        return ReplayResult(
            candidate, Verdict.FAIL, findings=(Finding("merge", where, what, _OWN_OF_MERGE),)
        )
    accounted = {change.path for change in own} - {change.path for change in added.others}
    return _judge_resolution(repository, candidate, added, accounted)


def _merge_reason() -> str:
    return f"git {'.'.join(map(str, program.read_version()))}"


def _judge_resolution(
    repository: Repository, candidate: CandidateCommit, added: Added, accounted: Collection[str]
) -> ReplayResult:
    """A merge with entries; `accounted` are the paths of these, and what comes with them."""
    with repository.merge(candidate.parents) as merged:
        conflicts = merged.conflicts
        others = sorted({*merged.list_differing(candidate.tree)}.difference(conflicts, accounted))
    chain = follow_entries(repository, candidate, added.entries)
    ours = repository.changes(repository.commit(candidate.parents[0]).tree, candidate.tree)
    findings = [*chain.findings]
    if not findings:
        changes = {change.path: change for change in ours}
        findings += _find_misfits(repository, conflicts, changes, chain.list_changed())
        what = "differs from git's merge of its parents"
        findings += (Finding.at("merge", path, what, _OWN_OF_MERGE) for path in others)
        what = "a file on one side and a directory on the other have the same name"
        fix = "Rename one of the two on its branch, then merge."
        invented = find_invented_paths(conflicts, candidate.parents)
        findings += (Finding.at("merge", path, what, fix) for path in invented)
    return ReplayResult(
        candidate=candidate,
        verdict=Verdict.FAIL if findings else Verdict.MERGE,
        entries=added.entries,
        findings=tuple(findings),
        notes=tuple(chain.notes),
        basis=_merge_reason(),
        is_recomputed=chain.is_recomputed,
    )


def _find_misfits(
    repository: Repository,
    conflicts: tuple[str, ...],
    changes: Mapping[str, TreeChange],
    derived: Mapping[str, File | None],
) -> Iterator[Finding]:
    """Where a conflicted path is neither the first parent's nor what an entry makes of it."""
    touched = [changes[path] for path in conflicts if path in changes]
    resolved = {path: derived[path] for path in conflicts if path in derived}
    yield from (left.finding for left in find_leftovers(repository.blob, touched, resolved))
    for path in sorted(derived.keys() - set(conflicts)):
        what = "an entry of a merge changes a file that is not in conflict"
        yield Finding.at("merge", path, what, _OWN_OF_MERGE)


_NAMED = (
    rb"(?m)^This reverts commit ([0-9a-f]{40,64})"
    rb"(?:, reversing\s+changes made to ([0-9a-f]{40,64}))?"
)


def _revert(repository: Repository, candidate: CandidateCommit) -> ReplayResult | None:
    """Judge a commit that takes back an earlier one just as git does; None for any other.

    Looked at are the commits that the message names as git does, and the one that added what the
    candidate removes from the ledger.
    """
    if len(candidate.parents) != 1:
        return None
    [parent] = candidate.parents
    now = repository.commit(parent).tree
    changes = repository.changes(now, candidate.tree)
    for commit_id, against in _find_named(repository, candidate, changes):
        if not _leads(repository, commit_id, parent):
            continue
        commit = repository.commit(commit_id)
        if _has_one_beginning(repository, commit):
            before = against if against in commit.parents else next(iter(commit.parents), None)
            old = EMPTY_TREE if before is None else repository.commit(before).tree
            if repository.merge_trees(commit.tree, now, old) == candidate.tree:
                gone = tuple(each.path for each in changes if is_record(each.path) and not each.new)
                return ReplayResult(candidate, Verdict.REVERT, basis=commit_id, removed=gone)
    return None


def _has_one_beginning(repository: Repository, commit: Commit) -> bool:
    """Whether its parents' histories meet. Where they do not, what one side "brought" is all that
    the other one had.
    """
    first, *others = commit.parents or (commit.id,)
    return all(repository.merge_base(first, other) is not None for other in others)


def _find_named(
    repository: Repository, candidate: CandidateCommit, changes: Sequence[TreeChange]
) -> Iterator[tuple[str, str | None]]:
    for found in re.finditer(_NAMED, candidate.message or b""):
        yield found[1].decode(), None if found[2] is None else found[2].decode()
    for change in changes:
        if is_record(change.path) and (change.old is None or change.new is None):
            kind = "A" if change.new is None else "D"  # the last one that added, or removed it
            place = (candidate.parents[0], "--", f":(top,literal){change.path}")
            last = repository.git(*_LOG, "-1", f"--diff-filter={kind}", *place).text
            if last:
                yield last.removeprefix("commit ").strip(), None
            return


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


def make_candidate(
    repository: Repository, tree: str, parents: tuple[str, ...], message: bytes | None
) -> CandidateCommit:
    """Make a candidate of a commit that is about to be made, by whom git knows here."""
    author, committer = map(repository.identity, ("AUTHOR", "COMMITTER"))
    return CandidateCommit(
        id=None, tree=tree, parents=parents, author=author, committer=committer, message=message
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

    None for any other: what it changes has no evidence, so only the policy can accept it. A
    `revert` is only if the commit it takes back (its `basis`) passes; where that does not,
    ask again without `reverts`. An entry is introduced once: where `tip` is given, a commit whose
    history covers this one, no entry may come back. Without `recomputes` no spec is located
    again. Raises Unverifiable when something that the judgement needs is not here.
    """
    judged = _replay(repository, candidate, recomputes=recomputes, reverts=reverts)
    if judged is not None and judged.entries and tip is not None:
        judged = _expect_news(repository, judged, tip, reverts=reverts)
    if judged is None:
        return None
    return replace(judged, notes=(*find_stray_trailers(candidate, judged.entries), *judged.notes))


def _expect_news(
    repository: Repository, judged: ReplayResult, tip: str, *, reverts: bool
) -> ReplayResult:
    """Fail a commit whose entries the history had already, unless it takes back what removed them.

    Raises Unverifiable where a shallow clone may lack that history.
    """
    candidate = judged.candidate
    back = [
        name
        for name, entry in judged.entries
        for parent in candidate.parents
        # What names a commit as its base was in no tree before that.
        if parent != entry.base and was_there(repository, tip, parent, entry_path(name))
    ]
    if not back:
        _expect_known(repository, judged)
        return judged
    again = _revert(repository, candidate) if reverts else None
    if again is not None:
        return again
    what = "the history had this entry already, and removed it"
    fix = "Let hkgit apply the spec again: that makes a new entry."
    reused = (Finding("reuse", entry_path(name), what, fix) for name in back)
    return replace(judged, verdict=Verdict.FAIL, findings=(*judged.findings, *reused))


def _expect_known(repository: Repository, judged: ReplayResult) -> None:
    """Raise Unverifiable where a shallow clone left out commits that may have had an entry.

    None before its base had it. What a commit's own parent is the base of is new in any case.
    """
    if not repository.is_shallow or not judged.candidate.parents:
        return
    parents = judged.candidate.parents
    for name, entry in judged.entries:
        base = entry.base
        if base not in parents and not any(_leads(repository, base, each) for each in parents):
            what = "may have been in the history before: the clone is shallow"
            raise Unverifiable(entry_path(name), what, _WHOLE)


def _leads(repository: Repository, base: str | None, commit: str) -> bool:
    """Whether a commit has another in its history, as far as that is here."""
    try:
        return base is not None and repository.is_ancestor(base, commit)
    except Unverifiable:
        return False


def _replay(
    repository: Repository, candidate: CandidateCommit, *, recomputes: bool, reverts: bool
) -> ReplayResult | None:
    if candidate.id is not None and repository.commit(candidate.id).is_boundary:
        what = "its parents are missing: the clone is shallow"
        raise Unverifiable(candidate.id[:12], what, _WHOLE)
    if len(candidate.parents) > 1:
        return replay_merge(repository, candidate)
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    changes = repository.changes(parent, candidate.tree)
    if not changes:
        return ReplayResult(candidate, Verdict.EMPTY)
    added = read_added_entries(repository, changes)
    if added.is_prune:
        return ReplayResult(candidate, Verdict.PRUNE, removed=added.removed)
    is_named = re.search(_NAMED, candidate.message or b"") is not None
    if reverts and (added.removed or is_named):
        found = _revert(repository, candidate)
        if found is not None:
            return found
    if not added.entries and not added.findings and not added.removed:
        return None
    return replay_entries(repository, candidate, added, recomputes=recomputes)


REFS = "refs/hkgit/recovered/"


def record_ref(commit: str) -> str:
    """Return the ref that keeps what was recovered for a commit."""
    return f"{REFS}{commit}"


def replay_record(
    repository: Repository, candidate: CandidateCommit, incoming: Mapping[str, str]
) -> ReplayResult | None:
    """Judge what the record of a commit proves; None where it has none, or one that proves less.

    `incoming` are refs that a push brings, with what they will name.
    """
    if candidate.id is None:
        return None
    ref = record_ref(candidate.id)
    listed = repository.git("show-ref", "--verify", "--hash", ref, check=False)
    tree = incoming.get(ref) or listed.text
    if not tree:
        return None
    try:
        changes = repository.changes(candidate.tree, tree)
    except Unverifiable:  # no tree
        return None
    if any(each.old is not None or not is_ledgers(each.path) for each in changes):
        return None  # it is not the commit's own tree with more entries
    found = replay(repository, replace(candidate, id=None, tree=tree))
    if found is None or found.verdict not in (Verdict.STRICT, Verdict.REANCHORED):
        return None
    return replace(found, candidate=candidate, verdict=Verdict.RECOVERED, basis=ref)

"""judging.py: the derivation of one commit from its parents and its entries, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from hkgit.document import split_raw
from hkgit.edits import File, MappingSnapshot, Overlay, Snapshot
from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository
from hkgit.git.trees import TreeChange, TreeEntry
from hkgit.ledger.entry import Entry
from hkgit.ledger.trailers import read_trailers, trailer_lines
from hkgit.replay.added import Added, added_entries
from hkgit.replay.derive import derive
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.ordering import Entries, in_order

_BY_HKGIT = "Make the change with `hkgit apply`, or commit it under a name the policy lets through."


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
    return _linear(repository, candidate, added)


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


def _linear(repository: Repository, candidate: Candidate, added: Added) -> Judged:
    """Chain the entries from the parent's files on, then compare with the commit's tree."""
    # Only here is the ladder needed, and a hook that finds no entry need not wait for it.
    from hkgit.replay.recompute import recompute

    before: Snapshot = MappingSnapshot()
    if candidate.parents:
        before = repository.snapshot(candidate.parents[0])
    files = Overlay(before)
    findings = list(added.findings)
    is_strict = True
    for _, entry in in_order(added.entries, before):
        changed, wrong = derive(entry, files)
        if not wrong:
            again = recompute(entry, files, _base_files(repository, candidate, entry))
            is_strict = is_strict and again is not None
            wrong = again or []
        findings += wrong
        files = Overlay(before, {**files.files, **changed})
    if not findings:
        derived = {path: file for path, file in files.files.items() if file != before.get(path)}
        findings += _unaccounted(repository, added.others, derived)
    if not findings:
        findings += _message_findings(candidate, added.entries, is_strict=is_strict)
    verdict = Verdict.STRICT if is_strict else Verdict.SPLICED
    notes = stray_trailers(candidate, added.entries)
    return Judged(
        candidate, Verdict.FAIL if findings else verdict, added.entries, tuple(findings), notes
    )


def _base_files(repository: Repository, candidate: Candidate, entry: Entry) -> Snapshot | None:
    """The files that an entry's edits were carried from, if they are in the commit's history."""
    if entry.base is None or not candidate.parents:
        return None
    try:
        is_before = repository.is_ancestor(entry.base, candidate.parents[0])
        return repository.snapshot(entry.base) if is_before else None
    except Unverifiable:
        return None


def _unaccounted(
    repository: Repository, actual: Sequence[TreeChange], derived: Mapping[str, File | None]
) -> Iterator[Finding]:
    """Where the commit's tree is not what the entries make of the parent's."""
    changes = {change.path: change for change in actual}
    for path in sorted(changes.keys() | derived.keys()):
        change = changes.get(path)
        if path not in derived:
            what = "the commit changes this file, and no entry accounts for it"
            yield Finding("bytes", path, what, _BY_HKGIT)
        elif change is None:
            what = "an entry changes this file, and the commit does not"
            yield Finding("bytes", path, what, "Commit what hkgit applied, unchanged.")
        else:
            yield from _compared(repository, path, change.new, derived[path])


def _compared(
    repository: Repository, path: str, actual: TreeEntry | None, derived: File | None
) -> Iterator[Finding]:
    fix = "Commit what hkgit applied, unchanged, and further edits with `hkgit apply`."
    if actual is None or derived is None:
        if actual is not None or derived is not None:
            what = "it is there" if actual is not None else "it is gone"
            yield Finding("bytes", path, f"{what}, against its entry", fix)
    elif actual.mode != derived.mode:
        what = f"mode {actual.mode:06o}, its entry makes {derived.mode:06o}"
        yield Finding("mode", path, what, fix)
    else:
        data = repository.blob(actual.id)
        if data != derived.data:
            line = _first_difference(derived.data, data)
            yield Finding("bytes", f"{path}:{line}", "bytes that no entry accounts for", fix)


def _first_difference(left: bytes, right: bytes) -> int:
    """The number of the first line in which two files differ."""
    pairs = zip_longest(split_raw(left), split_raw(right))
    return next(number for number, (a, b) in enumerate(pairs, 1) if a != b)


def _message_findings(
    candidate: Candidate, entries: Entries, *, is_strict: bool
) -> Iterator[Finding]:
    """A trailer must name an entry that the commit adds; of one entry it must say the truth."""
    trailers = read_trailers(candidate.message or b"")
    for name in _not_added(trailers.entries, entries):
        what = f"Hkgit-Entry names {name[:12]}, which this commit does not add"
        yield Finding("trailer", "message", what, "Take the trailer out.")
    if is_strict and len(entries) == 1 and trailers.entries:
        [(entry_id, entry)] = entries
        for line in sorted(set(trailers.lines) - set(trailer_lines(entry, entry_id))):
            what = f"the entry does not say {line[:80]!r}"
            yield Finding("trailer", "message", what, "Take the trailer out, or put it right.")


def stray_trailers(candidate: Candidate, entries: Entries = ()) -> tuple[str, ...]:
    """What a message shows of hkgit's keys that stands for nothing."""
    trailers = read_trailers(candidate.message or b"")
    missing = (
        f"the message names entry {name[:12]}, which the commit does not add"
        for name in _not_added(trailers.entries, entries)
    )
    return (*trailers.faults, *missing)


def _not_added(names: Sequence[str], entries: Entries) -> list[str]:
    ids = {entry_id for entry_id, _ in entries}
    return [name for name in names if name not in ids]

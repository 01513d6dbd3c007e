"""judging.py: the derivation of one commit from its parents and its entries, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hkgit.document import Document
from hkgit.edits import File, Overlay
from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository
from hkgit.git.trees import TreeChange, TreeEntry
from hkgit.ledger.entry import Entry
from hkgit.ledger.trailers import read_trailers, trailer_lines
from hkgit.replay.added import Added, added_entries
from hkgit.replay.derive import derive, follows
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.recompute import can_recompute, recompute

Entries = Sequence[tuple[str, Entry]]

_BY_HKGIT = "Make the change with `hkgit apply`, or commit it under a name the policy lets through."


def replay(repository: Repository, candidate: Candidate) -> Judged | None:
    """The verdict of a commit that carries entries, merges or changes nothing.

    None for any other: what it changes has no evidence, so only the policy can let it pass.
    """
    try:
        return _replay(repository, candidate)
    except Unverifiable as error:
        finding = Finding.of("unverifiable", error)
        return Judged(candidate, Verdict.UNVERIFIABLE, findings=(finding,))


def _replay(repository: Repository, candidate: Candidate) -> Judged | None:
    if candidate.id is not None and repository.commit(candidate.id).is_boundary:
        fix = "Fetch the whole history (in CI: fetch-depth: 0)."
        raise Unverifiable(candidate.id[:12], "its parents are not here: the clone is shallow", fix)
    if len(candidate.parents) > 1:
        return _merge(repository, candidate)
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    if parent == candidate.tree:
        return Judged(candidate, Verdict.EMPTY, notes=_stray_trailers(candidate, ()))
    changes = repository.changes(parent, candidate.tree)
    added = added_entries(repository, changes)
    if not added.entries and not added.findings:
        return None
    return _linear(repository, candidate, parent, added)


def _merge(repository: Repository, candidate: Candidate) -> Judged | None:
    """A merge passes as what git makes of its parents by itself; an octopus never does."""
    if len(candidate.parents) > 2:
        finding = Finding("merge", "commit", "more than two parents", "Merge them one by one.")
        return Judged(candidate, Verdict.FAIL, findings=(finding,))
    automatic = repository.automatic_merge(candidate.parents)
    if automatic == candidate.tree:
        return Judged(candidate, Verdict.MERGE)
    touched = _changed_on_both_sides(repository, candidate)
    if not any(path.startswith(".hkgit/") for path in touched):
        return None
    what = "differs from the automatic merge of its parents, in the ledger too"
    fix = "Merge without changes of your own, and make those in a commit after it."
    findings = (Finding("merge", ", ".join(touched[:5]), what, fix),)
    return Judged(candidate, Verdict.FAIL, findings=findings)


def _changed_on_both_sides(repository: Repository, candidate: Candidate) -> list[str]:
    """The paths in which a merge is like neither parent, so neither accounts for them."""
    trees = [repository.commit(parent).tree for parent in candidate.parents]
    sides = [
        {change.path for change in repository.changes(tree, candidate.tree)} for tree in trees
    ]
    return sorted(set.intersection(*sides))


def _linear(
    repository: Repository, candidate: Candidate, parent: str | None, added: Added
) -> Judged:
    """Chain the entries from the parent's files on, then compare with the commit's tree."""
    files = Overlay(repository.snapshot(parent) if parent is not None else Overlay(_Nothing()))
    findings = list(added.findings)
    is_strict = True
    for _, entry in _in_order(added.entries, files):
        changed, wrong = derive(entry, files)
        if not wrong and can_recompute(entry):
            wrong = recompute(entry, files)
        elif not wrong:
            is_strict = False
        findings += wrong
        files = Overlay(files.below, {**files.files, **changed})
    if not findings:
        findings += _unaccounted(repository, added.others, files.files)
    if not findings:
        findings += _message_findings(candidate, added.entries)
    verdict = Verdict.STRICT if is_strict else Verdict.SPLICED
    notes = _stray_trailers(candidate, added.entries)
    return Judged(
        candidate, Verdict.FAIL if findings else verdict, added.entries, tuple(findings), notes
    )


class _Nothing:
    """The files before a root commit."""

    def get(self, path: str) -> File | None:
        return None

    def paths(self) -> Iterator[str]:
        return iter(())


def _in_order(entries: Entries, files: Overlay) -> Iterator[tuple[str, Entry]]:
    """Each entry as soon as every file is what it says it was before; leftovers at the end.

    What an entry leaves is told by its own marks, so no search is needed.
    """
    waiting = list(entries)
    now = files
    while waiting:
        ready = next((each for each in waiting if follows(each[1], now)), waiting[0])
        waiting.remove(ready)
        yield ready
        changed, _ = derive(ready[1], now)
        now = Overlay(now.below, {**now.files, **changed})


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
    pairs = zip(Document(left).raw_lines, Document(right).raw_lines, strict=False)
    differing = (at for at, (a, b) in enumerate(pairs, 1) if a != b)
    return next(differing, min(Document(left).line_count, Document(right).line_count) + 1)


def _message_findings(candidate: Candidate, entries: Entries) -> Iterator[Finding]:
    """A trailer must name an entry that the commit adds; of one entry it must say the truth."""
    if candidate.message is None:
        return
    trailers = read_trailers(candidate.message)
    ids = [entry_id for entry_id, _ in entries]
    for name in trailers.entries:
        if name not in ids:
            what = f"Hkgit-Entry names {name[:12]}, which this commit does not add"
            yield Finding("trailer", "message", what, "Take the trailer out.")
    if len(entries) == 1 and trailers.entries == (ids[0],):
        true_lines = trailer_lines(entries[0][1], ids[0])
        for line in trailers.lines:
            if line not in true_lines:
                what = f"the entry does not say {line[:80]!r}"
                yield Finding("trailer", "message", what, "Take the trailer out, or put it right.")


def _stray_trailers(candidate: Candidate, entries: Entries) -> tuple[str, ...]:
    """hkgit's keys in a message where they stand for nothing."""
    if candidate.message is None:
        return ()
    trailers = read_trailers(candidate.message)
    ids = [entry_id for entry_id, _ in entries]
    missing = tuple(
        f"the message names entry {name[:12]}, which the commit does not add"
        for name in trailers.entries
        if name not in ids
    )
    return trailers.faults + missing


def stray_trailers(candidate: Candidate) -> tuple[str, ...]:
    """The notes on a message whose commit adds no entry."""
    return _stray_trailers(candidate, ())


"""linear.py: the derivation of a commit that adds entries, from its one parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from hkgit.document import split_raw
from hkgit.edits import File, MappingSnapshot, Overlay, Snapshot
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from hkgit.git.store import EMPTY_TREE
from hkgit.git.trees import TreeChange, TreeEntry
from hkgit.git.twins import expect_no_twins
from hkgit.ledger.entry import Entry
from hkgit.replay.added import Added
from hkgit.replay.derive import derive
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.messages import message_findings, stray_trailers
from hkgit.replay.ordering import in_order
from hkgit.replay.recompute import recompute

_BY_HKGIT = "Make the change with `hkgit apply`, or commit it under a name the policy lets through."


def replay_entries(repository: Repository, candidate: Candidate, added: Added) -> Judged:
    """Chain the entries from the parent's files on, then compare with the commit's tree."""
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
        findings += _twins(repository, candidate, derived)
    if not findings:
        findings += message_findings(candidate, added.entries, is_strict=is_strict)
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


def _twins(
    repository: Repository, candidate: Candidate, derived: Mapping[str, File | None]
) -> Iterator[Finding]:
    parent = candidate.parents[0] if candidate.parents else EMPTY_TREE
    try:
        expect_no_twins(repository.snapshot(parent), derived)
    except InvalidInput as error:
        yield Finding.of("path", error)


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

"""added.py: sort a commit's changes in the ledger: entries added and removed, and faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.edits import REGULAR
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import MAX_BYTES, Entry, entry_id
from hkgit.evidence.ledger.names import ATTRIBUTES, ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.ledger.pruning import Manifest, is_manifest, read_manifest
from hkgit.evidence.ledger.reading import NewerEntry, read_entry
from hkgit.evidence.replay.findings import Finding
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository
from hkgit.values import dataclass, late_pattern

MOST_BYTES = 64 * MAX_BYTES
"""What all the records that one commit adds may have together."""

ENTRY_PATH = late_pattern(rf"{re.escape(LEDGER)}/([0-9a-f]{{2}})/([0-9a-f]{{62}})\.json\Z")


@dataclass(frozen=True, slots=True)
class Added:
    """The entries that are added, with their ids; the changes outside of the ledger; the faults.

    `removed` are the paths of records that are taken out of the tree, which only some commits may
    do, and `pruned` the ids that manifests name.
    """

    entries: tuple[tuple[str, Entry], ...]
    others: tuple[TreeChange, ...]
    findings: tuple[Finding, ...]
    removed: tuple[str, ...] = ()
    manifests: tuple[Manifest, ...] = ()

    @property
    def removals(self) -> tuple[Finding, ...]:
        """The removed records as faults."""
        return tuple(
            Finding(rule="entry", where=path, what=_REMOVED, fix=_KEEP, path=path)
            for path in self.removed
        )


def read_added_entries(repository: Repository, changes: Sequence[TreeChange]) -> Added:
    """Sort a commit's changes into entries, removed ones, manifests, other files, and faults."""
    findings: list[Finding] = [*_overload(repository, changes)]
    if findings:
        return Added((), (), tuple(findings))
    records = [each for each in changes if each.path.startswith(f"{LEDGER}/")]
    entries: list[tuple[str, Entry]] = []
    manifests: list[Manifest] = []
    for change in (each for each in records if not _is_removed(each)):
        match _record(repository, change):
            case Finding() as finding:
                findings.append(finding)
            case Manifest() as manifest:
                manifests.append(manifest)
            case entry:
                entries.append(entry)
    return Added(
        entries=tuple(entries),
        others=tuple(_list_others(repository, changes)),
        findings=tuple(findings),
        removed=tuple(each.path for each in records if _is_removed(each)),
        manifests=tuple(manifests),
    )


def _is_removed(change: TreeChange) -> bool:
    return change.new is None and ENTRY_PATH.match(change.path) is not None


def _list_others(repository: Repository, changes: Sequence[TreeChange]) -> Iterator[TreeChange]:
    """List what a commit changes beside the ledger; its own attributes are none of it."""
    for change in changes:
        is_record = change.path.startswith(f"{LEDGER}/")
        if not is_record and not _is_frozen_attributes(repository, change):
            yield change


def _overload(repository: Repository, changes: Sequence[TreeChange]) -> Iterator[Finding]:
    """Check the number and size of records before any is read."""
    new = (each for each in changes if each.old is None and each.path.startswith(f"{LEDGER}/"))
    added = [each.new.id for each in new if each.new is not None]
    is_over = len(added) * MAX_BYTES > MOST_BYTES  # else none of them need be looked at
    if is_over and sum(map(repository.blob_size, added)) > MOST_BYTES:
        what = f"the records that the commit adds have over {MOST_BYTES} bytes together"
        yield Finding("entry", LEDGER, what, "Land them in several commits.")


def _record(repository: Repository, change: TreeChange) -> tuple[str, Entry] | Manifest | Finding:
    """What a record that a commit adds holds, an entry with its id; or why it is none."""
    try:
        name, data = _bytes(repository, change)
        return read_manifest(data) if is_manifest(data) else (name, _entry(change.path, data))
    except InvalidInput as error:
        return Finding.of("entry", error)


def _bytes(repository: Repository, change: TreeChange) -> tuple[str, bytes]:
    """The name and bytes of an added record. Raises InvalidInput where it is anything else."""
    name = ENTRY_PATH.match(change.path)
    if change.old is not None:
        what = "the entry is altered" if change.new is not None else _REMOVED
        raise InvalidInput(change.path, what, _KEEP)
    if name is None or change.new is None or change.new.mode != REGULAR:
        raise InvalidInput(change.path, "is no place for a ledger entry", "Take it out.")
    if repository.blob_size(change.new.id) > MAX_BYTES:
        raise InvalidInput(change.path, f"is over {MAX_BYTES} bytes", "Split the spec.")
    data = repository.blob(change.new.id)
    if entry_id(data) != name[1] + name[2]:
        raise InvalidInput(change.path, "its bytes do not have the hash in its name", _REMAKE)
    return name[1] + name[2], data


def _entry(path: str, data: bytes) -> Entry:
    try:
        return read_entry(data)
    except InvalidInput as error:
        fix = error.fix if isinstance(error, NewerEntry) else _REMAKE
        raise InvalidInput(path, f"{error.where}: {error.what}", fix) from error


_REMAKE = "Let hkgit apply the spec again."
_REMOVED = "the entry is removed"
_KEEP = "Entries stay as they are: put it back."


def _is_frozen_attributes(repository: Repository, change: TreeChange) -> bool:
    return (
        change.path == ATTRIBUTES_PATH
        and change.new is not None
        and change.new.mode == REGULAR
        and repository.blob_size(change.new.id) == len(ATTRIBUTES)
        and repository.blob(change.new.id) == ATTRIBUTES
    )

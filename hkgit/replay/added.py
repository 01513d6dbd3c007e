"""added.py: the entries that a commit adds, and everything under `.hkgit/` that it may not do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hkgit.edits import REGULAR
from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository
from hkgit.git.trees import TreeChange
from hkgit.ledger.entry import LEDGER, MAX_BYTES, Entry, entry_id
from hkgit.ledger.reading import NewerEntry, read_entry
from hkgit.replay.findings import Finding

ATTRIBUTES_PATH = ".hkgit/.gitattributes"
ATTRIBUTES = b"ledger/** -text -filter -diff -merge linguist-generated\n"
_ENTRY_PATH = re.compile(rf"{re.escape(LEDGER)}/([0-9a-f]{{2}})/([0-9a-f]{{62}})\.json\Z")


@dataclass(frozen=True, slots=True)
class Added:
    """The entries by id, the other changes of the commit, and what is wrong with the ledger."""

    entries: tuple[tuple[str, Entry], ...]
    others: tuple[TreeChange, ...]
    findings: tuple[Finding, ...]


def added_entries(repository: Repository, changes: Sequence[TreeChange]) -> Added:
    """Sort a commit's changes into added entries, other files, and faults."""
    entries: list[tuple[str, Entry]] = []
    others: list[TreeChange] = []
    findings: list[Finding] = []
    for change in changes:
        if change.path.startswith(f"{LEDGER}/"):
            try:
                entries.append(_entry(repository, change))
            except InvalidInput as error:
                findings.append(Finding.of("entry", error))
        elif not _is_frozen_attributes(repository, change):
            others.append(change)
    return Added(tuple(entries), tuple(others), tuple(findings))


def _entry(repository: Repository, change: TreeChange) -> tuple[str, Entry]:
    """The entry that a change adds. Raises InvalidInput when it does anything else."""
    name = _ENTRY_PATH.match(change.path)
    if change.old is not None:
        what = "the entry is altered" if change.new is not None else "the entry is removed"
        raise InvalidInput(change.path, what, "Entries stay as they are: put it back.")
    if name is None or change.new is None or change.new.mode != REGULAR:
        raise InvalidInput(change.path, "is no place for a ledger entry", "Take it out.")
    if repository.blob_size(change.new.id) > MAX_BYTES:
        raise InvalidInput(change.path, f"is over {MAX_BYTES} bytes", "Split the spec.")
    data = repository.blob(change.new.id)
    if entry_id(data) != name[1] + name[2]:
        raise InvalidInput(change.path, "its bytes do not have the hash in its name", _REMAKE)
    try:
        return name[1] + name[2], read_entry(data)
    except InvalidInput as error:
        fix = error.fix if isinstance(error, NewerEntry) else _REMAKE
        raise InvalidInput(change.path, f"{error.where}: {error.what}", fix) from error


_REMAKE = "Let hkgit apply the spec again."


def _is_frozen_attributes(repository: Repository, change: TreeChange) -> bool:
    return (
        change.path == ATTRIBUTES_PATH
        and change.new is not None
        and change.new.mode == REGULAR
        and repository.blob_size(change.new.id) == len(ATTRIBUTES)
        and repository.blob(change.new.id) == ATTRIBUTES
    )


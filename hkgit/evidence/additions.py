"""What a commit adds to the ledger, and what no entry of it explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from hkgit.edits import REGULAR, File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import (
    ATTRIBUTES,
    ATTRIBUTES_PATH,
    LEDGER,
    MAX_BYTES,
    Entry,
    NewerEntry,
    entry_id,
    entry_name,
    entry_path,
    is_record,
    read_entry,
)
from hkgit.evidence.verdict import Entries, Finding, Leftover
from hkgit.git.objects import TreeChange
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes
from hkgit.text.document import Document, has_too_many_lines, split_raw
from hkgit.values import dataclass, replace

MOST_BYTES = 64 * MAX_BYTES
"""What all the records that one commit adds may have together."""


@dataclass(frozen=True)
class Added:
    """The entries that are added, with their ids; the changes outside of the ledger; the faults.

    `removed` are the paths of records that are taken out of the tree, which only some commits may
    do.
    """

    entries: tuple[tuple[str, Entry], ...]
    others: tuple[TreeChange, ...]
    findings: tuple[Finding, ...]
    removed: tuple[str, ...] = ()

    @property
    def removals(self) -> tuple[Finding, ...]:
        """The removed records as faults."""
        return tuple(Finding.at("entry", path, _REMOVED, _KEEP) for path in self.removed)

    @property
    def is_prune(self) -> bool:
        """Whether records are removed, and nothing else is done."""
        return bool(self.removed) and not (self.entries or self.others or self.findings)


def list_ledger_files(entries: Iterable[tuple[str, Entry]], files: Snapshot) -> dict[str, File]:
    """List the files that entries add to a tree: their own, and the ledger's attributes if none."""
    added = {entry_path(name): File(entry.to_bytes()) for name, entry in entries}
    if added and files.get(ATTRIBUTES_PATH) is None:
        added[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    return added


def find_own_changes(
    repository: Repository, parents: Sequence[str], tree: str
) -> tuple[TreeChange, ...]:
    """Find where a commit's tree is like that of no parent, against the first."""
    trees: list[str | None] = [repository.commit(each).tree for each in parents]
    first, *others = (repository.changes(each, tree) for each in trees or [None])
    paths = [{change.path for change in each} for each in others]
    return tuple(change for change in first if all(change.path in each for each in paths))


def read_new_entries(repository: Repository, parents: Sequence[str], tree: str) -> Entries:
    """Read the entries of a commit's tree that no parent has; none that cannot be read."""
    return read_added_entries(repository, find_own_changes(repository, parents, tree)).entries


def read_added_entries(repository: Repository, changes: Sequence[TreeChange]) -> Added:
    """Sort a commit's changes into entries, removed ones, other files, and faults."""
    findings: list[Finding] = [*_check_size(repository, changes)]
    if findings:
        return Added((), (), tuple(findings))
    records = [each for each in changes if is_record(each.path)]
    entries: list[tuple[str, Entry]] = []
    for change in (each for each in records if not _is_removed(each)):
        try:
            entries.append(_read_record(repository, change))
        except InvalidInput as error:
            findings.append(Finding.of("entry", error))
    return Added(
        entries=tuple(entries),
        others=tuple(
            each
            for each in changes
            if not is_record(each.path) and not _is_frozen_attributes(repository, each)
        ),
        findings=tuple(findings),
        removed=tuple(each.path for each in records if _is_removed(each)),
    )


def _is_removed(change: TreeChange) -> bool:
    return change.new is None and entry_name(change.path) is not None


def _check_size(repository: Repository, changes: Sequence[TreeChange]) -> Iterator[Finding]:
    """Check the number and size of records before any is read."""
    new = (each for each in changes if each.old is None and is_record(each.path))
    added = [each.new.id for each in new if each.new is not None]
    is_over = len(added) * MAX_BYTES > MOST_BYTES  # else none of them need be looked at
    if is_over and sum(map(repository.blob_size, added)) > MOST_BYTES:
        what = f"the records that the commit adds have over {MOST_BYTES} bytes together"
        yield Finding("entry", LEDGER, what, "Split them into several commits.")


def _read_record(repository: Repository, change: TreeChange) -> tuple[str, Entry]:
    """Read an added record, with its name. Raises InvalidInput where it is anything else."""
    name = entry_name(change.path)
    if change.old is not None:
        what = "the entry is altered" if change.new is not None else _REMOVED
        raise InvalidInput(change.path, what, _KEEP)
    if name is None or change.new is None or change.new.mode != REGULAR:
        raise InvalidInput(change.path, "is not a place for a ledger entry", "Remove it.")
    data = repository.small_blob(change.new.id, MAX_BYTES)
    if data is None:
        raise InvalidInput(change.path, f"is over {MAX_BYTES} bytes", "Split the spec.")
    if entry_id(data) != name:
        raise InvalidInput(change.path, "its bytes do not match the hash in its name", _REMAKE)
    try:
        return name, read_entry(data)
    except InvalidInput as error:
        fix = error.fix if isinstance(error, NewerEntry) else _REMAKE
        raise InvalidInput(change.path, f"{error.where}: {error.what}", fix) from error


_REMAKE = "Let hkgit apply the spec again."
_REMOVED = "the entry is removed"
_KEEP = "Put it back; `hkgit ledger prune` removes entries, in a separate commit."


def _is_frozen_attributes(repository: Repository, change: TreeChange) -> bool:
    return (
        change.path == ATTRIBUTES_PATH
        and change.new is not None
        and change.new.mode == REGULAR
        and repository.small_blob(change.new.id, len(ATTRIBUTES)) == ATTRIBUTES
    )


_BY_HKGIT = "Commit it by itself, not with the entries of others; an agent's with `hkgit apply`."
_UNCHANGED = "Commit what hkgit applied, unchanged, and what is by hand in a separate commit."


def find_leftovers(
    read_blob: Callable[[str], bytes],
    actual: Sequence[TreeChange],
    derived: Mapping[str, File | None],
) -> tuple[Leftover, ...]:
    """Compare what the commit changes with what its entries change, path by path."""
    changed = {change.path: change for change in actual}
    found = (
        _compare_path(read_blob, path, changed.get(path), derived)
        for path in sorted(changed.keys() | derived.keys())
    )
    return tuple(each for each in found if each is not None)


def _compare_path(
    read_blob: Callable[[str], bytes],
    path: str,
    change: TreeChange | None,
    derived: Mapping[str, File | None],
) -> Leftover | None:
    """Compare a file of the commit with what its entries make; None where both are the same."""
    if path not in derived:
        what = "the commit changes this file, but no entry explains it"
        return Leftover(path, Finding.at("bytes", path, what, _BY_HKGIT))
    if change is None:
        what = "an entry changes this file, but the commit does not"
        fix = "Commit what hkgit applied, unchanged."
        return Leftover(path, Finding.at("bytes", path, what, fix))
    actual, made = change.new, derived[path]
    if actual is None or made is None:
        if actual is None and made is None:
            return None
        what = "it is there" if actual is not None else "it is gone"
        what = f"{what}, unlike in its entry"
        return Leftover(path, Finding.at("bytes", path, what, _UNCHANGED))
    if actual.mode != made.mode:
        what = f"mode {actual.mode:06o}, but its entry makes {made.mode:06o}"
        return Leftover(path, Finding.at("mode", path, what, _UNCHANGED))
    data = read_blob(actual.id)
    if data == made.data:
        return None
    finding = Finding.at("bytes", path, "bytes that no entry explains", _UNCHANGED)
    if has_too_many_lines(data):
        return Leftover(path, finding)
    pairs = zip_longest(split_raw(made.data), split_raw(data))
    line = next(number for number, (ours, theirs) in enumerate(pairs, 1) if ours != theirs)
    finding = replace(finding, where=f"{path}:{line}", start_line=line, end_line=line)
    # Of lines that are missing the empty range.
    stretches = find_changes(Document(made.data).lines, Document(data).lines)
    lines = tuple((each.new_start + 1, each.new_end) for each in stretches)
    return Leftover(path, finding, lines)

"""Entries in the order in which they follow from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hkgit.edits import EXECUTABLE, REGULAR, File, Overlay, Snapshot
from hkgit.evidence.claims import mark
from hkgit.evidence.derivation import derive
from hkgit.evidence.entry import Entry, FileMark
from hkgit.evidence.verdict import Entries, Finding, Verdict
from hkgit.git.objects import TreeEntry, TreeSnapshot
from hkgit.values import dataclass, field


def order_entries(entries: Entries, files: Snapshot) -> Iterator[tuple[str, Entry]]:
    """Yield each entry as soon as every file is what it says it was before; leftovers last.

    Of several that are ready, one goes first whose result another one waits for: where a file
    came back to what it was, that is the round that must be made before the file moves on. Any
    other tie goes by the entries' ids, and so does a circle whose beginning nothing shows.
    """
    if len(entries) < 2:
        yield from entries
        return
    waiting = sorted(entries, key=lambda each: each[0])
    now = _find_beginning(waiting, files)
    awaited = Counter(state for _, entry in entries for state in entry.needs)
    while waiting:
        fit = (each for each in waiting if all(now[at] == mark for at, mark in each[1].needs))
        ready = [*fit] or waiting[:1]
        useful = (each for each in ready if any(awaited[state] for state in each[1].leaves))
        chosen = next(useful, ready[0])
        waiting.remove(chosen)
        awaited.subtract(chosen[1].needs)
        now.update(chosen[1].leaves)
        yield chosen


def _find_beginning(entries: Entries, files: Snapshot) -> dict[str, FileMark | None]:
    """What each file is taken to be at first.

    What it is, where an entry was made on that. Else its base has moved, and it begins as what
    more entries were made on than leave it.
    """
    needed = Counter(state for _, entry in entries for state in entry.needs)
    left = Counter(state for _, entry in entries for state in entry.leaves)
    begin: dict[str, FileMark | None] = {}
    for path, state in needed - left:
        begin.setdefault(path, state)
    for path in {path for path, _ in needed}:
        actual = mark(files.get(path))
        if (path, actual) in needed or path not in begin:
            begin[path] = actual
    return begin


_FETCH = "Fetch the commit that the entry names as its base, or apply the spec again."

BaseOf = Callable[[Entry], Snapshot | None]
"""The files of the commit that an entry's spec was written against, where they are here."""


@dataclass
class CachedSnapshot:
    """A snapshot of a tree that reads each file once.

    `entries` are tree entries that are known already, by path, and need not be looked up.
    """

    below: TreeSnapshot
    entries: Mapping[str, TreeEntry | None]
    files: dict[str, File | None] = field(default_factory=dict)

    def get(self, path: str) -> File | None:
        if path not in self.files:
            entry = self.entries.get(path)
            if entry is None or entry.mode not in (REGULAR, EXECUTABLE):
                self.files[path] = self.below.get(path)
            else:
                self.files[path] = File(self.below.read_blob(entry.id), entry.mode)
        return self.files[path]

    def paths(self) -> Iterable[str]:
        return self.below.paths()


@dataclass
class EntrySequence:
    """What entries make of a parent's files, and how that is known.

    `files` holds what each path has become; `home` what entries made of the files that they say
    they were made on, where those were another text. Without `recomputes` no spec is located
    again: the bytes alone are derived. `unlocated` are entries that moved and whose own files are
    not here, each with the files that it came to: their own words must say all they do.
    `is_recomputed` says that every tier and confidence is what the present ladder answers.
    """

    before: Snapshot
    base_of: BaseOf
    recomputes: bool
    files: Mapping[str, File | None] = field(default_factory=dict)
    home: dict[str, File | None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unlocated: list[tuple[Entry, Snapshot]] = field(default_factory=list)
    has_moved: bool = False
    is_recomputed: bool = True

    def run(self, entries: Entries) -> None:
        """Add every entry, in the order in which they follow from each other."""
        for entry_id, entry in order_entries(entries, self.before):
            self._add(entry_id, entry)
        if self.unlocated and not self.findings:
            # Only here, and below, is the ladder needed.
            from hkgit.evidence.recomputation import find_unrequested

            for entry, files in self.unlocated:
                self.findings += find_unrequested(entry, files)

    def list_changed(self) -> dict[str, File | None]:
        """List the files that are no longer the parent's."""
        return {path: file for path, file in self.files.items() if file != self.before.get(path)}

    def verdict(self) -> Verdict:
        """Choose the verdict of a commit that is just what its entries make."""
        return Verdict.REANCHORED if self.has_moved else Verdict.STRICT

    def _add(self, entry_id: str, entry: Entry) -> None:
        files = Overlay(self.before, self.files)
        derived = derive(entry, files)
        wrong = derived.findings
        self.has_moved |= derived.has_moved
        if not wrong and derived.has_moved:
            wrong = self._check_at_home(entry_id, entry, files)
        elif not wrong:
            again = self._recompute(entry, files)
            if again is None:
                what = "names other lines, and the commit that shows why is not here"
                again = [Finding("decoy", entry.edits[0].where, what, _FETCH)]
            wrong = again
        self.findings += wrong
        self.files = {**self.files, **derived.files}

    def _recompute(self, entry: Entry, home: Snapshot) -> Sequence[Finding] | None:
        """What is wrong with an entry whose spec is located again in the files of its home."""
        if not self.recomputes:
            return []
        # Only here is the ladder needed.
        from hkgit.evidence.recomputation import is_rated_here, recompute

        self.is_recomputed = self.is_recomputed and is_rated_here(entry)
        return recompute(entry, home, self.base_of)

    def _check_at_home(self, entry_id: str, entry: Entry, files: Snapshot) -> Sequence[Finding]:
        """Check an entry on the files that it says it was made on, if they are here."""
        home = self._find_home(entry, files)
        wrong: Sequence[Finding] | None = None
        if home is None:
            self.notes.append(f"entry {entry_id[:12]} was made on files that are missing here")
        else:
            derived = derive(entry, home)
            self.home |= derived.files
            wrong = derived.findings or self._recompute(entry, home)
        if wrong is None:
            self.is_recomputed = False
            self.unlocated.append((entry, files))
        return wrong or []

    def _find_home(self, entry: Entry, files: Snapshot) -> Snapshot | None:
        base = self.base_of(entry)
        places = [Overlay(files, self.home), files, *([] if base is None else [base])]
        found: dict[str, File | None] = {}
        for file in entry.files:
            if file.new_path is not None:
                found[file.new_path] = None
            if file.path is not None:
                known = (place.get(file.path) for place in places)
                found[file.path] = next((each for each in known if mark(each) == file.before), None)
                if found[file.path] is None:
                    return None
        return Overlay(files if base is None else base, found)

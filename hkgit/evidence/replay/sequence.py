"""sequence.py: the entries of a commit, one after the other, from the files of a parent on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hkgit.edits import EXECUTABLE, REGULAR, File, Overlay, Snapshot
from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.ledger.recording import mark
from hkgit.evidence.replay.derive import derive
from hkgit.evidence.replay.findings import Entries, Finding, Verdict
from hkgit.evidence.replay.ordering import order_entries
from hkgit.evidence.replay.reanchoring.moved import is_moved, reanchor
from hkgit.git.objects.objects import TreeSnapshot
from hkgit.git.objects.trees import TreeEntry
from hkgit.values import dataclass, field

BaseOf = Callable[[Entry], Snapshot | None]
"""The files of the commit that an entry's spec was written against, where they are here."""


@dataclass(slots=True)
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
    they were made on, where those were another text. `is_recomputed` says that every spec was
    located again, there or here; without `recomputes` none is: the bytes alone are derived.
    `unlocated` are the other entries, each with the files that it came to: in a commit that has
    moved their own words must say all they do, in another the verdict says that nobody knows.
    """

    before: Snapshot
    base_of: BaseOf
    recomputes: bool = True
    files: Mapping[str, File | None] = field(default_factory=dict)
    home: dict[str, File | None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unlocated: list[tuple[Entry, Snapshot]] = field(default_factory=list)
    has_moved: bool = False

    @property
    def is_recomputed(self) -> bool:
        return not self.unlocated

    def run(self, entries: Entries) -> None:
        """Add every entry, in the order in which they follow from each other."""
        for entry_id, entry in order_entries(entries, self.before):
            self._add(entry_id, entry)
        if self.has_moved and self.unlocated and not self.findings:
            # Only here, and below, is the ladder needed.
            from hkgit.evidence.replay.reanchoring.rebuilding import find_unrequested

            for entry, files in self.unlocated:
                self.findings += find_unrequested(entry, files)

    def list_changed(self) -> dict[str, File | None]:
        """List the files that are no longer the parent's."""
        return {path: file for path, file in self.files.items() if file != self.before.get(path)}

    def verdict(self) -> Verdict:
        """Choose the verdict of a commit that is just what its entries make."""
        if self.has_moved:
            return Verdict.REANCHORED
        return Verdict.STRICT if self.is_recomputed else Verdict.SPLICED

    def _add(self, entry_id: str, entry: Entry) -> None:
        files = Overlay(self.before, self.files)
        changed, wrong = derive(entry, files)
        if not wrong:
            wrong = self._recompute(entry, files, files)
        elif is_moved(entry, files):
            changed, worse = reanchor(entry, files)
            self.has_moved = True
            is_adrift = any(finding.rule == "anchor" for finding in worse)
            wrong = [*wrong, *worse] if is_adrift else worse
            wrong = wrong or self._at_home(entry_id, entry, files)
        self.findings += wrong
        self.files = {**self.files, **changed}

    def _recompute(self, entry: Entry, home: Snapshot, files: Snapshot) -> list[Finding]:
        """What is wrong with an entry whose spec is located again in the files of its home."""
        if self.recomputes:
            # Only here is the ladder needed.
            from hkgit.evidence.replay.recompute import recompute

            again = recompute(entry, home, self.base_of(entry))
            if again is not None:
                return again
        self.unlocated.append((entry, files))
        return []

    def _at_home(self, entry_id: str, entry: Entry, files: Snapshot) -> list[Finding]:
        """Check an entry on the files that it says it was made on, if they are here."""
        home = self._home_of(entry, files)
        if home is None:
            self.notes.append(f"entry {entry_id[:12]} was made on files that are not here")
            self.unlocated.append((entry, files))
            return []
        changed, wrong = derive(entry, home)
        self.home |= changed
        return wrong or self._recompute(entry, home, files)

    def _home_of(self, entry: Entry, files: Snapshot) -> Snapshot | None:
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

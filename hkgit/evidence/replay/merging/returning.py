"""returning.py: what an entry did, and one side of a merge undid, does not come back by the merge.

Both sides have had the entry: one has pruned or reverted it, or changed its lines again, and the
other still shows what it did. Git takes that for news. Here only evidence that the first side
never had may bring a change to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.edits import SUBMODULE
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import RecordedFile
from hkgit.evidence.ledger.names import LEDGER
from hkgit.evidence.ledger.reading import read_entry
from hkgit.evidence.replay.findings import Finding, ReplayResult
from hkgit.evidence.replay.history import find_removals
from hkgit.evidence.replay.merging.showing import MergedFile
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository
from hkgit.values import dataclass

_APPLY_AGAIN = "Let hkgit apply the spec again: that makes an entry of its own."


def find_returned(repository: Repository, judged: ReplayResult, tip: str) -> Iterator[Finding]:
    """Find entries whose change comes from one side, though the other had and undid it."""
    first, second = judged.candidate.parents
    bases = repository.merge_bases(first, second)
    for ours, theirs in ((first, second), (second, first)):
        side = _Side(
            repository=repository, ours=ours, theirs=theirs, tree=judged.candidate.tree, tip=tip
        )
        records = side.find_brought(bases)
        known = {path: record for path, record in records.items() if side.had(path)}
        if not known:
            continue
        news = side.files([record for path, record in records.items() if path not in known])
        own = [file for _, entry in judged.entries for file in entry.files]
        shown = [*side.list_merged_files([*news, *own])]
        for path, record in known.items():
            files = side.files([record])
            if any(each.shows(file) for file in files for each in shown):
                what = f"the history of {ours[:12]} had this entry already, and undid its change"
                yield Finding("reuse", path, what, _APPLY_AGAIN)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a merge, which the other one changes."""

    repository: Repository
    ours: str
    theirs: str
    tree: str
    tip: str

    def find_brought(self, bases: Sequence[str]) -> dict[str, str]:
        """Find records that the other side gained since the merge base: paths and blobs."""
        trees = [*(self.repository.commit(base).tree for base in bases)] if bases else [None]
        theirs = self.repository.commit(self.theirs).tree
        found = {
            change.path: change.new.id
            for tree in trees
            for change in self.repository.changes(tree, theirs)
            if change.old is None and change.new is not None and _is_record(change.path)
        }
        for path, commits in find_removals(self.repository, self.tip).items():
            news = [each for each in commits if self._is_news(each, self.theirs, self.ours)]
            found.update(
                (path, record) for each in news for record in self._list_removed(each, path)
            )
        return found

    def had(self, path: str) -> bool:
        """Whether this side has a record too, or has removed it since."""
        if self.repository.snapshot(self.ours).entry(path) is not None:
            return True
        removed = find_removals(self.repository, self.tip).get(path, ())
        return any(self._is_news(each, self.ours, self.theirs) for each in removed)

    def files(self, records: Sequence[str]) -> list[RecordedFile]:
        """What records say of files; what a prune has left says nothing."""
        found: list[RecordedFile] = []
        for record in records:
            try:
                found += read_entry(self.repository.blob(record)).files
            except InvalidInput:
                continue
        return found

    def list_merged_files(self, news: Sequence[RecordedFile]) -> Iterator[MergedFile]:
        """List what the merge changes on this side and the news do not say, file by file."""
        before = self.repository.commit(self.ours).tree
        changes = self.repository.changes(before, self.tree)
        changed = [each for each in changes if not _is_record(each.path) and _holds_text(each)]
        gone = [each.old for each in changed if each.old is not None and each.new is None]
        moved = b"".join(self.repository.blob(each.id) for each in gone)
        for change in changed:
            recorded = [file for file in news if self._is_of(change.path, file)]
            yield MergedFile.of(self.repository, change, moved, recorded)

    def _is_of(self, path: str, file: RecordedFile) -> bool:
        """Whether an entry may speak of a path: of the file itself, or of one of this side's
        renamed files, which the other side knows by its older name.
        """
        names = [each for each in (file.path, file.new_path) if each is not None]
        if path in names:
            return True
        there = [self.repository.snapshot(each) for each in (self.ours, self.tree)]
        return all(files.entry(name) is None for files in there for name in names)

    def _is_news(self, commit: str, of: str, to: str) -> bool:
        is_ancestor = self.repository.is_ancestor
        return is_ancestor(commit, of) and not is_ancestor(commit, to)

    def _list_removed(self, commit: str, path: str) -> list[str]:
        parents = self.repository.commit(commit).parents
        there = (self.repository.snapshot(parent).entry(path) for parent in parents)
        return [each.id for each in there if each is not None]


def _is_record(path: str) -> bool:
    return path.startswith(f"{LEDGER}/")


def _holds_text(change: TreeChange) -> bool:
    """Whether files of a repository stand at a path, and no other repository."""
    return all(each is None or each.mode != SUBMODULE for each in (change.old, change.new))

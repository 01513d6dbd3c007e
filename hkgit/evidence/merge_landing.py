"""A merge, held against the ref that it lands on.

The entry of a merge is made on the file of the first parent, so it shows nothing of what the
other side has changed there. Line by line that must be kept; where both sides have changed the
same lines, the entry may decide, if it writes in that very place.

Both sides have had the entry: one has pruned or reverted it, or changed its lines again, and the
other still shows what it did. Git takes that for news. Here only evidence that the first side
never had may bring a change to it.

Judged by itself a merge may keep either side, and evidence on either. But what the ref had is
accounted for on the way to where it comes:

1. What a conflict left to people, and the ref's side had changed, is kept or said by an edit.
2. Histories that have nothing of the ref's are evidence only for files that it never had.
3. What an entry did, and one side has undone since, does not come back from the other side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from hkgit.edits import EXECUTABLE, REGULAR, SUBMODULE, File, encode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import LEDGER, RecordedFile, RecordedHunk, read_entry
from hkgit.evidence.replay import find_removals
from hkgit.evidence.verdict import Finding, ReplayResult
from hkgit.git.clean_merge import Contested
from hkgit.git.objects import TreeChange
from hkgit.git.repository import Repository
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, has_too_many_lines, hash_lines
from hkgit.values import dataclass

_TELLING = re.compile(rb"[0-9A-Za-z\x80-\xff]")
"""A line without one of these, as a closing brace, stands in any change."""


@dataclass(frozen=True, slots=True)
class MergedFile:
    """One file that a merge changes: lines that it `added`, stretches that it `removed`.

    What the entries in `recorded` write is not among them.
    """

    change: TreeChange
    before: Document
    after: Document
    added: Counter[bytes]
    removed: tuple[LineChange, ...]
    recorded: Sequence[RecordedFile]

    @classmethod
    def of(
        cls,
        repository: Repository,
        change: TreeChange,
        gone: bytes,
        recorded: Sequence[RecordedFile],
    ) -> MergedFile:
        """Pair a change with what entries that are new there say of the file.

        What is `gone` with other files may be here now: git knows no renames.
        """
        old = gone if change.old is None else repository.blob(change.old.id)
        new = b"" if change.new is None else repository.blob(change.new.id)
        before, after = Document(old), Document(new)
        written = Counter(line for hunk in _hunks(recorded) for line in _list_written(hunk))
        added = Counter(after.lines) - Counter(before.lines) - written
        return cls(
            change=change,
            before=before,
            after=after,
            added=added,
            removed=find_changes(before.lines, after.lines),
            recorded=recorded,
        )

    def shows(self, file: RecordedFile) -> bool:
        """Whether something that an entry did to a file is done here once more."""
        if self._makes(file) or self._removes(file) or self._changes_mode(file):
            return True
        if self.change.path not in (file.path, file.new_path) and not self._may_be_renamed(file):
            return False
        return any(self._writes(hunk) or self._cuts(hunk) for hunk in file.hunks)

    def _may_be_renamed(self, file: RecordedFile) -> bool:
        """Git carries a change along where a side has renamed the file."""
        return file.path is not None and file.new_path is not None

    def _makes(self, file: RecordedFile) -> bool:
        if self.change.old is not None or self.change.new is None or file.path == file.new_path:
            return False
        is_recorded = any(each.new_path == file.new_path != each.path for each in self.recorded)
        return self.change.path == file.new_path and not is_recorded

    def _removes(self, file: RecordedFile) -> bool:
        if self.change.old is None or self.change.new is not None or file.path == file.new_path:
            return False
        is_recorded = any(each.path == file.path != each.new_path for each in self.recorded)
        return self.change.path == file.path and not is_recorded

    def _changes_mode(self, file: RecordedFile) -> bool:
        if self.change.old is None or self.change.new is None or file.after is None:
            return False
        if file.before is None or file.before.mode == file.after.mode:
            return False
        is_turned = self.change.old.mode != self.change.new.mode == file.after.mode
        is_recorded = any(
            each.after and each.after.mode == file.after.mode for each in self.recorded
        )
        return self.change.path == file.new_path and is_turned and not is_recorded

    def _writes(self, hunk: RecordedHunk) -> bool:
        written = _list_written(hunk)
        telling = [line for line in written if _TELLING.search(line)] or written
        if not any(line in self.added for line in telling):
            return False
        block = b"".join(line + b"\n" for line in written)
        counts = [_count(block, each) for each in (self.before, self.after)]
        return not counts[0] >= counts[1] > 0

    def _cuts(self, hunk: RecordedHunk) -> bool:
        """Whether lines that an entry took away, and wrote nothing for, go once more."""
        if hunk.new_text or any(each.old_hash == hunk.old_hash for each in _hunks(self.recorded)):
            return False
        size = hunk.end_line - hunk.start_line + 1
        lines = self.before.lines
        return any(
            hash_lines(lines[at : at + size]) == hunk.old_hash
            for cut in self.removed
            for at in range(cut.old_start, cut.old_end - size + 1)
        )


def _hunks(files: Sequence[RecordedFile]) -> Iterator[RecordedHunk]:
    return (hunk for file in files for hunk in file.hunks)


def _list_written(hunk: RecordedHunk) -> Sequence[bytes]:
    return Document(encode_text(hunk.new_text)).lines


def _count(block: bytes, document: Document) -> int:
    """Count how often lines stand in a document, one after the other."""
    return b"".join((b"\n", *(line + b"\n" for line in document.lines))).count(b"\n" + block)


Stretch = tuple[int, int]
"""Lines `first..last` of the other side's file, counted from 1."""


def find_lost(file: Contested, result: File | None, known: Collection[bytes]) -> Iterator[Stretch]:
    """Find where the result has lost what the other side (`theirs`) wrote.

    That is the whole file where it is absent on a side, or no text. `known` are the lines that the
    merge's entries show.
    """
    if result == file.theirs:
        return
    theirs = file.theirs
    if theirs is None or not all(map(_is_text, (file.base, file.ours, theirs, result))):
        yield 1, 1 if theirs is None else max(Document(theirs.data).line_count, 1)
        return
    is_moded = file.base is None or theirs.mode == file.base.mode
    if result is not None and result.mode != theirs.mode and not is_moded:
        yield 1, 1
    sides = (file.base, file.ours, theirs, result)
    yield from _Lines(*(_lines(each) for each in sides)).find_lost_lines(Counter(known))


def _is_text(file: File | None) -> bool:
    if file is None:
        return True
    return file.mode in (REGULAR, EXECUTABLE) and not has_too_many_lines(file.data)


def _lines(file: File | None) -> Sequence[bytes]:
    return () if file is None else Document(file.data).lines


@dataclass(frozen=True, slots=True)
class _Lines:
    base: Sequence[bytes]
    ours: Sequence[bytes]
    theirs: Sequence[bytes]
    result: Sequence[bytes]

    def find_lost_lines(self, known: Counter[bytes]) -> Iterator[Stretch]:
        ours, resolution = find_changes(self.base, self.ours), find_changes(self.ours, self.result)
        cuts = find_changes(self.theirs, self.result)
        for change in find_changes(self.base, self.theirs):
            if any(self._loses(change, cut, ours, resolution, known) for cut in cuts):
                yield change.new_start + 1, max(change.new_end, change.new_start + 1)

    def _loses(
        self,
        change: LineChange,
        cut: LineChange,
        ours: Sequence[LineChange],
        resolution: Sequence[LineChange],
        known: Counter[bytes],
    ) -> bool:
        """Whether the result undoes a change of the other side here, and no edit says so."""
        if change.new_start == change.new_end:
            return self._restores(change, cut, resolution)
        first, end = max(change.new_start, cut.old_start), min(change.new_end, cut.old_end)
        if first >= end:
            return False
        if not Counter(self.theirs[first:end]) - known:
            return False
        is_shared = any(_touch(each, change.old_start, change.old_end) for each in ours)
        is_in_place = change.new_end - change.new_start <= change.old_end - change.old_start
        return not (
            is_shared and is_in_place and _is_resolved(resolution, *_opposite(cut, first, end))
        )

    def _restores(
        self, change: LineChange, cut: LineChange, resolution: Sequence[LineChange]
    ) -> bool:
        """Whether lines that the other side took away are there again, and no edit writes them."""
        if not cut.old_start <= change.new_start <= cut.old_end:
            return False
        gone = set(self.base[change.old_start : change.old_end])
        back = [at for at in range(cut.new_start, cut.new_end) if self.result[at] in gone]
        return any(not _is_resolved(resolution, at, at + 1) for at in back)


def _opposite(cut: LineChange, first: int, end: int) -> tuple[int, int]:
    """The lines of the result that stand for some lines of a stretch that differs."""
    if cut.old_end - cut.old_start != cut.new_end - cut.new_start:
        return cut.new_start, cut.new_end
    shift = cut.new_start - cut.old_start
    return first + shift, end + shift


def _touch(change: LineChange, start: int, end: int) -> bool:
    return change.old_start <= end and start <= change.old_end


def _is_resolved(resolution: Sequence[LineChange], start: int, end: int) -> bool:
    """Whether edits write all these lines; of no lines, whether they write or cut beside them."""
    if start == end:
        return any(each.new_start <= start <= each.new_end for each in resolution)
    return all(
        any(each.new_start <= at < each.new_end for each in resolution) for at in range(start, end)
    )


_APPLY_AGAIN = "Let hkgit apply the spec again: that makes a new entry."


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


def merge_findings(
    repository: Repository, judged: ReplayResult, landing: str | None, tip: str | None
) -> Iterator[Finding]:
    """Find what is wrong with a merge of two that passes by itself.

    `landing` is the commit that the ref has now, `tip` one that it comes to; None for what is not
    known.
    """
    if tip is not None:
        yield from find_returned(repository, judged, tip)
    if landing is None:
        return
    tip = tip or judged.candidate.parents[0]
    foreign = [*_foreign(repository, judged, landing, tip)]
    yield from foreign
    if judged.entries and not foreign:
        yield from _find_dropped(repository, judged, landing)


# What the ref's side had changed


def _find_dropped(repository: Repository, judged: ReplayResult, landing: str) -> Iterator[Finding]:
    """Find lines of the landing side that a merge drops and no entry accounts for.

    The first parent's file is accounted for by the entry; the other's, line by line.
    """
    first, second = judged.candidate.parents
    bases = repository.merge_bases(landing, second)
    if all(repository.is_ancestor(base, first) for base in bases):
        return
    files = repository.snapshot(judged.candidate.tree)
    for file in repository.find_contested_files((first, second)):
        known = [] if file.ours is None else _lines_accounted(judged, file.path, file.ours.data)
        for start, end in find_lost(file, files.get(file.path), known):
            what = f"drops what {second[:12]} has in lines {start}-{end}, but no edit says so"
            yield Finding.at("merge", file.path, what, _other_way(first, second))


def _other_way(first: str, second: str) -> str:
    merge = f"git checkout -b again {second[:12]} && hkgit apply --merge {first[:12]} SPEC"
    return f"Keep these lines, or merge the other way round: {merge}"


def _lines_accounted(judged: ReplayResult, path: str, ours: bytes) -> list[bytes]:
    """The lines that the entries of a merge take away from a file, or write in it at some time."""
    lines = Document(ours).lines
    hunks = [
        hunk
        for _, entry in judged.entries
        for file in entry.files
        if path in (file.path, file.new_path)
        for hunk in file.hunks
    ]
    shown = [line for hunk in hunks for line in lines[hunk.start_line - 1 : hunk.end_line]]
    written = (Document(encode_text(hunk.new_text)).lines for hunk in hunks)
    return [*shown, *(line for each in written for line in each)]


# Histories that have nothing of the ref's


def _foreign(
    repository: Repository, judged: ReplayResult, landing: str, tip: str
) -> Iterator[Finding]:
    """Files that the ref had, changed by a side that did not begin with them."""
    roots = _new_roots(repository, landing, tip)
    if not roots:
        return
    first, second = judged.candidate.parents
    bases = repository.merge_bases(first, second)
    strange = [base for base in bases if _is_strange(repository, base, roots, landing)]
    if bases and not strange:
        return
    sides = [repository.snapshot(base) for base in strange]
    for parent in (first, second):
        met = repository.merge_base(landing, parent)
        if met is None:
            continue
        had = [repository.snapshot(each) for each in (landing, met)]
        changes = repository.changes(repository.commit(parent).tree, judged.candidate.tree)
        for path in (each.path for each in changes if not each.path.startswith(f"{LEDGER}/")):
            is_had = any(files.entry(path) is not None for files in had)
            if is_had and (not bases or any(files.entry(path) is not None for files in sides)):
                yield _no_evidence(path)
        if not bases:
            added = [each.path for each in changes if each.old is None]
            yield from map(_no_evidence, _had_once(repository, landing, added))


def _is_strange(repository: Repository, base: str, roots: Sequence[str], landing: str) -> bool:
    """Whether a common ancestor has a beginning that is not the ref's, and not the ref itself."""
    is_new = any(repository.is_ancestor(root, base) for root in roots)
    return is_new and not repository.is_ancestor(landing, base)


def _no_evidence(path: str) -> Finding:
    what = "is changed by a history that is unrelated to this branch's, which has the file"
    fix = "Make the change with `hkgit apply` on the branch itself."
    return Finding.at("merge", path, what, fix)


@lru_cache(maxsize=4)
def _new_roots(repository: Repository, landing: str, tip: str) -> tuple[str, ...]:
    return repository.roots_between(landing, tip)


def _had_once(repository: Repository, landing: str, paths: Sequence[str]) -> Iterator[str]:
    """Some of these paths that the history of a commit had, and has no more."""
    plain = [path for path in paths if "\n" not in path and not path.startswith(f"{LEDGER}/")]
    if not plain:
        return
    asked = encode_text("\n".join([landing, "--", *plain, ""]))
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    listed = repository.git("rev-list", "-1", "--full-history", "--stdin", stdin=asked, env=literal)
    if not listed.text:
        return
    commit = repository.commit(listed.text)
    old = repository.commit(commit.parents[0]).tree if commit.parents else None
    touched = {each.path for each in repository.changes(old, commit.tree)}
    yield from [path for path in plain if path in touched] or plain[:1]

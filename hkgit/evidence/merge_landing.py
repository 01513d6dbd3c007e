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
2. A history that has nothing of the ref's does not come: it is evidence out of nothing.
3. What an entry did, and one side has undone since, does not come back from the other side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

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

Lines = Sequence[bytes]
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
    lines = [() if each is None else Document(each.data).lines for each in sides]
    yield from _find_lost_lines(*lines, known=Counter(known))


def _is_text(file: File | None) -> bool:
    if file is None:
        return True
    return file.mode in (REGULAR, EXECUTABLE) and not has_too_many_lines(file.data)


def _find_lost_lines(
    base: Lines, ours: Lines, theirs: Lines, result: Lines, *, known: Counter[bytes]
) -> Iterator[Stretch]:
    """Find the changes of the other side that the result undoes, and no edit says so."""
    conflicting, edits = find_changes(base, ours), find_changes(ours, result)
    cuts = find_changes(theirs, result)

    def is_written(start: int, end: int) -> bool:
        """Whether edits write all these lines; of no lines, whether they write or cut beside."""
        if start == end:
            return any(each.new_start <= start <= each.new_end for each in edits)
        lines = range(start, end)
        return all(any(each.new_start <= at < each.new_end for each in edits) for at in lines)

    def is_lost(change: LineChange, cut: LineChange) -> bool:
        if change.new_start == change.new_end:  # it took lines away: are they there again?
            gone = set(base[change.old_start : change.old_end])
            back = (at for at in range(cut.new_start, cut.new_end) if result[at] in gone)
            is_here = cut.old_start <= change.new_start <= cut.old_end
            return is_here and any(not is_written(at, at + 1) for at in back)
        first, end = max(change.new_start, cut.old_start), min(change.new_end, cut.old_end)
        if not Counter(theirs[first:end]) - known:
            return False
        start, shift = change.old_start, cut.new_start - cut.old_start
        is_shared = any(
            each.old_start <= change.old_end and start <= each.old_end for each in conflicting
        )
        is_in_place = change.new_end - change.new_start <= change.old_end - start
        is_even = cut.old_end - cut.old_start == cut.new_end - cut.new_start
        opposite = (first + shift, end + shift) if is_even else (cut.new_start, cut.new_end)
        return not (is_shared and is_in_place and is_written(*opposite))

    for change in find_changes(base, theirs):
        if any(is_lost(change, cut) for cut in cuts):
            yield change.new_start + 1, max(change.new_end, change.new_start + 1)


_APPLY_AGAIN = "Let hkgit apply the spec again: that makes a new entry."


def find_returned(repository: Repository, judged: ReplayResult, tip: str) -> Iterator[Finding]:
    """Find entries whose change comes from one side, though the other had and undid it."""
    first, second = judged.candidate.parents
    own = [file for _, entry in judged.entries for file in entry.files]
    removed = {
        first: _find_removed(repository, tip, first, second),
        second: _find_removed(repository, tip, second, first),
    }
    for ours, theirs in ((first, second), (second, first)):
        brought = removed[theirs] | _find_added(repository, theirs, ours)
        there = repository.snapshot(ours)
        known = [path for path in brought if path in removed[ours] or there.entry(path) is not None]
        if known:
            files = {path: _read_files(repository, record) for path, record in brought.items()}
            news = [file for path in files.keys() - {*known} for file in files[path]]
            shows = _compare_side(repository, ours, judged.candidate.tree, [*news, *own])
            for path in (path for path in known if any(map(shows, files[path]))):
                what = f"the history of {ours[:12]} had this entry already, and undid its change"
                yield Finding("reuse", path, what, _APPLY_AGAIN)


def _find_removed(repository: Repository, tip: str, side: str, other: str) -> dict[str, str]:
    """Find records that one side has removed and the other has not: paths and blobs."""
    is_ancestor = repository.is_ancestor
    return {
        path: record.id
        for path, commits in find_removals(repository, tip).items()
        for commit in commits
        if is_ancestor(commit, side) and not is_ancestor(commit, other)
        for parent in repository.commit(commit).parents
        if (record := repository.snapshot(parent).entry(path)) is not None
    }


def _find_added(repository: Repository, side: str, other: str) -> dict[str, str]:
    """Find records that a side gained since it left another one: paths and blobs."""
    bases = repository.merge_bases(side, other)
    trees: list[str | None] = [repository.commit(base).tree for base in bases]
    return {
        change.path: change.new.id
        for tree in trees or [None]
        for change in repository.changes(tree, repository.commit(side).tree)
        if change.old is None and change.new is not None and _is_record(change.path)
    }


def _is_record(path: str) -> bool:
    return path.startswith(f"{LEDGER}/")


def _read_files(repository: Repository, record: str) -> tuple[RecordedFile, ...]:
    """What a record says of files; what a prune has left says nothing."""
    try:
        return read_entry(repository.blob(record)).files
    except InvalidInput:
        return ()


def _compare_side(
    repository: Repository, ours: str, tree: str, news: Sequence[RecordedFile]
) -> Callable[[RecordedFile], bool]:
    """Compare a side with the merge: whether it does once more what an entry did to a file.

    What `news` say, which the side never had, does not count. What is gone with other files may be
    in a new one: git knows no renames.
    """
    changes = [
        each
        for each in repository.changes(repository.commit(ours).tree, tree)
        if not _is_record(each.path) and SUBMODULE not in _list_modes(each)
    ]
    acts = {*map(_describe_change, changes)} - {act for file in news for act in _list_acts(file)}
    gone = b"".join(repository.blob(each.old.id) for each in changes if each.old and not each.new)
    texts = [
        (
            each.path,
            Document(repository.blob(each.old.id) if each.old else gone),
            Document(repository.blob(each.new.id) if each.new else b""),
        )
        for each in changes
    ]
    written = {hunk.new_text for file in news for hunk in file.hunks}
    cut = {hunk.old_hash for file in news for hunk in file.hunks}

    def shows(file: RecordedFile) -> bool:
        names = (file.path, file.new_path)
        # Git carries the change of a file along where a side has renamed it.
        here = [each[1:] for each in texts if each[0] in names or None not in names]
        hunks = [h for h in file.hunks if (h.new_text or h.old_hash) not in (written | cut)]
        return not acts.isdisjoint(_list_acts(file)) or any(
            _shows_hunk(hunk, *each) for hunk in hunks for each in here
        )

    return shows


def _shows_hunk(hunk: RecordedHunk, before: Document, after: Document) -> bool:
    """Whether more of what a hunk wrote is in a file, or what it took away is gone."""
    if hunk.new_text:
        block = Document(encode_text(hunk.new_text)).lines
        return _count(block, after) > _count(block, before)
    size = hunk.end_line - hunk.start_line + 1
    return any(
        hash_lines(before.lines[at : at + size]) == hunk.old_hash
        for change in find_changes(before.lines, after.lines)
        for at in range(change.old_start, change.old_end - size + 1)
    )


def _count(block: Lines, document: Document) -> int:
    """Count how often lines are in a document, one after the other."""
    text = b"".join((b"\n", *(line + b"\n" for line in document.lines)))
    return text.count(b"".join((b"\n", *(line + b"\n" for line in block))))


Act = tuple[str | None, str]
"""A path, and whether it is made, or gone, or the mode that it gets."""


def _list_acts(file: RecordedFile) -> Iterator[Act]:
    if file.path != file.new_path:
        yield file.path, "gone"
        yield file.new_path, "made"
    if file.before and file.after and file.before.mode != file.after.mode:
        yield file.new_path, f"{file.after.mode:o}"


def _describe_change(change: TreeChange) -> Act:
    if change.old is None or change.new is None:
        return change.path, "made" if change.old is None else "gone"
    return change.path, f"{change.new.mode:o}" if change.new.mode != change.old.mode else ""


def _list_modes(change: TreeChange) -> list[int]:
    return [side.mode for side in (change.old, change.new) if side is not None]


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
    first, second = judged.candidate.parents
    if not repository.merge_bases(first, second):
        what = "joins this branch and a history that began without it"
        fix = "Make the change with `hkgit apply` on the branch itself."
        yield Finding("merge", "commit", what, fix)
    elif judged.entries:
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
    with repository.merge((first, second)) as merged:
        contested = [*merged.read_contested()]
    for file in contested:
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

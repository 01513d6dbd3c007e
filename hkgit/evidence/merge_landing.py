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
from collections.abc import Callable, Iterator, Sequence

from hkgit.edits import EXECUTABLE, REGULAR, SUBMODULE, File, encode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import LEDGER, RecordedFile, RecordedHunk, is_record, read_entry
from hkgit.evidence.verdict import Finding, ReplayResult
from hkgit.git.clean_merge import Contested
from hkgit.git.objects import TreeEntry
from hkgit.git.repository import Repository
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, has_too_many_lines, hash_lines, terminate
from hkgit.values import replace


def merge_findings(
    repository: Repository, judged: ReplayResult, landing: str | None
) -> Iterator[Finding]:
    """Find what is wrong with a merge of two that passes by itself.

    `landing` is the commit that the ref has now, None where that is not known.
    """
    if judged.candidate.id is not None:
        yield from _find_returned(repository, judged)
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
    turned = f"git checkout -b again {second[:12]} && hkgit apply --merge {first[:12]} SPEC"
    fix = f"Keep these lines, or merge the other way round: {turned}"
    for file in contested:
        for start, end in _find_lost(file, files.get(file.path)):
            what = f"drops what {second[:12]} has in lines {start}-{end}, but no edit says so"
            yield replace(Finding.at("merge", file.path, what, fix), mend=turned)


def _find_lost(file: Contested, result: File | None) -> Iterator[tuple[int, int]]:
    """Find the lines of the other side (`theirs`) that the result has lost.

    That is the whole file where it is absent on a side, or no text.
    """
    theirs, sides = file.theirs, (file.base, file.ours, file.theirs, result)
    if result == theirs:
        return
    if theirs is None or not all(map(_is_text, sides)):
        yield 1, 1 if theirs is None else max(Document(theirs.data).line_count, 1)
        return
    is_moded = file.base is None or theirs.mode == file.base.mode
    if result is not None and result.mode != theirs.mode and not is_moded:
        yield 1, 1
    lines = [() if each is None else Document(each.data).lines for each in sides]
    yield from _find_lost_lines(*lines)


def _is_text(file: File | None) -> bool:
    if file is None:
        return True
    return file.mode in (REGULAR, EXECUTABLE) and not has_too_many_lines(file.data)


def _find_lost_lines(
    base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes], result: Sequence[bytes]
) -> Iterator[tuple[int, int]]:
    """Find the changes of the other side that the result undoes, and no edit says so."""
    conflicting, edits = find_changes(base, ours), find_changes(ours, result)
    cuts, missing = find_changes(theirs, result), Counter(theirs) - Counter(result)

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
        if missing.keys().isdisjoint(theirs[first:end]):  # or they are elsewhere now
            return False
        is_shared = any(
            each.old_start <= change.old_end and change.old_start <= each.old_end
            for each in conflicting
        )
        is_in_place = change.new_end - change.new_start <= change.old_end - change.old_start
        return not (is_shared and is_in_place and is_written(cut.new_start, cut.new_end))

    for change in find_changes(base, theirs):
        if any(is_lost(change, cut) for cut in cuts):
            yield change.new_start + 1, max(change.new_end, change.new_start + 1)


# What one side has undone


def _find_returned(repository: Repository, judged: ReplayResult) -> Iterator[Finding]:
    """Find entries whose change comes from one side, though the other had and undid it."""
    first, second = judged.candidate.parents
    own = judged.files
    had = {
        first: _list_records(repository, first, second),
        second: _list_records(repository, second, first),
    }
    for ours, theirs in ((first, second), (second, first)):
        there, brought = repository.snapshot(ours), had[theirs]
        known = [path for path in brought if path in had[ours] or there.entry(path) is not None]
        if known:
            files = {path: _read_files(repository, record) for path, record in brought.items()}
            news = [file for path in files.keys() - {*known} for file in files[path]]
            does_again = _compare_side(repository, ours, judged.candidate.tree, [*news, *own])
            for path in (path for path in known if any(map(does_again, files[path]))):
                what = f"the history of {ours[:12]} had this entry already, and undid its change"
                fix = "Let hkgit apply the spec again: that makes a new entry."
                yield Finding("reuse", path, what, fix)


def _list_records(repository: Repository, side: str, other: str) -> dict[str, str]:
    """List the records that a side has added or removed and the other has not: paths and blobs."""
    options = ("--no-renames", "--no-ext-diff", "--full-history", "-m", "--diff-filter=AD")
    place = (f"{other}..{side}", "--", f":(top){LEDGER}")
    listed = repository.git("log", "--format=", "--raw", "--no-abbrev", "-z", *options, *place)
    words = iter(listed.words)
    found = ((path, status.split()) for status, path in zip(words, words, strict=False))
    return {path: new if kind == "A" else old for path, (_, _, old, new, kind) in found}


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

    What `news` say, which the side never had, does not count. All files are one text here: git
    carries the change of a file along where a side has renamed it.
    """
    changes = [
        each
        for each in repository.changes(repository.commit(ours).tree, tree)
        if not is_record(each.path) and SUBMODULE not in (_mode(each.old), _mode(each.new))
    ]
    acts = {(each.path, _mode(each.new)) for each in changes if _mode(each.old) != _mode(each.new)}
    acts -= {act for file in news for act in _list_acts(file)}
    before = _join(repository, (each.old for each in changes))
    after = _join(repository, (each.new for each in changes))
    written = {hunk.new_text for file in news for hunk in file.hunks}
    cut = {hunk.old_hash for file in news for hunk in file.hunks}

    def does_again(file: RecordedFile) -> bool:
        hunks = [h for h in file.hunks if (h.new_text or h.old_hash) not in (written | cut)]
        return not acts.isdisjoint(_list_acts(file)) or any(
            _shows_hunk(hunk, before, after) for hunk in hunks
        )

    return does_again


def _join(repository: Repository, sides: Iterator[TreeEntry | None]) -> Document:
    """Join the text of some files."""
    found = (Document(repository.blob(side.id)) for side in sides if side is not None)
    return Document(b"".join(terminate(each).data for each in found))


def _shows_hunk(hunk: RecordedHunk, before: Document, after: Document) -> bool:
    """Whether there is more of what a hunk wrote, or what it took away is gone."""
    if hunk.new_text:
        block = Document(encode_text(hunk.new_text)).lines
        return _count(block, after) > _count(block, before)
    size = hunk.end_line - hunk.start_line + 1
    return any(
        hash_lines(before.lines[at : at + size]) == hunk.old_hash
        for change in find_changes(before.lines, after.lines)
        for at in range(change.old_start, change.old_end - size + 1)
    )


def _count(block: Sequence[bytes], document: Document) -> int:
    """Count how often lines are in a document, one after the other."""
    text = b"".join((b"\n", *(line + b"\n" for line in document.lines)))
    return text.count(b"".join((b"\n", *(line + b"\n" for line in block))))


def _list_acts(file: RecordedFile) -> set[tuple[str, int | None]]:
    """List what an entry does to whole files: each path, and its new mode where one is made."""
    leaves = {(path, None if mark is None else mark.mode) for path, mark in file.leaves}
    return leaves - {(path, None if mark is None else mark.mode) for path, mark in file.needs}


def _mode(side: TreeEntry | None) -> int | None:
    return None if side is None else side.mode

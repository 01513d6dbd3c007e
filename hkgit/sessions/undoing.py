"""undoing.py: takes changes back, and leaves alone what came after them.

Where a file is still as a change left it, it becomes what it was before. Where somebody went on
working in it, the lines of the change are put back in the file as it is now: a three-way merge of
lines, whose base is what the change left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hkgit.document import Document, terminated, unterminated
from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import Conflict
from hkgit.matching.diff import Change as Stretch
from hkgit.matching.diff import changes
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.records import Change, Version

_FIX = "Change it back by hand, or undo what came after it first."


def undone(
    done: Iterable[Change], files: Snapshot, blobs: Blobs
) -> dict[str, File | None]:
    """The files that become others when changes are taken back, the last one first.

    Raises Conflict where later work is in the way.
    """
    now: dict[str, File | None] = {}
    for change in reversed([*done]):
        now |= _reversed(change, Overlay(files, now), blobs)
    return {path: file for path, file in now.items() if files.get(path) != file}


def reversals_of(files: Snapshot, changed: Mapping[str, File | None]) -> Iterator[Change]:
    """Files that become others, as changes path by path."""
    for path, file in changed.items():
        before, after = Version.of(files.get(path)), Version.of(file)
        yield Change(path if before is not None else None, path if after is not None else None,
                     before, after)  # fmt: skip


def _reversed(change: Change, files: Snapshot, blobs: Blobs) -> dict[str, File | None]:
    before, after = _file(change.before, blobs), _file(change.after, blobs)
    if change.new_path is None:
        return _restored(change.path or "", before, files)
    present = files.get(change.new_path)
    if change.path is None:
        if present is not None and present != after:
            raise Conflict(change.new_path, "was changed after it was made", _FIX)
        return {change.new_path: None}
    if present is None or before is None or after is None:
        raise Conflict(change.new_path, "is gone, or was never kept", _FIX)
    file = _merged(change.new_path, before, after, present)
    if change.path == change.new_path:
        return {change.path: file}
    return {change.new_path: None, **_restored(change.path, file, files)}


def _restored(path: str, file: File | None, files: Snapshot) -> dict[str, File | None]:
    """A file put where there was one. Raises Conflict when another has taken the place."""
    if files.get(path) is not None:
        raise Conflict(path, "was made anew after it was removed", _FIX)
    return {path: file}


def _file(version: Version | None, blobs: Blobs) -> File | None:
    data = None if version is None else blobs.get(version.sha256)
    return None if version is None or data is None else File(data, version.mode)


def _merged(path: str, before: File, after: File, present: File) -> File:
    """The present file without what led from `before` to `after`."""
    mode = before.mode if present.mode == after.mode else present.mode
    if present.data == after.data:
        return File(before.data, mode)
    if before.data == after.data:
        return File(present.data, mode)
    data = merged(path, after.data, before.data, present.data)
    return File(data, mode)


def merged(path: str, base: bytes, wanted: bytes, present: bytes) -> bytes:
    """What led from `base` to `wanted`, made in `present`, by lines. Raises Conflict."""
    old, new, here = (terminated(Document(data)) for data in (base, wanted, present))
    theirs = changes(old.raw_lines, new.raw_lines)
    ours = changes(old.raw_lines, here.raw_lines)
    lines = list(here.raw_lines)
    for change in reversed(theirs):
        start, end = _place(path, change, ours)
        lines[start:end] = new.raw_lines[change.new_start : change.new_end]
    data = b"".join(lines)
    was_terminated = Document(wanted if _ends(base) == _ends(present) else present).is_terminated
    return data if was_terminated else unterminated(data)


def _ends(data: bytes) -> bool:
    return Document(data).is_terminated


def _place(path: str, change: Stretch, ours: Iterable[Stretch]) -> tuple[int, int]:
    """Where the lines of the base that a change names are now. Raises Conflict."""
    shift = 0
    for other in ours:
        is_point = other.old_start == other.old_end == change.old_start == change.old_end
        if is_point or (other.old_start < change.old_end and change.old_start < other.old_end):
            where = f"{path}:{other.new_start + 1}"
            raise Conflict(where, "these lines were changed again", _FIX)
        if other.old_start >= change.old_end:
            break
        shift = other.new_end - other.old_end
    return change.old_start + shift, change.old_end + shift

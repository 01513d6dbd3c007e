"""Write the diff of a file as git does, from known changes instead of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from hkgit.applying.hunk import Hunk, make_hunks, map_lines
from hkgit.applying.outcome import FileChange
from hkgit.edits import File, decode_text
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, split_raw, terminate
from hkgit.text.paths import quote_path

CONTEXT = 3


def render_diff(change: FileChange, first_line: int = 1, context: int = CONTEXT) -> str:
    """Render a diff of one file that `git apply` takes; empty where nothing changed.

    Where the change is that of a part of a file, `first_line` says where the part begins. With
    less `context` there are fewer lines around each change, but one beside lines that are put in.
    """
    files = (change.before, change.after)
    old, new = (split_raw(b"" if file is None else file.data) for file in files)
    changes = _changes(old, new, change.hunks)
    head = list(_headers(change))
    if not head and not changes:
        return ""
    body = [*_sides(change), *_hunks(old, new, changes, first_line, context)] if changes else []
    old_path, new_path = change.path or change.new_path, change.new_path or change.path
    title = f"diff --git {quote_path(f'a/{old_path}')} {quote_path(f'b/{new_path}')}"
    return "".join(f"{line}\n" for line in [title, *head, *body])


def compare_files(
    before: Callable[[str], File | None], after: Callable[[str], File | None], paths: Iterable[str]
) -> tuple[FileChange, ...]:
    """Compare two versions of some files line by line; those that are the same are left out."""
    versions = ((path, before(path), after(path)) for path in paths)
    return tuple(
        compare(None if old is None else path, old, None if new is None else path, new)
        for path, old, new in versions
        if old != new
    )


def compare(
    path: str | None, before: File | None, new_path: str | None, after: File | None
) -> FileChange:
    """Compare two versions of a file line by line; all of it is the change of one edit."""
    old, new = (terminate(Document.of(file)).raw_lines for file in (before, after))
    hunks = tuple(make_hunks(find_changes(old, new), new))
    return FileChange(path=path, new_path=new_path, before=before, after=after, hunks=hunks)


def _headers(change: FileChange) -> Iterator[str]:
    """What git says of a file beside its lines."""
    if change.before is None and change.after is not None:
        yield f"new file mode {change.after.mode:06o}"
    elif change.before is not None and change.after is None:
        yield f"deleted file mode {change.before.mode:06o}"
    elif change.before is not None and change.after is not None:
        if change.before.mode != change.after.mode:
            yield f"old mode {change.before.mode:06o}"
            yield f"new mode {change.after.mode:06o}"
        if change.path != change.new_path:
            yield f"rename from {quote_path(change.path or '')}"
            yield f"rename to {quote_path(change.new_path or '')}"


def _sides(change: FileChange) -> Iterator[str]:
    for mark, prefix, path in (("---", "a", change.path), ("+++", "b", change.new_path)):
        name = "/dev/null" if path is None else quote_path(f"{prefix}/{path}")
        # A time follows a tab, which is what git makes of a space in a name otherwise.
        yield f"{mark} {name}" + ("\t" if " " in name else "")


def _changes(old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[Hunk]) -> list[LineChange]:
    """The hunks by index, and what a byte order mark or a last line without end adds to them."""
    changes = [*map_lines(hunks).changes]
    shift = changes[-1].new_end - changes[-1].old_end if changes else 0
    if len(new) - len(old) != shift:  # a file of nothing but a byte order mark has no lines
        return [LineChange(0, len(old), 0, len(new))]
    kept = _find_kept_runs(changes, len(old), len(new))
    for i, j in dict.fromkeys([*kept[:1], *kept[-1:]]):
        if old[i] != new[j]:
            changes.append(LineChange(i, i + 1, j, j + 1))
    return _join_changes(sorted(changes, key=lambda each: (each.old_start, each.new_start)))


def _find_kept_runs(
    changes: Sequence[LineChange], old_count: int, new_count: int
) -> list[tuple[int, int]]:
    """Find the first and the last line, by index in either file, that no change replaces."""
    found = []
    borders = [
        LineChange(0, 0, 0, 0),
        *changes,
        LineChange(old_count, old_count, new_count, new_count),
    ]
    for above, below in pairwise(borders):
        if above.old_end < below.old_start:
            found += [(above.old_end, above.new_end), (below.old_start - 1, below.new_start - 1)]
    return found


def _join_changes(changes: Sequence[LineChange]) -> list[LineChange]:
    """Changes with nothing between them as one."""
    joined: list[LineChange] = []
    for change in changes:
        if joined and joined[-1].old_end == change.old_start:
            last = joined.pop()
            change = LineChange(last.old_start, change.old_end, last.new_start, change.new_end)
        joined.append(change)
    return joined


def _hunks(
    old: Sequence[bytes],
    new: Sequence[bytes],
    changes: Sequence[LineChange],
    first_line: int,
    context: int,
) -> Iterator[str]:
    for group in _group_changes(changes, context):
        first, last = group[0], group[-1]
        is_bare = not context and first.old_start == last.old_end
        above = min(max(context, is_bare), first.old_start)
        below = min(max(context, is_bare and not above), len(old) - last.old_end)
        old_range = _range(first.old_start - above, last.old_end + below, first_line)
        new_range = _range(first.new_start - above, last.new_end + below, first_line)
        yield f"@@ -{old_range} +{new_range} @@"
        at = first.old_start - above
        for change in group:
            yield from _render_group(" ", old[at : change.old_start])
            yield from _render_group("-", old[change.old_start : change.old_end])
            yield from _render_group("+", new[change.new_start : change.new_end])
            at = change.old_end
        yield from _render_group(" ", old[at : at + below])


def _group_changes(changes: Sequence[LineChange], context: int) -> list[list[LineChange]]:
    """Changes whose contexts meet are shown together."""
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change.old_start - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _range(start: int, end: int, first_line: int) -> str:
    return f"{start + first_line if end > start else start + first_line - 1},{end - start}"


def _render_group(sign: str, lines: Sequence[bytes]) -> Iterator[str]:
    for raw in lines:
        yield sign + decode_text(raw.removesuffix(b"\n"))
        if not raw.endswith(b"\n"):
            yield "\\ No newline at end of file"

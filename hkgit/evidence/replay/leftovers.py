"""leftovers.py: find where a commit's tree differs from what its entries make of the parent's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from hkgit.edits import File
from hkgit.evidence.replay.findings import Finding, Leftover
from hkgit.git.objects.trees import TreeChange, TreeEntry
from hkgit.text.diff import find_changes
from hkgit.text.document import Document, has_too_many_lines, split_raw
from hkgit.values import replace

_BY_HKGIT = "Commit it by itself, not with the entries of others; an agent's with `hkgit apply`."
_UNCHANGED = "Commit what hkgit applied, unchanged, and what is by hand in a commit of its own."


def find_leftovers(
    read_blob: Callable[[str], bytes],
    actual: Sequence[TreeChange],
    derived: Mapping[str, File | None],
) -> tuple[Leftover, ...]:
    """Compare what the commit changes with what its entries change, path by path."""
    changed = {change.path: change for change in actual}
    found = (
        _leftover(read_blob, path, changed.get(path), derived)
        for path in sorted(changed.keys() | derived.keys())
    )
    return tuple(each for each in found if each is not None)


def _leftover(
    read_blob: Callable[[str], bytes],
    path: str,
    change: TreeChange | None,
    derived: Mapping[str, File | None],
) -> Leftover | None:
    if path not in derived:
        what = "the commit changes this file, and no entry accounts for it"
        return Leftover(
            path, Finding(rule="bytes", where=path, what=what, fix=_BY_HKGIT, path=path)
        )
    if change is None:
        what = "an entry changes this file, and the commit does not"
        fix = "Commit what hkgit applied, unchanged."
        return Leftover(path, Finding(rule="bytes", where=path, what=what, fix=fix, path=path))
    return _compare_file(read_blob, path, change.new, derived[path])


def _compare_file(
    read_blob: Callable[[str], bytes], path: str, actual: TreeEntry | None, derived: File | None
) -> Leftover | None:
    """Compare a file of the commit with what its entries make; None where both are the same."""
    if actual is None or derived is None:
        if actual is None and derived is None:
            return None
        what = "it is there" if actual is not None else "it is gone"
        return Leftover(path, _find("bytes", path, f"{what}, against its entry"))
    if actual.mode != derived.mode:
        what = f"mode {actual.mode:06o}, its entry makes {derived.mode:06o}"
        return Leftover(path, _find("mode", path, what))
    data = read_blob(actual.id)
    if data == derived.data:
        return None
    finding = _find("bytes", path, "bytes that no entry accounts for")
    if has_too_many_lines(data):
        return Leftover(path, finding)
    line = _first_difference(derived.data, data)
    finding = replace(finding, where=f"{path}:{line}", start_line=line, end_line=line)
    return Leftover(path, finding, _lines(derived.data, data))


def _find(rule: str, path: str, what: str) -> Finding:
    return Finding(rule=rule, where=path, what=what, fix=_UNCHANGED, path=path)


def _first_difference(left: bytes, right: bytes) -> int:
    """The number of the first line in which two files differ."""
    pairs = zip_longest(split_raw(left), split_raw(right))
    return next(number for number, (a, b) in enumerate(pairs, 1) if a != b)


def _lines(derived: bytes, actual: bytes) -> tuple[tuple[int, int], ...]:
    """The lines of a file that its entries do not make; the empty range where some are missing."""
    stretches = find_changes(Document(derived).lines, Document(actual).lines)
    return tuple((each.new_start + 1, each.new_end) for each in stretches)

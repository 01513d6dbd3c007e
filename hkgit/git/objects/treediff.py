"""treediff.py: what differs between two trees, read from their bytes.

The trees of two commits in a row share nearly all of their bytes, so only what stands between the
common beginning and the common end is taken apart. The rest was found well-formed when it was
read first, and stays so: what a tree must be is said in `trees`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from hkgit.edits import decode_text
from hkgit.git.objects.ids import is_empty_tree
from hkgit.git.objects.trees import MODES, Difference, TreeEntry, parse_tree
from hkgit.values import dataclass

_ENTRY = {
    size: re.compile(rb"(%s) ([^\0/]+)\0(.{%d})" % (MODES, size // 2), re.DOTALL)
    for size in (40, 64)
}
"""An entry of a tree, by the number of digits of its id."""

_DIRECTORY = b"40000"


@dataclass(frozen=True, slots=True)
class _RawTree:
    """The bytes of a well-formed tree; where each entry begins, and last where they end."""

    data: bytes
    starts: Sequence[int]


_NONE = _RawTree(b"", [0])


@dataclass(frozen=True)
class TreeDiffer:
    """Compares trees by id. Reading raises Unverifiable, also for what git would not write."""

    read: Callable[[str], bytes]

    def find_differing(self, old: str | None, new: str | None) -> Iterator[Difference]:
        """Find every name that is not the same in two trees, in no order."""
        before = self._tree(old)
        data = self._data(new)
        first, last, end = _find_shared(before, data)
        start = before.starts[first]
        if new is not None and new not in self._known and data:
            self._keep(new, _check_tree(new, data, before, first, last, end))
        pattern = _ENTRY[64 if 64 in (len(old or ""), len(new or "")) else 40]
        left = _entries(pattern, before.data[start : before.starts[last]])
        right = _entries(pattern, data[start:end])
        for name in left.keys() | right.keys():
            if left.get(name) != right.get(name):
                yield decode_text(name), _entry(left.get(name)), _entry(right.get(name))

    def _tree(self, tree_id: str | None) -> _RawTree:
        data = self._data(tree_id)
        if tree_id is None or not data:
            return _NONE
        if tree_id not in self._known:
            self._keep(tree_id, _check_tree(tree_id, data, _NONE, 0, 0, len(data)))
        return self._known[tree_id]

    def _data(self, tree_id: str | None) -> bytes:
        if tree_id is None or is_empty_tree(tree_id):
            return b""
        known = self._known.get(tree_id)
        return self.read(tree_id) if known is None else known.data

    def _keep(self, tree_id: str, tree: _RawTree) -> None:
        if len(self._known) >= KEPT:
            self._known.popitem(last=False)
        self._known[tree_id] = tree

    @cached_property
    def _known(self) -> OrderedDict[str, _RawTree]:
        """The trees that were read lately."""
        return OrderedDict()


KEPT = 1024
"""So many trees are kept: two commits in a row need those of their own paths."""


def _check_tree(
    tree_id: str, data: bytes, like: _RawTree, first: int, last: int, end: int
) -> _RawTree:
    """A tree, of which only what it does not share with a well-formed one need be looked at."""
    start, shift = like.starts[first], end - like.starts[last]
    if last - first == 1 and shift == 0 and _same_but_id(tree_id, data, like.data, start, end):
        return _RawTree(data, like.starts)
    pattern = _ENTRY[len(tree_id)]
    found = list(pattern.finditer(data, start, end))
    starts = [start, *(each.end() for each in found)]
    is_whole = starts == [*(each.start() for each in found), end]
    above, below = like.starts[max(first - 1, 0) : first], like.starts[last:-1][:1]
    around = (pattern.match(like.data, at) for at in (*above, *below))
    keys = sorted(_key(each) for each in around if each is not None)
    keys[len(above) : len(above)] = map(_key, found)
    is_sorted = all(a < b for a, b in pairwise(keys))
    if not is_whole or not is_sorted or any(_may_be_twice(data, each[2]) for each in found):
        parse_tree(tree_id, data)  # says what is wrong, if anything is
    after = [at + shift for at in like.starts[last + 1 :]]
    return _RawTree(data, [*like.starts[:first], *starts, *after])


def _same_but_id(tree_id: str, data: bytes, like: bytes, start: int, end: int) -> bool:
    """Whether all that is new is the id of an entry: what most commits do to most trees."""
    named = end - len(tree_id) // 2
    return data[start:named] == like[start:named]


def _may_be_twice(data: bytes, name: bytes) -> bool:
    """Whether a name may stand there again: as a directory it is sorted elsewhere."""
    return data.count(b" %s\0" % name) > 1


def _key(entry: re.Match[bytes]) -> bytes:
    """What trees are sorted by."""
    return entry[2] + b"/" if entry[1] == _DIRECTORY else entry[2]


def _find_shared(old: _RawTree, data: bytes) -> tuple[int, int, int]:
    """Find the entries `first:last` that two trees may not share, and where theirs end."""
    starts, count = old.starts, len(old.starts) - 1
    ahead = range(count)
    first = bisect_left(ahead, x=True, key=lambda i: not data.startswith(old.data[: starts[i + 1]]))
    rest = data[starts[first] :]
    behind = range(first, count)
    last = first + bisect_left(behind, x=True, key=lambda i: rest.endswith(old.data[starts[i] :]))
    return first, last, len(data) - (starts[count] - starts[last])


def _entries(pattern: re.Pattern[bytes], data: bytes) -> Mapping[bytes, tuple[bytes, bytes]]:
    return {name: (mode, object_id) for mode, name, object_id in pattern.findall(data)}


def _entry(found: tuple[bytes, bytes] | None) -> TreeEntry | None:
    return None if found is None else TreeEntry(int(found[0], 8), found[1].hex())

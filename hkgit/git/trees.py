"""trees.py: git's tree objects as values, and what differs between two of them.

The format is that of git's `tree.c`: for each entry an octal mode, a blank, a name, NUL and the
20 bytes of an id, sorted as if the names of directories ended in `/`. Reading is strict: an
object that git would not write itself (a name twice, out of order, a mode with leading zeros)
could show one reader what it hides from another, so it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hkgit.edits import DIRECTORY, decoded, encoded
from hkgit.errors import Unverifiable

_ENTRY = re.compile(rb"([1-7][0-7]{4,5}) ([^\0/]+)\0(.{20})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name in a tree: its mode, and the id of a blob, tree or submodule's commit."""

    mode: int
    id: str


@dataclass(frozen=True, slots=True)
class TreeChange:
    """What became of one path; None where it is absent."""

    path: str
    old: TreeEntry | None
    new: TreeEntry | None


Tree = Mapping[str, TreeEntry]
ReadTree = Callable[[str], Tree]


def parse_tree(tree_id: str, data: bytes) -> dict[str, TreeEntry]:
    """The entries of a tree object; raises Unverifiable when git would not have written it."""
    tree = {
        decoded(name): TreeEntry(int(mode, 8), entry_id.hex())
        for mode, name, entry_id in _ENTRY.findall(data)
    }
    if format_tree(tree) != data:
        raise Unverifiable(f"tree {tree_id}", "is malformed", "Look at it with git fsck.")
    return tree


def format_tree(tree: Tree) -> bytes:
    """The bytes of a tree object; the inverse of `parse_tree`."""
    named = [(encoded(name), entry) for name, entry in tree.items()]
    named.sort(key=lambda item: item[0] + b"/" if item[1].mode == DIRECTORY else item[0])
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in named
    )


def compare(
    old: str | None, new: str | None, read: ReadTree, under: str = ""
) -> Iterator[TreeChange]:
    """Every path that differs, in order; equal subtrees are never read."""
    if old == new:
        return
    before = read(old) if old is not None else {}
    after = read(new) if new is not None else {}
    differing = {name for name, _ in before.items() ^ after.items()}
    for name in sorted(differing, key=encoded):
        yield from _compare_entry(under + name, before.get(name), after.get(name), read)


def _compare_entry(
    path: str, old: TreeEntry | None, new: TreeEntry | None, read: ReadTree
) -> Iterator[TreeChange]:
    """A directory stands for the files in it, also where it took a file's name."""
    old_file, old_tree = _sides(old)
    new_file, new_tree = _sides(new)
    if old_file != new_file:
        yield TreeChange(path, old_file, new_file)
    yield from compare(old_tree, new_tree, read, path + "/")


def _sides(entry: TreeEntry | None) -> tuple[TreeEntry | None, str | None]:
    """An entry as a file, or as the id of a tree."""
    if entry is not None and entry.mode == DIRECTORY:
        return None, entry.id
    return entry, None


def walk(tree_id: str, read: ReadTree, under: str = "") -> Iterator[tuple[str, TreeEntry]]:
    """Every path that is not a directory, with its entry."""
    for name, entry in read(tree_id).items():
        if entry.mode == DIRECTORY:
            yield from walk(entry.id, read, under + name + "/")
        else:
            yield under + name, entry

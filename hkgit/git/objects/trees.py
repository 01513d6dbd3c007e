"""trees.py: git's tree objects as values, and what differs between two of them.

The format is that of git's `tree.c`: for each entry an octal mode, a blank, a name, NUL and the
bytes of an id (20, or 32 where a repository counts in SHA-256), sorted as if the names of
directories ended in `/`. Reading is strict: an object that git would not write itself (a name
twice, out of order, a mode with leading zeros) could show one reader what it hides from another,
so it is refused.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, decode_text, encode_text
from hkgit.errors import Unverifiable
from hkgit.git.objects.ids import is_empty_tree
from hkgit.text.paths import LONGEST_PATH, quote_path
from hkgit.values import dataclass

MODES = rb"40000|100[0-7]{3}|120000|160000"
"""Of files old gits wrote any permissions. A directory under another mode than git's is one to
git, and would be none here."""

_ENTRIES = {
    2 * size: re.compile(rb"(%s) ([^\0/]+)\0(.{%d})" % (MODES, size), re.DOTALL)
    for size in (20, 32)
}
"""What an entry looks like, by the number of hex digits of ids."""


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


LARGEST = 1_000_000
"""Names that one comparison may meet: ten trees that hold each other ten times have 10**10."""
_BOMB = "Look at it with git ls-tree: it may be made to exhaust whoever reads it."

Tree = Mapping[str, TreeEntry]
ReadTree = Callable[[str], Tree]
Difference = tuple[str, TreeEntry | None, TreeEntry | None]
"""A name, and what stands there before and after."""
Differing = Callable[[str | None, str | None], Iterator[Difference]]
"""The names that are not the same in two trees."""


def parse_tree(tree_id: str, data: bytes) -> dict[str, TreeEntry]:
    """Parse a tree object. Raises Unverifiable when git would not have written it."""
    tree = {
        decode_text(name): TreeEntry(int(mode, 8), entry_id.hex())
        for mode, name, entry_id in _ENTRIES[len(tree_id)].findall(data)
    }
    if format_tree(tree) != data:
        raise Unverifiable(f"tree {tree_id}", "is malformed", "Look at it with git fsck.")
    return tree


def format_tree(tree: Tree) -> bytes:
    """Write the bytes of a tree object; the inverse of `parse_tree`."""
    named = [(encode_text(name), entry) for name, entry in tree.items()]
    named.sort(key=lambda item: item[0] + b"/" if item[1].mode == DIRECTORY else item[0])
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in named
    )


def canonicalise(entry: TreeEntry | None) -> TreeEntry | None:
    """Give an entry the mode that git's `canon_mode` reads: old repositories have 100664."""
    if entry is None or not stat.S_ISREG(entry.mode):
        return entry
    mode = EXECUTABLE if entry.mode & stat.S_IXUSR else REGULAR
    return entry if entry.mode == mode else TreeEntry(mode, entry.id)


def compare_trees(old: str | None, new: str | None, differing: Differing) -> Iterator[TreeChange]:
    """Yield every path that differs, in no order; equal subtrees are never read.

    A directory that comes to hold nothing is told as well: git writes none, so somebody did. Old
    modes are told as git reads them, so a directory that git writes anew differs in none of them.
    """
    pending = [("", old, new)]
    seen = 0
    while pending:
        under, old, new = pending.pop()
        for name, before, after in differing(old, new):
            seen += 1
            if seen > LARGEST:
                raise Unverifiable("tree", f"differs in more than {LARGEST} names", _BOMB)
            old_file, old_tree = _sides(canonicalise(before))
            new_file, new_tree = _sides(after)
            if new_tree is not None and is_empty_tree(new_tree):
                new_file, new_tree = after, None
            if old_file != new_file:
                yield TreeChange(under + name, old_file, new_file)
            if old_tree != new_tree:
                pending.append((_inside(under, name), old_tree, new_tree))


def walk_tree(tree_id: str, read: ReadTree) -> Iterator[tuple[str, TreeEntry]]:
    """Yield every path that is not a directory, with its entry, in no order."""
    for change in compare_trees(None, tree_id, partial(_find_differing, read=read)):
        if change.new is not None and change.new.mode != DIRECTORY:
            yield change.path, change.new


def _find_differing(old: str | None, new: str | None, read: ReadTree) -> Iterator[Difference]:
    before = read(old) if old is not None else {}
    after = read(new) if new is not None else {}
    for name in {name for name, _ in before.items() ^ after.items()}:
        yield name, before.get(name), after.get(name)


def _sides(entry: TreeEntry | None) -> tuple[TreeEntry | None, str | None]:
    """An entry as a file, or as the id of a tree: a directory may take a file's name."""
    if entry is not None and entry.mode == DIRECTORY:
        return None, entry.id
    return entry, None


def _inside(under: str, name: str) -> str:
    path = f"{under}{name}/"
    if len(path) > LONGEST_PATH:
        raise Unverifiable(quote_path(path[:80]) + "...", "is nested too deep", _BOMB)
    return path

"""git's objects as values."""

from __future__ import annotations

import re
import stat
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from hkgit.edits import (
    DIRECTORY,
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    File,
    decode_text,
    encode_text,
)
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.layout import BLOB, COMMIT, HEX, TAG, TREE
from hkgit.text.hashes import start_hash
from hkgit.text.paths import LONGEST_PATH, quote_path
from hkgit.values import dataclass

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without a file, which git knows without storing it; `Repository.snapshot` takes it in
every repository, git itself only where ids have 40 digits."""

EMPTY_TREES = {
    "sha1": EMPTY_TREE,
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""By the name of the object format."""
_EMPTY = frozenset(EMPTY_TREES.values())


def is_empty_tree(object_id: str) -> bool:
    return object_id in _EMPTY


def absent_like(object_id: str) -> str:
    """Return the id that represents no object: as many zeros as this id has digits."""
    return "0" * len(object_id)


def compute_id(kind: str, data: bytes, object_format: str) -> str:
    """Compute the id that git gives to an object of a type with these bytes."""
    head = b"%s %d\0" % (kind.encode(), len(data))
    digest = start_hash(object_format, head, more=len(data))
    digest.update(data)
    return digest.hexdigest()


MODES = rb"40000|100[0-7]{3}|120000|160000"
"""Of files old gits wrote any permissions. A directory under another mode than git's is one to
git, and would be none here."""

_ENTRY = {
    2 * size: re.compile(rb"(%s) ([^\0/]+)\0(.{%d})" % (MODES, size), re.DOTALL)
    for size in (20, 32)
}
"""What an entry looks like, by the number of hex digits of ids."""


@dataclass(frozen=True)
class TreeEntry:
    """One name in a tree: its mode, and the id of a blob, tree or submodule's commit."""

    mode: int
    id: str


@dataclass(frozen=True)
class TreeChange:
    """What became of one path; None where it is absent."""

    path: str
    old: TreeEntry | None
    new: TreeEntry | None


LARGEST_TREE = 1_000_000
"""Names that one comparison may meet: ten trees that hold each other ten times have 10**10."""
_BOMB = "Look at it with git ls-tree: it may be made to exhaust its readers."

Tree = Mapping[str, TreeEntry]
Side = tuple[bytes, bytes]  # The mode and the id of an entry, as a tree has them
Difference = tuple[bytes, Side | None, Side | None]  # A name, and what is there before and after

_DIRECTORY = b"40000"


def format_tree(tree: Tree) -> bytes:
    """Write the bytes of a tree object."""
    named = [(encode_text(name), entry) for name, entry in tree.items()]
    named.sort(key=lambda item: item[0] + b"/" if item[1].mode == DIRECTORY else item[0])
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in named
    )


def _read_side(mode: bytes, object_id: bytes) -> TreeEntry:
    """An entry with the mode that git's `canon_mode` reads: old repositories have 100664."""
    value = int(mode, 8)
    if stat.S_ISREG(value):
        value = EXECUTABLE if value & stat.S_IXUSR else REGULAR
    return TreeEntry(value, object_id.hex())


def _tree_of(side: Side | None) -> str | None:
    return side[1].hex() if side is not None and side[0] == _DIRECTORY else None


_ID = HEX.encode()
_TAG = rb"object (" + _ID + rb")\ntype ([a-z]+)\n"
_TAGGER = rb"(?m)^tagger (.*?)(?: -?\d+ [-+]\d+)?$"
TAG_FIX = "Look at it with git fsck, and make it again: git tag -a NAME COMMIT."

DEEPEST = 50  # Tags of tags that are followed


def read_tag(tag_id: str, data: bytes) -> tuple[str, str]:
    """Read the id and the type of what a tag names. Raises Unverifiable."""
    found = re.match(_TAG, data)
    if found is None:
        raise Unverifiable(f"tag {tag_id}", "is malformed", TAG_FIX)
    return found[1].decode(), found[2].decode()


def read_taggers(data: bytes) -> str:
    """Read the taggers of a tag, without their times."""
    return ", ".join(map(decode_text, re.findall(_TAGGER, data.partition(b"\n\n")[0])))


_HEAD = (
    rb"tree (" + _ID + rb")\n((?:parent " + _ID + rb"\n)*)"
    rb"author (.*)\ncommitter (.*)\n"
)
_WHEN = rb" ?(-?\d{1,18})(?: [-+]\d{1,20})?"


@dataclass(frozen=True)
class Commit:
    """A commit as it is stored: replacements and grafts play no part.

    `author` and `committer` are `Name <email>`; `time` is the committer's, in seconds since
    1970. `message` and `raw` are bytes. `is_boundary` says that a shallow clone left out the
    parents.
    """

    id: str
    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    time: int
    message: bytes
    raw: bytes
    is_boundary: bool = False


@dataclass(frozen=True)
class Head:
    """What HEAD says: no branch when it is detached, no commit when the branch is unborn."""

    branch: str | None
    commit: str | None


def parse_commit(commit_id: str, raw: bytes, *, is_boundary: bool = False) -> Commit:
    """Read a commit object; raises Unverifiable when its header is not as git writes it."""
    header, _, message = raw.partition(b"\n\n")
    head = re.match(_HEAD, header + b"\n")
    if head is None:
        raise _refuse_malformed(commit_id)
    tree, parents, *people = head.groups()
    (author, _), (committer, time) = (_read_person(commit_id, line) for line in people)
    return Commit(
        id=commit_id,
        tree=tree.decode(),
        parents=tuple(line.split()[1].decode() for line in parents.splitlines()),
        author=author,
        committer=committer,
        time=time,
        message=message,
        raw=raw,
        is_boundary=is_boundary,
    )


def _read_person(commit_id: str, line: bytes) -> tuple[str, int]:
    """`Name <email>`, and the time that is behind it, or 0.

    Raises Unverifiable for what readers of commits take for one person or another, or for none.
    """
    name, end, time = line.rpartition(b">")
    when = re.fullmatch(_WHEN, time) if time.strip(b" ") else None
    if b"<" not in name or (when is None and time.strip(b" ")):
        raise _refuse_malformed(commit_id)
    return decode_text(name + end), 0 if when is None else int(when[1])


def _refuse_malformed(commit_id: str) -> Unverifiable:
    fix = f"Look at it: git cat-file commit {commit_id}"
    return Unverifiable(f"commit {commit_id}", "its header is malformed", fix)


@dataclass(frozen=True)
class TreeSnapshot:
    """The files of one tree (see `edits.Snapshot`); a blob is loaded when it is asked for."""

    tree_id: str
    trees: Trees
    read_blob: Callable[[str], bytes]

    def entry(self, path: str) -> TreeEntry | None:
        """Find the mode, as git reads it, and the id at a path, of a directory too."""
        found: TreeEntry | None = TreeEntry(DIRECTORY, self.tree_id)
        for name in path.split("/"):
            if found is None or found.mode != DIRECTORY:
                return None
            found = self.trees.find(found.id, name)
        return found

    def get(self, path: str) -> File | None:
        """Return the file at a path; directories and submodules have no bytes."""
        entry = self.entry(path)
        if entry is None:
            return None
        has_bytes = entry.mode not in (DIRECTORY, SUBMODULE)
        return File(self.read_blob(entry.id) if has_bytes else b"", entry.mode)

    def paths(self) -> Iterator[str]:
        """Yield every path but those of directories."""
        return (path for path, _ in self.trees.walk(self.tree_id))


@dataclass(frozen=True)
class _RawTree:
    """The bytes of a well-formed tree; where each entry begins, and last where they end."""

    data: bytes
    starts: Sequence[int]


_NONE = _RawTree(b"", [0])


@dataclass(frozen=True)
class Trees:
    """The trees of a repository by id, as bytes. Reading raises Unverifiable.

    That is so for what git would not write, too. Those that were read lately are kept.
    """

    read: Callable[[str], bytes]

    def entries(self, tree_id: str) -> dict[str, TreeEntry]:
        """Read the entries of one tree by name."""
        found = _ENTRY[len(tree_id)].findall(self._tree(tree_id).data)
        return {decode_text(name): _read_side(mode, side_id) for mode, name, side_id in found}

    def find(self, tree_id: str, name: str) -> TreeEntry | None:
        """Find the entry of one name in a tree."""
        tree, wanted = self._tree(tree_id), encode_text(name)
        at = tree.data.find(b" %s\0" % wanted)
        while at >= 0:  # the bytes of an id may look like that, too
            start = tree.starts[bisect_right(tree.starts, at) - 1]
            found = _ENTRY[len(tree_id)].match(tree.data, start)
            if found is not None and found[2] == wanted:
                return _read_side(found[1], found[3])
            at = tree.data.find(b" %s\0" % wanted, at + 1)
        return None

    def walk(self, tree_id: str) -> Iterator[tuple[str, TreeEntry]]:
        """Yield every path that is not a directory, with its entry, in no order."""
        for change in self.compare(None, tree_id):
            if change.new is not None and change.new.mode != DIRECTORY:
                yield change.path, change.new

    def compare(self, old: str | None, new: str | None) -> Iterator[TreeChange]:
        """Yield every path that differs, in no order; equal subtrees are never read.

        A directory that comes to hold nothing is told as well: git writes none, so somebody did.
        Old modes that were there are told as git reads them, so a directory that git writes again
        differs in none of them; one that is new is a change.
        """
        pending = [("", old, new)]
        seen = 0
        while pending:
            under, old, new = pending.pop()
            for name, was, now in self.find_differing(old, new):
                seen += 1
                if seen > LARGEST_TREE:
                    raise Unverifiable("tree", f"differs in more than {LARGEST_TREE} names", _BOMB)
                path = under + decode_text(name)
                old_tree, new_tree = _tree_of(was), _tree_of(now)  # one may take a file's name
                before = None if was is None or old_tree is not None else _read_side(*was)
                if new_tree is not None and is_empty_tree(new_tree):
                    new_tree = None
                after = None
                if now is not None and new_tree is None:
                    after = TreeEntry(int(now[0], 8), now[1].hex())
                if before != after:
                    yield TreeChange(path, before, after)
                if old_tree != new_tree:
                    if len(path) >= LONGEST_PATH:
                        where = f"{quote_path(path[:80])}..."
                        raise Unverifiable(where, "is nested too deeply", _BOMB)
                    pending.append((f"{path}/", old_tree, new_tree))

    def find_differing(self, old: str | None, new: str | None) -> list[Difference]:
        """Find every name that is not the same in two trees, in no order."""
        if old is not None and old not in self._known and new in self._known:  # going back in time
            return [(name, was, now) for name, now, was in self.find_differing(new, old)]
        before = _NONE if old is None else self._tree(old)
        data = b"" if new is None else self._data(new)
        first, last, end = _find_shared(before, data)
        digits = max(len(old or ""), len(new or ""))  # one may be EMPTY_TREE, in any repository
        pattern, start, stop = _ENTRY[digits], before.starts[first], before.starts[last]
        was, now = pattern.findall(before.data, start, stop), pattern.findall(data, start, end)
        if new is not None and new not in self._known:
            # As in most trees: entries differ in their ids alone.
            is_alike = stop == end and [each[:2] for each in was] == [each[:2] for each in now]
            starts = before.starts if is_alike else _check_tree(new, data, before, first, last, end)
            self._keep(new, _RawTree(data, starts))
        left, right = ({name: (mode, own) for mode, name, own in each} for each in (was, now))
        pairs = ((name, left.get(name), right.get(name)) for name in {**left, **right})
        return [each for each in pairs if each[1] != each[2]]

    def _tree(self, tree_id: str) -> _RawTree:
        found = self._known.get(tree_id)
        if found is None:
            data = self._data(tree_id)
            found = _RawTree(data, _check_tree(tree_id, data, _NONE, 0, 0, len(data)))
            self._keep(tree_id, found)
        return found

    def _data(self, tree_id: str) -> bytes:
        known = self._known.get(tree_id)
        if known is not None:
            return known.data
        return b"" if is_empty_tree(tree_id) else self.read(tree_id)

    def _keep(self, tree_id: str, tree: _RawTree) -> None:
        if len(self._known) >= KEPT:
            del self._known[next(iter(self._known))]
        self._known[tree_id] = tree

    @cached_property
    def _known(self) -> dict[str, _RawTree]:
        return {}


KEPT = 1024  # So many trees are kept: two commits in a row need those of their own paths


def _find_shared(old: _RawTree, data: bytes) -> tuple[int, int, int]:
    """The entries `first:last` that two trees may not share, and where theirs end."""
    starts, shift = old.starts, len(data) - len(old.data)
    first, most = 0, len(starts) - 1
    while first < most:
        middle = (first + most + 1) // 2
        if data.startswith(old.data[starts[first] : starts[middle]], starts[first]):
            first = middle
        else:
            most = middle - 1
    least, last = first, len(starts) - 1
    middle = min(first + 1, last)  # most often one entry differs
    while least < last:
        tail, end = old.data[starts[middle] : starts[last]], starts[last] + shift
        if end - len(tail) >= starts[first] and data.endswith(tail, 0, end):
            last = middle
        else:
            least = middle + 1
        middle = (least + last) // 2
    return first, last, starts[last] + shift


def _check_tree(
    tree_id: str, data: bytes, like: _RawTree, first: int, last: int, end: int
) -> Sequence[int]:
    """Where the entries of a tree begin, and last where they end. Raises Unverifiable.

    Only what it does not share with a well-formed one need be looked at.
    """
    start, shift = like.starts[first], end - like.starts[last]
    pattern = _ENTRY[len(tree_id)]
    found = pattern.findall(data, start, end)
    sizes = (len(mode) + len(name) + len(side_id) + 2 for mode, name, side_id in found)
    starts = [*accumulate(sizes, initial=start)]
    around = (*like.starts[max(first - 1, 0) : first], *like.starts[last:-1][:1])
    beside = [each.groups() for at in around if (each := pattern.match(like.data, at))]
    beside[min(first, 1) : min(first, 1)] = found
    keys = [name + b"/" if mode == _DIRECTORY else name for mode, name, _ in beside]
    is_sorted = all(a < b for a, b in pairwise(keys))
    # As a directory the same name is sorted elsewhere; the bytes of an id may look like one, too.
    is_whole, is_twice = (start, end) == (0, len(data)), False
    if is_whole or any(data.count(b" %s\0" % name) > 1 for _, name, _ in found):
        names = [name for _, name, _ in (found if is_whole else pattern.findall(data))]
        is_twice = len({*names}) < len(names)
    if starts[-1] != end or not is_sorted or is_twice:
        raise Unverifiable(f"tree {tree_id}", "is malformed", "Look at it with git fsck.")
    after = [at + shift for at in like.starts[last + 1 :]]
    return [*like.starts[:first], *starts, *after]


Files = Mapping[str, File | TreeEntry | None]
"""What paths become: a file, what is elsewhere already, or nothing."""


def build_tree(
    read: Callable[[str], Tree],
    write: Callable[[str, bytes], str],
    tree_id: str | None,
    files: Files,
    under: str = "",
) -> str | None:
    """Write the directories that change, and their files, from the leaves up.

    Returns the id of the tree, or None when nothing is left in it. First what goes, then what is
    below, then what comes: so a file may become a directory and the other way round. A directory
    that is written gets the modes that git's index would give it. Raises InvalidInput where the two
    want the same name.
    """
    entries = dict(read(tree_id)) if tree_id is not None else {}
    here, below = _split(files)
    for name in (name for name, file in here.items() if file is None):
        _expect_file(under + name, entries.pop(name, None))
    for name, inner in below.items():
        old = _expect_directory(under + name, entries.pop(name, None))
        new = build_tree(read, write, old, inner, f"{under}{name}/")
        if new is not None:
            entries[name] = TreeEntry(DIRECTORY, new)
    for name, file in here.items():
        if file is not None:
            _expect_file(under + name, entries.get(name))
            if isinstance(file, File) and file.mode not in (REGULAR, EXECUTABLE, SYMLINK):
                where = quote_path(under + name)
                raise InvalidInput(where, f"cannot be written with mode {file.mode:o}")
            entries[name] = (
                TreeEntry(file.mode, write(BLOB, file.data)) if isinstance(file, File) else file
            )
    return write(TREE, format_tree(entries)) if entries else None


def _split(files: Files) -> tuple[Files, dict[str, Files]]:
    """The files of a directory, and those of each directory in it."""
    here: dict[str, File | TreeEntry | None] = {}
    below: dict[str, dict[str, File | TreeEntry | None]] = defaultdict(dict)
    for path, file in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            below[name][rest] = file
        else:
            here[name] = file
    return here, {**below}


def _expect_file(path: str, entry: TreeEntry | None) -> None:
    if entry is not None and entry.mode == DIRECTORY:
        raise InvalidInput(quote_path(path), "is a directory", "Name a file.")


def _expect_directory(path: str, entry: TreeEntry | None) -> str | None:
    if entry is None:
        return None
    if entry.mode != DIRECTORY:
        raise InvalidInput(quote_path(path), "is not a directory", "Delete or rename it first.")
    return entry.id


LARGEST_OBJECT = {BLOB: 100 * 2**20, TREE: 64 * 2**20, COMMIT: 4 * 2**20, TAG: 4 * 2**20}
"""Bytes of an object that is read: packs make gigabytes of next to nothing."""

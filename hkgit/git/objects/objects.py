"""objects.py: commits and trees as the rest of hkgit sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hkgit.edits import DIRECTORY, SUBMODULE, File, decode_text
from hkgit.errors import Unverifiable
from hkgit.git.objects.ids import HEX
from hkgit.git.objects.trees import ReadTree, TreeEntry, canonicalise, walk_tree
from hkgit.values import dataclass, late_pattern

_ID = HEX.encode()
_HEAD = late_pattern(
    rb"tree (" + _ID + rb")\n((?:parent " + _ID + rb"\n)*)"
    rb"author (.*)\ncommitter (.*)\n"
)
_WHEN = late_pattern(rb" ?(-?\d{1,20}) [-+]\d{1,20}\Z")
_LONGEST_WHEN = 44
"""Bytes of a time and its zone, with the blank before: of a huge line only the end is searched."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Head:
    """What HEAD says: no branch when it is detached, no commit when the branch is unborn."""

    branch: str | None
    commit: str | None


def parse_commit(commit_id: str, raw: bytes, *, is_boundary: bool = False) -> Commit:
    """Read a commit object; raises Unverifiable when its header is not as git writes it."""
    header, _, message = raw.partition(b"\n\n")
    head = _HEAD.match(header + b"\n")
    if head is None:
        raise Unverifiable(f"commit {commit_id}", "is malformed", "Look at it with git fsck.")
    tree, parents, *people = head.groups()
    (author, _), (committer, time) = map(_person, people)
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


def _person(line: bytes) -> tuple[str, int]:
    """`Name <email>`, and the time that stands behind it, or 0."""
    when = _WHEN.search(line[-_LONGEST_WHEN:])
    if when is None:
        return decode_text(line.removesuffix(b" ")), 0
    return decode_text(line[: -len(when[0])]), int(when[1])


@dataclass(frozen=True, slots=True)
class TreeSnapshot:
    """The files of one tree (see `edits.Snapshot`); a blob is loaded when it is asked for."""

    tree_id: str
    read_tree: ReadTree
    read_blob: Callable[[str], bytes]

    def entry(self, path: str) -> TreeEntry | None:
        """Find the mode, as git reads it, and the id at a path, of a directory too."""
        found: TreeEntry | None = TreeEntry(DIRECTORY, self.tree_id)
        for name in path.split("/"):
            if found is None or found.mode != DIRECTORY:
                return None
            found = self.read_tree(found.id).get(name)
        return canonicalise(found)

    def get(self, path: str) -> File | None:
        """Return the file at a path; directories and submodules have no bytes."""
        entry = self.entry(path)
        if entry is None:
            return None
        has_bytes = entry.mode not in (DIRECTORY, SUBMODULE)
        return File(self.read_blob(entry.id) if has_bytes else b"", entry.mode)

    def paths(self) -> Iterator[str]:
        """Yield every path but those of directories."""
        return (path for path, _ in walk_tree(self.tree_id, self.read_tree))

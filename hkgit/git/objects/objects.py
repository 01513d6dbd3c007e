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
_WHEN = late_pattern(rb" ?(-?\d{1,18})(?: [-+]\d{1,20})?")


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
    """`Name <email>`, and the time that stands behind it, or 0.

    Raises Unverifiable for what readers of commits take for one person or another, or for none.
    """
    name, end, time = line.rpartition(b">")
    when = _WHEN.fullmatch(time) if time.strip(b" ") else None
    if b"<" not in name or (when is None and time.strip(b" ")):
        raise _refuse_malformed(commit_id)
    return decode_text(name + end), 0 if when is None else int(when[1])


def _refuse_malformed(commit_id: str) -> Unverifiable:
    fix = f"Look at it: git cat-file commit {commit_id}"
    return Unverifiable(f"commit {commit_id}", "its header is malformed", fix)


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

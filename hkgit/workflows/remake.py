"""remake.py: make a commit that stands again with evidence, and those that stand on it.

The commit is made beside the branch; its author, dates and message are kept. Those after it keep
all but their parents and what it brings to the ledger. Of the checkout only the records of hkgit
are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hkgit.edits import File
from hkgit.errors import GitRefused
from hkgit.evidence.entry import ATTRIBUTES_PATH, LEDGER
from hkgit.git.objects import EMPTY_TREE, Commit
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import UNDER_WAY
from hkgit.values import dataclass

_WHERE = "hkgit redo"
_PERSON = rb"(?m)^%s (.*) (\d+ [+-]\d+)$"
_SIGNATURE = re.compile(rb"(?m)^gpgsig(?:-sha256)? .*\n(?: .*\n)*")


@dataclass(frozen=True, slots=True)
class Standing:
    """A commit in the history of HEAD, which is at `head`, and its message without our trailers."""

    commit: Commit
    head: str
    message: str


def find_standing(repository: Repository, name: str) -> Standing:
    """Find a commit to make again. Raises GitRefused where it cannot be."""
    under_way = next((UNDER_WAY[each] for each in UNDER_WAY if repository.remembers(each)), None)
    if under_way is not None:
        what = f"{under_way} is under way"
        raise GitRefused(_WHERE, what, "End it first (git status says how), then run this again.")
    commit, head = repository.commit(repository.resolve(name)), repository.head().commit
    if head is None or not repository.is_ancestor(commit.id, head):
        what = "is not in the history of HEAD"
        raise GitRefused(name, what, "Switch to the branch that it is on.")
    if commit.is_boundary:
        what = "its parent is not in this shallow clone"
        raise GitRefused(name, what, "git fetch --unshallow")
    said = repository.git("log", "-1", "--format=%B", commit.id).text
    kept = [line for line in said.splitlines() if not line.lower().startswith("hkgit-")]
    return Standing(commit, head, "\n".join(kept).strip() or "No message")


def find_made_again(repository: Repository, name: str) -> str | None:
    """Find the commit that has taken the place of one: of the same author, date and files.

    None for one that still stands, and where none has.
    """
    commit, head = repository.commit(repository.resolve(name)), repository.head().commit
    if head is None or repository.is_ancestor(commit.id, head):
        return None
    author = _find_person(commit, b"author")
    for each in repository.git("rev-list", "--max-count=1000", head).text.split():
        other = repository.commit(each)
        if _find_person(other, b"author") == author:
            changes = repository.changes(commit.tree, other.tree)
            if all(_is_own(change.path) for change in changes):
                return each
    return None


def begin_history(repository: Repository) -> str:
    """Make the empty commit that the first commit of a history is made again on."""
    return repository.git("commit-tree", "-m", "Begin", EMPTY_TREE).text


def rebuild(repository: Repository, standing: Standing, made: str) -> str:
    """Let a commit made beside the branch take the place of the one that stands; return HEAD.

    Signatures of commits that are made anew are left out: they would be wrong.
    """
    old, new = standing.commit, repository.commit(made)
    if not new.message.strip():
        raise GitRefused(_WHERE, "the commit made again has no message", "Give one with -m.")
    people = {each: _find_person(old, each) for each in (b"author", b"committer")}
    raw = new.raw
    for role, person in people.items():
        found = re.search(_PERSON % role, raw)
        if found is not None:
            raw = raw[: found.start()] + role + b" " + person + raw[found.end() :]
    again = _write_commit(repository, _SIGNATURE.sub(b"", raw))
    records = _find_records(repository, old.tree, new.tree)
    names = {old.id: again}
    options = ("--topo-order", "--reverse", "--ancestry-path")
    for each in repository.git("rev-list", *options, f"{old.id}..{standing.head}").text.split():
        names[each] = _carry(repository, repository.commit(each), names, records)
    head = names[standing.head]
    repository.git("update-ref", "-m", f"hkgit redo: {old.id[:12]}", "HEAD", head, standing.head)
    _bring_records(repository, standing.head, head)
    return again


def _carry(
    repository: Repository,
    commit: Commit,
    names: Mapping[str, str],
    records: Mapping[str, tuple[File | None, File | None]],
) -> str:
    """Write a later commit anew, on its new parents and with the new records."""
    files = repository.snapshot(commit.tree)
    changed = {path: new for path, (old, new) in records.items() if files.get(path) == old}
    tree = repository.write_tree(commit.tree, changed)
    header, _, message = commit.raw.partition(b"\n\n")
    header = _SIGNATURE.sub(b"", header + b"\n").rstrip(b"\n")
    header = header.replace(b"tree " + commit.tree.encode(), b"tree " + tree.encode(), 1)
    for parent in commit.parents:
        new = names.get(parent, parent)
        header = header.replace(b"\nparent " + parent.encode(), b"\nparent " + new.encode())
    return _write_commit(repository, header + b"\n\n" + message)


def _find_records(
    repository: Repository, old: str, new: str
) -> dict[str, tuple[File | None, File | None]]:
    """Find the records of hkgit in which two trees differ, as they were and as they become."""
    before, after = repository.snapshot(old), repository.snapshot(new)
    paths = (each.path for each in repository.changes(old, new))
    return {path: (before.get(path), after.get(path)) for path in paths if _is_own(path)}


def _bring_records(repository: Repository, old: str, new: str) -> None:
    """Bring the records of hkgit in index and checkout along; all else stays as it is."""
    trees = (repository.commit(each).tree for each in (old, new))
    paths = [f":(top,literal){each.path}" for each in repository.changes(*trees)]
    if paths:
        stdin = b"\0".join(each.encode() for each in paths)
        chosen: Sequence[str] = ("--pathspec-from-file=-", "--pathspec-file-nul")
        repository.git("restore", f"--source={new}", "--staged", "--worktree", *chosen, stdin=stdin)


def _is_own(path: str) -> bool:
    return path.startswith(f"{LEDGER}/") or path == ATTRIBUTES_PATH


def _find_person(commit: Commit, role: bytes) -> bytes:
    found = re.search(_PERSON % role, commit.raw)
    return b"" if found is None else found[1] + b" " + found[2]


def _write_commit(repository: Repository, raw: bytes) -> str:
    return repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw).text

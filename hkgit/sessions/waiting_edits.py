"""What of the recorded edits is still in the files, and waits for a commit.

`git checkout`, `git stash`, `git reset` and an editor's undo leave no trace in the journal. What
became of an edit is inferred from the files that later calls found, and from the present ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from hkgit.edits import File, Snapshot, encode_text
from hkgit.evidence.anchors import HunkNotPlaced, anchor_hunks
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark, RecordedHunk, entry_path
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, list_waiting
from hkgit.sessions.homes import UNNAMED, find_folders
from hkgit.text.document import Document
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.policy.model import Policy

_COMPARED = 50
"""So many versions of a file that others made between calls are compared line by line."""


def find_effective(
    files: Snapshot, units: Sequence[PendingEdit], base: Snapshot | None = None
) -> list[PendingEdit]:
    """Find the edits whose text is still in `files`. A file that equals `base` holds none.

    `units` are in the order of their calls.
    """
    gone: set[PendingEdit] = set()
    for path in {path for unit in units for path in unit.paths}:
        here = [unit for unit in units if path in unit.paths]
        known = {} if base is None else {mark(base.get(path)): frozenset[PendingEdit]()}
        gone |= {*here} - _follow(path, here, files.get(path), known)
    return [unit for unit in units if unit not in gone]


def _follow(
    path: str,
    units: Sequence[PendingEdit],
    now: File | None,
    known: dict[FileMark | None, frozenset[PendingEdit]],
) -> frozenset[PendingEdit]:
    """Follow what edits wrote through the versions of one file, to the file as it is now.

    `known` maps versions to the edits whose text they have. One that no call has made is compared.
    """
    standing = frozenset[PendingEdit]()
    compared = 0
    groups = [tuple(group) for _, group in groupby(units, key=lambda unit: unit.key)]
    for own in (*groups, ()):
        found = dict(own[0].entry.needs)[path] if own else mark(now)
        file = own[0].version(found) if own else now
        if found in known:
            standing = known[found]
        elif file is not None and (not own or compared < _COMPARED):
            compared += 1
            standing = frozenset(each for each in standing if not _is_gone(each, file.data))
        known[found] = standing
        if own:
            standing = standing.union(own)
            known[dict(own[0].entry.leaves)[path]] = standing
    return standing


def _is_gone(unit: PendingEdit, data: bytes) -> bool:
    """Whether a file has the lines from before an edit again, and not those that it wrote."""
    change = unit.change
    hunks = [] if change is None else [x for x in change.hunks if unit.number in x.edits]
    return bool(hunks) and all(
        _has_place(hunk, data) and not _has_place(_turn(hunk), data) for hunk in hunks
    )


def _has_place(hunk: RecordedHunk, data: bytes) -> bool:
    try:
        return bool(anchor_hunks(data, [hunk]))
    except HunkNotPlaced:
        return False


def _turn(hunk: RecordedHunk) -> RecordedHunk:
    """Turn a hunk round, as far as its place goes."""
    count = Document(encode_text(hunk.new_text)).line_count
    end_line = hunk.start_line + count - 1
    return replace(hunk, end_line=end_line, old_hash=hunk.new_hash, new_hash=hunk.old_hash)


_REMADE = 24 * 3600
"""Seconds within which a commit that was made past the hooks may be made again with them."""

_REBASING = ("rebase-merge", "rebase-apply")

_NAMED = 200
"""The most paths to pass to git; with more, it is asked about all files."""


def find_awaiting(repository: Repository, journals: Sequence[SessionJournal]) -> list[PendingEdit]:
    """Find the edits that are in the checkout and not in HEAD."""
    see_head(repository, journals)
    return _list_changed(repository, _find_effective(repository, list_waiting(journals)))


def may_be_committed(repository: Repository, journals: Sequence[SessionJournal]) -> bool:
    """Whether the next commit must look for edits: some wait, or git may yet restore some.

    From a stash, or from the commits that it makes again in a rebase.
    """
    units = list_waiting(journals)
    if not units:
        return False
    if "PRE_COMMIT" in os.environ:  # the framework has put aside what is not staged
        return True
    effective = _find_effective(repository, units)
    since = (time.time() - _REMADE) * 1000
    if any(unit.call.time > since for unit in effective) or _list_changed(repository, effective):
        return True
    if len(effective) == len(units):
        return False
    if any((repository.git_dir / each).exists() for each in _REBASING):
        return True
    stash = repository.git("rev-parse", "--quiet", "--verify", "refs/stash", check=False)
    return stash.code == 0


def open_journals(repository: Repository) -> list[SessionJournal]:
    """Open the journals of all named sessions of the checkout: other calls are no evidence."""
    root = repository.work_tree
    folders = () if root is None else find_folders(root)
    found = [SessionJournal(folder) for folder in folders if folder.name != UNNAMED]
    see_head(repository, found)
    return found


def see_head(where: Repository | Path, journals: Sequence[SessionJournal]) -> None:
    """See which entries of sessions HEAD has: what it has waits for no commit.

    A checkout's repository is opened only where commits have been recorded.
    """
    loaded = [journal.load() for journal in journals]
    if not any(journal.recorded for journal in loaded):
        return
    repository = Repository.discover(where) if isinstance(where, Path) else where
    files = repository.snapshot(repository.head().commit)
    for journal in journals:
        there = (name for name in journal.recorded if files.entry(entry_path(name)) is not None)
        journal.landed = frozenset(there)


def has_moved(repository: Repository, time: int) -> bool:
    """Whether HEAD may be elsewhere than it was then, in milliseconds since 1970.

    Git notes each move of HEAD, unless it was told not to.
    """
    with suppress(OSError):
        return (repository.git_dir / "logs" / "HEAD").stat().st_mtime_ns // 10**6 >= time
    return True


def _find_effective(repository: Repository, units: Sequence[PendingEdit]) -> Sequence[PendingEdit]:
    """Find the edits that are in the checkout."""
    if repository.work_tree is None:
        return ()
    # Where nothing waits, as after most commits, nobody waits for it.
    from hkgit.sessions.file_lines import Checkout

    return find_effective(Checkout(repository.work_tree), units)


def _list_changed(repository: Repository, units: Sequence[PendingEdit]) -> list[PendingEdit]:
    """List the edits of files that differ from HEAD in the index or the checkout."""
    paths = {path for unit in units for path in unit.paths}
    if not paths:
        return []
    named = ["--", *sorted(paths)] if len(paths) <= _NAMED else []
    status = repository.git(
        "--literal-pathspecs",
        "--no-optional-locks",
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        *named,
    )
    changed = {entry[3:] for entry in status.words}
    return [unit for unit in units if unit.paths & changed]


def find_blind_reads(repository: Repository, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the path of each blind edit that waits, and the command that reads its lines.

    Where the policy takes no `late` evidence, the edit is taken back first.
    """
    from hkgit.sessions.answers import render_mending_read  # few are blind

    for unit in list_waiting(open_journals(repository)):
        session, call, _ = unit.key
        if unit.is_unread:
            path, touched = unit.edit.path, unit.edit.base_lines
            is_late = policy.accepts_late(path)
            yield path, render_mending_read(path, touched, session, call, is_late=is_late)

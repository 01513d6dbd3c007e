"""Find how files were before a shell command changed them.

The agent tells which lines it changed. These, put back, are the file as it was, but for the ends of
lines, which are not told: so a version that is known takes their place where it has the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hkgit.agents.events import LineHunk, Told
from hkgit.agents.specs import relative_to_root
from hkgit.edits import REGULAR, File, Snapshot, encode_text
from hkgit.errors import Stale
from hkgit.evidence.entry import LEDGER
from hkgit.git.repository import Repository
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.document import split_raw

_FIX = "What it changed is recorded by no session; the gate says so at the commit."


def find_files_before(told: Told, session: EditSession, directory: Path) -> dict[str, File | None]:
    """Find the changed files as they were, by their paths from the root.

    Not those of which no more is told, nor those that are now as in the last commit, which git has
    brought back or committed, nor hkgit's own. Raises Stale where one has been changed since, and
    InvalidInput for one outside the checkout.
    """
    checkout, head = Checkout(session.root), find_head(session.root)
    state, blobs = session.journal.load(), session.journal.blobs
    before: dict[str, File | None] = {}
    for name in told.names:
        path, hunks = relative_to_root(name, session.root, directory), (told.hunks or {}).get(name)
        is_new = name in (told.before or {})
        now, committed = checkout.get(path), None if head is None else head.get(path)
        if path.startswith(LEDGER) or now == committed or (hunks is None and not is_new):
            continue
        known = state.fresh.get(path) or state.known.get(path)
        read = None if known is None else blobs.get(known.version)
        versions = [*([] if read is None else [File(read)]), committed]
        file = None if is_new else find_before(path, hunks or (), now, versions)
        if file != now:
            before[path] = file
    return before


def find_head(root: Path) -> Snapshot | None:
    """Find the files of the last commit; None before the first one."""
    repository = Repository.discover(root, is_small=True)
    commit = repository.head().commit
    return None if commit is None else repository.snapshot(commit)


def find_before(
    path: str, hunks: Sequence[LineHunk], now: File | None, known: Iterable[File | None]
) -> File:
    """Find the file as it was. Raises Stale where it has been changed otherwise since."""
    raw = _put_back(path, hunks, [] if now is None else split_raw(now.data))
    wanted = [*map(_strip, raw)]
    mode = REGULAR if now is None else now.mode
    for file in known:
        if file is not None and [*map(_strip, split_raw(file.data))] == wanted:
            return File(file.data, mode)
    return File(b"".join(raw), mode)


def _put_back(path: str, hunks: Sequence[LineHunk], raw: list[bytes]) -> list[bytes]:
    """Lines with the old ones of each hunk in place of the new ones."""
    for hunk in hunks:  # those above are put back already, so it is where it was
        first = max(hunk.start_line - 1, 0) if hunk.old else hunk.start_line
        last = first + len(hunk.new)
        if [*map(_strip, raw[first:last])] != [_strip(encode_text(line)) for line in hunk.new]:
            raise Stale(path, "is no longer as the command left it", _FIX)
        raw = [*raw[:first], *_old_lines(hunk, raw[first:last] or raw[:1]), *raw[last:]]
    return raw


def _old_lines(hunk: LineHunk, beside: list[bytes]) -> list[bytes]:
    end = b"\r\n" if beside and beside[0].endswith(b"\r\n") else b"\n"
    return [_strip(encode_text(line)) + end for line in hunk.old]


def _strip(line: bytes) -> bytes:
    """A line without its end."""
    return line.rstrip(b"\r\n")

"""mending.py: the commands that read the lines of blind edits after the fact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.sessions.commit.pending import waiting
from hkgit.sessions.commit.settling import journals_of
from hkgit.sessions.drafting import mending_read
from hkgit.sessions.effective import is_unread


def blind_reads(root: Path) -> Iterator[tuple[str, str]]:
    """The path of each blind edit that waits for a commit, and the command that reads its lines."""
    for unit in waiting(journals_of(root)):
        session, call, spec = unit.key
        if is_unread(unit.journal.state, unit.call, spec, unit.number):
            path = unit.journaled.paths[unit.number - 1]
            touched = unit.journaled.touched[unit.number - 1]
            yield path, mending_read(path, touched, session, call)

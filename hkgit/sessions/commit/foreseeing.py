"""foreseeing.py: work out before a commit what its sessions will forget after it.

post-commit is felt at every commit of a session. What it has to do is known once the judge has let
the commit pass, in a process that has loaded all that it takes. So it is written down here, and
`prompt` does it, if the commit became that very one and no session has said anything since.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, entry_path
from hkgit.evidence.refusals import list_claimed_ids
from hkgit.git.repository import Repository
from hkgit.sessions.commit.prompt import FORESEEN, SESSIONS, read_stamp
from hkgit.sessions.commit.settling import open_journals
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import STATE, find_unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

Entries = Sequence[tuple[str, Entry]]


def foresee_settlement(repository: Repository, tree: str, entries: Entries) -> None:
    """Write down what a commit of this tree settles, if it settles all there is. Raises OSError."""
    place = repository.git_dir / FORESEEN
    place.unlink(missing_ok=True)
    root = repository.work_tree
    if root is None or not _is_ordinary(repository, root, entries):
        return
    names = {name for name, _ in entries}
    parts = [_foresee(journal, names) for journal in open_journals(root)]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts):
        paths = " ".join([*map(entry_path, sorted(names)), ATTRIBUTES_PATH])
        place.write_bytes(b"".join([f"{tree}\n{paths}\n".encode(), *known]))


def _is_ordinary(repository: Repository, root: Path, entries: Entries) -> bool:
    """Whether nothing is left to post-commit but to forget: no conflict is met, no session ends."""
    is_partial = "next-index-" in os.environ.get("GIT_INDEX_FILE", "")  # `git commit -- PATH`
    claims = [entry.claims for _, entry in entries]
    is_met = any(each.get("conflicts") or list_claimed_ids(each.get("refusals")) for each in claims)
    elsewhere = STATE in os.environ or any(
        journal.folder.parent != repository.git_dir / SESSIONS for journal in open_journals(root)
    )
    return bool(entries) and not (is_partial or is_met or elsewhere or find_unused(root))


def _foresee(journal: SessionJournal, names: set[str]) -> bytes | None:
    """A session's lines: its journal as it is now, and as it will be; None if edits still wait."""
    stamp = read_stamp(journal.folder / "journal")
    proposed = [*journal.load().proposed]
    if not names.issuperset(proposed):
        return None
    after, versions = journal.foresee(proposed)
    if after is None:
        return None
    if not proposed:
        return f"{journal.folder.name} {stamp} -1 -\n".encode()
    head = f"{journal.folder.name} {stamp} {len(after)} {','.join(sorted(versions)) or '-'}\n"
    return head.encode() + after

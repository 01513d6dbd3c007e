"""staging.py: add entries to the commit that git is making, and forget what is committed.

In a hook `GIT_INDEX_FILE` names the index that becomes the commit. With `git commit -- PATH` or
`-a` it is a temporary one, and the checkout's own index gets the entries after the commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from hkgit.applying.files.directory import write_files
from hkgit.edits import REGULAR, File, decode_text, encode_text
from hkgit.errors import GitRefused
from hkgit.evidence.ledger.entry import LEDGER, entry_path
from hkgit.evidence.ledger.reading import read_entry
from hkgit.evidence.refusals import RefusalLog, ids_claimed
from hkgit.evidence.replay.added import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.git.repository import Repository
from hkgit.sessions.awaiting import may_be_committed
from hkgit.sessions.commit.merging import propose_merge
from hkgit.sessions.commit.proposing import Proposal, propose
from hkgit.sessions.ending import drop_ended, expire
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import UNNAMED, existing, lock_sessions, say_none_waits

_NO_OBJECT = "0" * 40


def journals_of(root: Path) -> list[SessionJournal]:
    """The journals of all named sessions of a checkout: other calls are no evidence."""
    return [SessionJournal(folder) for folder in existing(root) if folder.name != UNNAMED]


def stage(repository: Repository) -> Proposal:
    """Add the entries of what is staged to the index being committed.

    Entries that an earlier attempt left are taken out. Raises GitRefused.
    """
    root = _root(repository)
    journals = journals_of(root)
    parents = find_parents(repository)
    if not journals or len(parents) > 2:
        return Proposal((), ())
    with _all_locked(journals):
        bring_along(repository, root, settle(repository, journals))
        _take_out(repository, root, journals)
        tree = repository.index_tree()
        if len(parents) == 2:
            proposal = propose_merge(repository, journals, tree, (parents[0], parents[1]))
        else:
            proposal = propose(repository, journals, tree)
        _stage(repository, root, proposal)
        for journal in journals:
            mine = [made.proposed for made in proposal.entries if made.journal is journal]
            if mine or journal.state.proposed:
                journal.propose(mine)
        if not proposal.entries and not may_be_committed(repository, root, journals):
            say_none_waits(root)
    return proposal


def withdraw(repository: Repository) -> None:
    """Take out what `stage` has added, where the commit is not made. Raises GitRefused."""
    root = _root(repository)
    journals = [each for each in journals_of(root) if each.load().proposed]
    with _all_locked(journals):
        bring_along(repository, root, settle(repository, journals))
        _take_out(repository, root, journals)


def settle_commit(repository: Repository) -> None:
    """After a commit: forget edits that it holds, and update the checkout. Raises GitRefused."""
    root = _root(repository)
    journals = journals_of(root)
    with _all_locked(journals):
        proposed = [each for each in journals if each.load().proposed]
        bring_along(repository, root, settle(repository, proposed))
        if not may_be_committed(repository, root, journals):
            say_none_waits(root)
        drop_ended(repository, root, journals)
    expire(root)


@contextmanager
def _all_locked(journals: Iterable[SessionJournal]) -> Iterator[None]:
    with ExitStack() as stack:
        for home in {journal.folder.parent for journal in journals}:
            stack.enter_context(lock_sessions(home))
        yield


def settle(repository: Repository, journals: Sequence[SessionJournal]) -> list[str]:
    """Let the journals forget edits that are committed; return the entries that HEAD has."""
    head = repository.head().commit
    files = None if head is None else repository.snapshot(head)
    here: list[str] = []
    for journal in journals:
        names = list(journal.load().proposed)
        found = [] if files is None else [n for n in names if files.get(entry_path(n)) is not None]
        here += found
        _forget_met(repository, found)
        absent = (name for name in names if name not in found)
        elsewhere = [name for name in absent if _was_committed(repository, name)]
        if found or elsewhere:
            journal.add("committed", entries=[*found, *elsewhere])
            journal.forget(journal.state.waiting)
    return here


def _forget_met(repository: Repository, names: Sequence[str]) -> None:
    """Drop the conflicts that entries of HEAD claim to have met."""
    store, log = ConflictStore.of(repository.common_dir), RefusalLog.of(repository.common_dir)
    for name in names if any(store) or log.path.exists() else ():
        file = repository.snapshot("HEAD").get(entry_path(name))
        if file is not None:
            claims = read_entry(file.data).claims
            store.drop_all({met["id"] for met in claims["conflicts"]})
            with suppress(OSError):
                log.settle(ids_claimed(claims.get("refusals")), repository.head().commit or "")


def _was_committed(repository: Repository, name: str) -> bool:
    """Whether an entry is in a commit of any branch, or was lately."""
    path = entry_path(name)
    asked = repository.git("log", "-1", "--all", "--format=%H", "--", path, check=False)
    return asked.code == 0 and bool(asked.text)


def find_parents(repository: Repository) -> tuple[str, ...]:
    """The parents of the commit being made, as they are unless it is amended."""
    return repository.commit_in_progress_parents()[0]


def _root(repository: Repository) -> Path:
    if repository.work_tree is None:
        raise GitRefused(str(repository.git_dir), "a bare repository has no sessions")
    return repository.work_tree


def _take_out(repository: Repository, root: Path, journals: Sequence[SessionJournal]) -> None:
    """Remove entries that were proposed to a commit that was never made."""
    paths = [entry_path(name) for journal in journals for name in journal.state.proposed]
    _update_index(repository, dict.fromkeys(paths))
    for path in paths:
        with suppress(OSError):
            (root / path).unlink()


def _stage(repository: Repository, root: Path, proposal: Proposal) -> None:
    files = {
        entry_path(made.proposed.entry): File(made.entry.to_bytes()) for made in proposal.entries
    }
    if not files:
        return
    if repository.snapshot(repository.index_tree()).get(ATTRIBUTES_PATH) is None:
        files[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    if not _is_passing(repository):
        write_files(root, files)
    ids = {path: repository.write_blob(file.data) for path, file in files.items()}
    _update_index(repository, ids)


def _is_passing(repository: Repository) -> bool:
    """Whether the index is a temporary one, dropped if the commit fails: then no file may be left.

    Not so under the pre-commit framework, which takes a file that only the index has for a change
    by a hook, and fails.
    """
    named = os.environ.get("GIT_INDEX_FILE", "")
    is_framework = "PRE_COMMIT" in os.environ
    return repository.in_hook and named.endswith(".lock") and not is_framework


def bring_along(repository: Repository, root: Path, names: Sequence[str]) -> None:
    """Give the index and the checkout the entries of HEAD that came through a temporary index."""
    if not names:
        return
    head = repository.snapshot("HEAD")
    paths = [*map(entry_path, names), ATTRIBUTES_PATH]
    absent = [path for path in paths if not (root / path).exists()]
    files = {path: head.get(path) for path in absent if head.get(path) is not None}
    write_files(root, files)
    listed = repository.git("ls-files", "-z", "--", LEDGER, ATTRIBUTES_PATH).stdout
    known = decode_text(listed).split("\0")
    entries = {path: head.entry(path) for path in paths if path not in known}
    _update_index(repository, {path: each.id for path, each in entries.items() if each is not None})


def _update_index(repository: Repository, ids: Mapping[str, str | None]) -> None:
    """Set paths of the index to blobs; None takes one out. Raises GitRefused."""
    if not ids:
        return
    lines = (
        f"0 {_NO_OBJECT}\t{path}" if blob is None else f"{REGULAR:o} {blob}\t{path}"
        for path, blob in ids.items()
    )
    said = b"".join(encode_text(line) + b"\0" for line in lines)
    repository.git("update-index", "-z", "--index-info", stdin=said)

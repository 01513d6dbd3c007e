"""settling.py: after a commit was made, or was not: sessions forget what is committed.

Every commit with a session waits for this, so it loads nothing that makes entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from hkgit.edits import REGULAR, decode_text, encode_text
from hkgit.errors import GitRefused
from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, LEDGER, entry_path
from hkgit.git.repository import Repository
from hkgit.sessions.awaiting import may_be_committed
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import (
    UNNAMED,
    find_folders,
    find_unused,
    lock_sessions,
    say_none_waits,
)

_NO_OBJECT = "0" * 40


def open_journals(root: Path) -> list[SessionJournal]:
    """Open the journals of all named sessions of a checkout: other calls are no evidence."""
    return [SessionJournal(folder) for folder in find_folders(root) if folder.name != UNNAMED]


def withdraw(repository: Repository) -> None:
    """Take out what `stage` has added, where the commit is not made. Raises GitRefused."""
    root = find_root(repository)
    journals = [each for each in open_journals(root) if each.load().proposed]
    with lock_all(journals):
        bring_along(repository, root, settle(repository, journals))
        take_out(repository, root, journals)


def settle_commit(repository: Repository) -> None:
    """Forget edits that a commit holds, and update the checkout. Raises GitRefused.

    Runs after the commit.
    """
    root = find_root(repository)
    journals = open_journals(root)
    with lock_all(journals):
        proposed = [each for each in journals if each.load().proposed]
        bring_along(repository, root, settle(repository, proposed))
        if not may_be_committed(repository, root, journals):
            say_none_waits(root)
        if any(journal.state.is_ended for journal in journals):
            from hkgit.sessions.ending import drop_ended  # few sessions are ended by a word

            drop_ended(repository, root, journals)
    if find_unused(root):
        from hkgit.sessions.ending import expire

        expire(root)


@contextmanager
def lock_all(journals: Iterable[SessionJournal]) -> Iterator[None]:
    """Hold the sessions of these journals against others."""
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
        _settle_refusals(repository, found)
        absent = (name for name in names if name not in found)
        elsewhere = [name for name in absent if _was_committed(repository, name)]
        if found or elsewhere:
            journal.add("committed", entries=[*found, *elsewhere])
            journal.forget(journal.state.waiting)
    return here


def _settle_refusals(repository: Repository, names: Sequence[str]) -> None:
    """Note the refused attempts that landed with entries of HEAD."""
    if not names or not (repository.common_dir / "hkgit/refusals.jsonl").exists():
        return
    # Few commits follow a refusal.
    from hkgit.evidence.ledger.reading import read_entry
    from hkgit.evidence.refusals import RefusalLog, list_claimed_ids

    refusals = RefusalLog.of(repository.common_dir)
    for name in names:
        file = repository.snapshot("HEAD").get(entry_path(name))
        if file is not None:
            ids = list_claimed_ids(read_entry(file.data).claims.get("refusals"))
            with suppress(OSError):
                refusals.settle(ids, repository.head().commit or "")


def _was_committed(repository: Repository, name: str) -> bool:
    """Whether an entry is in a commit of any branch, or was lately."""
    path = entry_path(name)
    asked = repository.git("log", "-1", "--all", "--format=%H", "--", path, check=False)
    return asked.code == 0 and bool(asked.text)


def find_parents(repository: Repository) -> tuple[str, ...]:
    """Find the parents of the commit being made, as they are unless it is amended."""
    return repository.commit_in_progress_parents()[0]


def find_root(repository: Repository) -> Path:
    """Return the checkout's directory. Raises GitRefused in a bare repository."""
    if repository.work_tree is None:
        raise GitRefused(str(repository.git_dir), "a bare repository has no sessions")
    return repository.work_tree


def take_out(repository: Repository, root: Path, journals: Sequence[SessionJournal]) -> None:
    """Remove entries that were proposed to a commit that was never made."""
    paths = [entry_path(name) for journal in journals for name in journal.state.proposed]
    update_index(repository, dict.fromkeys(paths))
    for path in paths:
        with suppress(OSError):
            (root / path).unlink()


def bring_along(repository: Repository, root: Path, names: Sequence[str]) -> None:
    """Give the index and the checkout the entries of HEAD that came through a temporary index."""
    if not names:
        return
    head = repository.snapshot("HEAD")
    paths = [*map(entry_path, names), ATTRIBUTES_PATH]
    absent = [path for path in paths if not (root / path).exists()]
    files = {path: head.get(path) for path in absent if head.get(path) is not None}
    if files:
        # After a commit of everything they are there.
        from hkgit.applying.files.directory import write_files

        write_files(root, files)
    listed = repository.git("ls-files", "-z", "--", LEDGER, ATTRIBUTES_PATH).stdout
    known = decode_text(listed).split("\0")
    entries = {path: head.entry(path) for path in paths if path not in known}
    update_index(repository, {path: each.id for path, each in entries.items() if each is not None})


def update_index(repository: Repository, ids: Mapping[str, str | None]) -> None:
    """Set paths of the index to blobs; None takes one out. Raises GitRefused."""
    if not ids:
        return
    lines = (
        f"0 {_NO_OBJECT}\t{path}" if blob is None else f"{REGULAR:o} {blob}\t{path}"
        for path, blob in ids.items()
    )
    data = b"".join(encode_text(line) + b"\0" for line in lines)
    repository.git("update-index", "-z", "--index-info", stdin=data)

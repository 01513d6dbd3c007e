"""Entries into the commit that is being made, and out again.

Every commit with a session waits for this, so it loads nothing that makes entries.

In a hook `GIT_INDEX_FILE` names the index that becomes the commit. With `git commit -- PATH` or
`-a` it is a temporary one, and the checkout's own index gets the entries after the commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from hkgit.applying.files import write_files
from hkgit.edits import REGULAR, encode_text
from hkgit.errors import GitRefused
from hkgit.evidence.entry import ATTRIBUTES_PATH, LEDGER, entry_path
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import SessionJournal, list_waiting
from hkgit.sessions.homes import find_unused, lock_sessions, say_more, say_none_waits
from hkgit.sessions.waiting_edits import has_moved, may_be_committed, open_journals, see_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.commit_entries import Proposal


def withdraw(repository: Repository) -> None:
    """Take out what `stage` has added, where the commit is not made. Raises GitRefused."""
    root = find_root(repository)
    journals = open_journals(repository)
    with lock_all(journals):
        _settle(repository, root, journals)
        for journal in journals:
            journal.record({})


@contextmanager
def lock_all(journals: Iterable[SessionJournal]) -> Iterator[None]:
    """Hold the sessions of these journals against others."""
    with ExitStack() as stack:
        for home in {journal.folder.parent for journal in journals}:
            stack.enter_context(lock_sessions(home))
        yield


def _settle(repository: Repository, root: Path, journals: Sequence[SessionJournal]) -> str:
    """Bring the index in line with what sessions have recorded; return its tree.

    Entries that HEAD has stay, those that were given to a commit that was never made go. So do
    those of a commit that was taken back, unless the index still has them: then it has the work.
    """
    see_head(repository, journals)
    landed = [name for journal in journals for name in journal.landed]
    _settle_refusals(repository, landed)
    tree = repository.index_tree()
    index = repository.snapshot(tree)
    is_behind = any(index.entry(entry_path(name)) is None for name in landed)
    if is_behind:
        bring_along(repository)
    left = [name for journal in journals for name in {*journal.recorded} - journal.landed]
    staged = [name for name in left if index.entry(entry_path(name)) is not None]
    made = _find_made(repository, staged)
    for journal in journals:
        journal.landed |= made & journal.recorded.keys()
    update_index(repository, {entry_path(name): None for name in staged if name not in made})
    for name in left:
        if name not in made:
            with suppress(OSError):
                (root / entry_path(name)).unlink()
    return tree if made.issuperset(staged) and not is_behind else repository.index_tree()


_LOOKED_AT = 200
"""So many places where HEAD was are looked at for an entry that it has no more."""


def _find_made(repository: Repository, names: Sequence[str]) -> frozenset[str]:
    """Find the entries that a commit had on which HEAD was lately."""
    if not names:
        return frozenset()
    asked = ("log", "-g", f"--max-count={_LOOKED_AT}", "--format=%H")
    commits = dict.fromkeys(repository.git(*asked, check=False).text.split())
    return frozenset(
        name
        for name in names
        if any(repository.snapshot(each).entry(entry_path(name)) is not None for each in commits)
    )


def settle_commit(repository: Repository) -> None:
    """Do what is left to do behind a commit. Raises GitRefused."""
    journals = open_journals(repository)
    _settle_refusals(repository, [name for journal in journals for name in journal.landed])
    bring_along(repository)


def _settle_refusals(repository: Repository, names: Sequence[str]) -> None:
    """Note the refused attempts that landed with entries of HEAD."""
    if not names or not (repository.common_dir / "hkgit/refusals.jsonl").exists():
        return
    # Few commits follow a refusal.
    from hkgit.evidence.refusal_log import settle_refusals

    settle_refusals(repository, names, repository.resolve("HEAD"))


def find_root(repository: Repository) -> Path:
    """Return the checkout's directory. Raises GitRefused in a bare repository."""
    if repository.work_tree is None:
        raise GitRefused(str(repository.git_dir), "a bare repository has no sessions")
    return repository.work_tree


def bring_along(repository: Repository) -> None:
    """Give the index and the checkout the entries of HEAD: some come through a temporary index."""
    repository.git("checkout", "--quiet", "HEAD", "--", LEDGER, ATTRIBUTES_PATH, check=False)


def update_index(repository: Repository, ids: Mapping[str, str | None]) -> None:
    """Set paths of the index to blobs; None takes one out. Raises GitRefused."""
    if not ids:
        return
    nothing = "0" * len(repository.empty_tree)
    lines = (
        f"0 {nothing}\t{path}" if blob is None else f"{REGULAR:o} {blob}\t{path}"
        for path, blob in ids.items()
    )
    data = b"".join(encode_text(line) + b"\0" for line in lines)
    repository.git("update-index", "-z", "--index-info", stdin=data)


def stage(repository: Repository) -> Proposal:
    """Add the entries of what is staged to the index being committed.

    Entries that an earlier attempt left are taken out. Raises GitRefused.
    """
    # What only takes entries out, or looks back, makes none.
    from hkgit.sessions.commit_entries import Proposal, propose

    root = find_root(repository)
    journals = open_journals(repository)
    parents = repository.commit_in_progress_parents()[0]
    if not journals or len(parents) > 2:
        return Proposal((), ())
    with lock_all(journals):
        tree = _settle(repository, root, journals)
        if len(parents) == 2:
            from hkgit.sessions.merge_proposal import propose_merge  # few commits are merges

            proposal = propose_merge(repository, journals, tree, (parents[0], parents[1]))
        else:
            head = repository.head().commit
            proposal = propose(repository, list_waiting(journals), head, tree)
        _stage(repository, root, proposal, tree)
        say_more(root, is_more=_is_more(repository, journals, proposal))
        for journal in journals:
            journal.record({each.name: each.list_edits(journal) for each in proposal.entries})
        if not proposal.entries and not may_be_committed(repository, journals):
            say_none_waits(root)
        for journal in journals:
            journal.shorten()
    if find_unused(root):
        from hkgit.sessions.session_states import expire

        expire(root)
    return proposal


def _is_more(
    repository: Repository, journals: Sequence[SessionJournal], proposal: Proposal
) -> bool:
    """Whether a commit may settle refusals, or follow one that was made past the hooks."""
    if any(each.entry.claims.get("refusals") for each in proposal.entries):
        return True
    waiting = list_waiting(journals)
    return bool(waiting) and has_moved(repository, waiting[0].call.time)


def _stage(repository: Repository, root: Path, proposal: Proposal, tree: str) -> None:
    files = proposal.list_files(repository.snapshot(tree))
    if not files:
        return
    if not _is_passing(repository):
        write_files(root, files)
    ids = repository.write_blobs(*(file.data for file in files.values()))
    update_index(repository, dict(zip(files, ids, strict=True)))


def _is_passing(repository: Repository) -> bool:
    """Whether the index is a temporary one, dropped if the commit fails: then no file may be left.

    Not so under the pre-commit framework, which takes a file that only the index has for a change
    by a hook, and fails.
    """
    named = os.environ.get("GIT_INDEX_FILE", "")
    is_framework = "PRE_COMMIT" in os.environ
    return repository.in_hook and named.endswith(".lock") and not is_framework

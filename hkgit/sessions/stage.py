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
from hkgit.edits import REGULAR, File, decode_text, encode_text
from hkgit.errors import GitRefused
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, LEDGER, Entry, entry_path, read_entry
from hkgit.evidence.trailers import read_trailers, render_trailers, sign_words, split_template
from hkgit.git.facts import POLICIES
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository, find_comment_mark, read_message
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.homes import UNNAMED, find_folders, find_unused, lock_sessions, say_none_waits
from hkgit.sessions.outstanding import may_be_committed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.proposal import Proposal


def sign(repository: Repository, place: Path) -> bool:
    """Put the trailers of the entries being committed into a message; return whether it changed.

    A message without words stays as it is, so that git can still refuse an empty one, and an
    entry that the message names already is not named again. Raises InvalidInput.
    """
    message = read_message(place)
    entries = _find_added_entries(repository)
    text, template = split_template(message, find_comment_mark(repository))
    named = read_trailers(text).entries
    new = [(name, entry) for name, entry in entries if name not in named]
    lines = (*_credit(repository, [entry for _, entry in new], text), *name_entries(new))
    if not lines or not text.strip():
        return False
    place.write_bytes(sign_words(text, template, lines))
    return True


def _credit(repository: Repository, entries: Sequence[Entry], text: bytes) -> tuple[str, ...]:
    """The `Assisted-by` lines that the policy asks for; most policies ask for none."""
    head = repository.head().commit
    if head is None or not entries:
        return ()
    files = map(repository.snapshot(head).get, POLICIES)
    told = b"".join(file.data for file in files if file is not None)
    if not any(word in told for word in (b"assisted_by", b"extends")):
        return ()
    # Only then is the whole policy of interest.
    from hkgit.evidence.trailers import list_missing_lines
    from hkgit.gate.trusted_policy import read_trusted_policy

    if read_trusted_policy(repository, head).assisted_by != "require":
        return ()
    return tuple(list_missing_lines(entries, text))


def _find_added_entries(repository: Repository) -> list[tuple[str, Entry]]:
    """Find the ledger entries that are in the index and in no parent of the commit."""
    parents = repository.commit_in_progress_parents()[0]
    first, *others = [repository.commit(each).tree for each in parents] or [EMPTY_TREE]
    known = [repository.snapshot(tree) for tree in others]
    changes = repository.changes(first, repository.index_tree())
    return [
        (
            change.path.removeprefix(f"{LEDGER}/").replace("/", "").removesuffix(".json"),
            read_entry(repository.blob(change.new.id)),
        )
        for change in changes
        if change.path.startswith(f"{LEDGER}/")
        and change.old is None
        and change.new is not None
        and all(files.entry(change.path) is None for files in known)
    ]


def name_entries(entries: Sequence[tuple[str, Entry]]) -> tuple[str, ...]:
    """Write the trailers: all of them for one entry, only ids and agents for several."""
    if len(entries) == 1:
        [(name, entry)] = entries
        return render_trailers(entry, name)
    named = [f"Hkgit-Entry: sha256:{name}" for name, _ in entries]
    agents = dict.fromkeys(entry.agent for _, entry in entries)
    return (*named, *(f"Hkgit-Agent: {agent}" for agent in agents))


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
            from hkgit.sessions.end import drop_ended  # few sessions are ended by a word

            drop_ended(repository, root, journals)
    if find_unused(root):
        from hkgit.sessions.end import expire

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
    from hkgit.evidence.entry import read_entry
    from hkgit.evidence.refusal_log import RefusalLog, list_claimed_ids

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
        from hkgit.applying.files import write_files

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


def stage(repository: Repository) -> Proposal:
    """Add the entries of what is staged to the index being committed.

    Entries that an earlier attempt left are taken out. Raises GitRefused.
    """
    from hkgit.sessions.proposal import Proposal, propose, propose_merge

    root = find_root(repository)
    journals = open_journals(root)
    parents = find_parents(repository)
    if not journals or len(parents) > 2:
        return Proposal((), ())
    with lock_all(journals):
        bring_along(repository, root, settle(repository, journals))
        take_out(repository, root, journals)
        tree = repository.index_tree()
        if len(parents) == 2:
            proposal = propose_merge(repository, journals, tree, (parents[0], parents[1]))
        else:
            proposal = propose(repository, journals, tree)
        _stage(repository, root, proposal, tree)
        for journal in journals:
            mine = [each for entry in proposal.entries for each in entry.list_edits(journal)]
            if mine or journal.state.proposed:
                journal.propose(mine)
        if not proposal.entries and not may_be_committed(repository, root, journals):
            say_none_waits(root)
    return proposal


def _stage(repository: Repository, root: Path, proposal: Proposal, tree: str) -> None:
    files = {each.path: File(each.entry.to_bytes()) for each in proposal.entries}
    if not files:
        return
    if repository.snapshot(tree).get(ATTRIBUTES_PATH) is None:
        files[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    if not _is_passing(repository):
        write_files(root, files)
    ids = repository.write_blobs(file.data for file in files.values())
    update_index(repository, dict(zip(files, ids, strict=True)))


def _is_passing(repository: Repository) -> bool:
    """Whether the index is a temporary one, dropped if the commit fails: then no file may be left.

    Not so under the pre-commit framework, which takes a file that only the index has for a change
    by a hook, and fails.
    """
    named = os.environ.get("GIT_INDEX_FILE", "")
    is_framework = "PRE_COMMIT" in os.environ
    return repository.in_hook and named.endswith(".lock") and not is_framework

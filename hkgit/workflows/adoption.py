"""Evidence from an agent's own log."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from hkgit.edits import File
from hkgit.errors import GitRefused
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.evidence.replay import record_ref
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.sessions import homes as places
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, list_waiting
from hkgit.sessions.commit_entries import Proposal, propose
from hkgit.sessions.waiting_edits import open_journals
from hkgit.sessions.writer import at_work
from hkgit.values import dataclass
from hkgit.workflows.explanation import Explanation, Origin, explain
from hkgit.workflows.log_replay import Replayed, TranscriptReplay
from hkgit.workflows.log_results import FileVersions, name_change
from hkgit.workflows.log_steps import Step

_SLACK = 24 * 3600
"""Seconds that a commit's clock may be behind that of its edits."""

OWN = ".hkgit/"
"""What hkgit itself writes into commits: not an edit, so not explained."""


class Transcripts(Protocol):
    """Where steps come from: logs of agents, read when they are asked for."""

    def steps(self, known: frozenset[str], wanted: frozenset[str]) -> Iterable[Step]:
        """Yield steps about the `wanted` paths, oldest first; `known` are all paths there are."""


@dataclass(frozen=True)
class Adoption:
    """What the transcripts explain of one change; `commit` is None where it is no commit yet.

    `entries` counts the ledger entries made of recovered calls; `record` is the ref that keeps
    them. `skipped` are calls that could not be replayed, each with the reason.
    """

    commit: str | None
    explanation: Explanation
    proposal: Proposal
    replayed: Replayed
    record: str | None = None

    @property
    def is_whole(self) -> bool:
        return self.explanation.is_whole

    @property
    def entries(self) -> int:
        """How many of its entries are made of recovered calls."""
        return sum(each.entry.is_recovered for each in self.proposal.entries)

    def step(self, origin: Origin) -> Step | None:
        """Find the step of a transcript behind an edit; None for one that a session recorded."""
        session, call, _ = origin.unit.key
        return self.replayed.steps.get((session, call))


def store_checkout(repository: Repository, option: str = "-A") -> str:
    """Store the tree of what is in the checkout, as `git add` with that option would stage it."""
    return store_tree(repository, repository.head().commit, "add", option, "--", ":/")


def store_tree(repository: Repository, start: str | None, *command: str, stdin: bytes = b"") -> str:
    """Store the tree that a command of git makes of another, in an index of its own."""
    with tempfile.TemporaryDirectory(prefix="hkgit-index-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if start is not None:
            repository.git("read-tree", start, env=env)
        repository.git(*command, stdin=stdin, env=env)
        return repository.git("write-tree", env=env).text


def list_changed_paths(repository: Repository, before: str, after: str) -> frozenset[str]:
    """List the paths in which two trees differ, without those of hkgit itself."""
    changes = repository.changes(before, after)
    return frozenset(each.path for each in changes if not each.path.startswith(OWN))


def adopt_tree(
    repository: Repository, transcripts: Transcripts, tree: str, *, keeps: bool = True
) -> Adoption:
    """Explain a tree that is no commit yet; what is found goes into the checkout's sessions.

    Unless nothing is to be kept. Raises GitRefused, Unverifiable.
    """
    head = repository.head().commit
    before = EMPTY_TREE if head is None else repository.commit(head).tree
    if repository.work_tree is None:
        what = "a bare repository has no change that is not committed"
        raise GitRefused(str(repository.git_dir), what, "Name commits: hkgit adopt A..B")
    live = open_journals(repository, repository.work_tree)
    with _replay(repository, transcripts, [(before, tree)], live) as replayed:
        units = list_waiting([*live, *replayed.journals.values()])
        proposal = propose(repository, units, head, tree)
        explanation = _explain(repository, proposal, (before, tree))
        if keeps:
            _keep_calls(repository.work_tree, proposal, replayed)
        return Adoption(None, explanation, proposal, replayed)


def adopt_commits(
    repository: Repository,
    transcripts: Transcripts,
    commits: Sequence[str],
    *,
    keeps: bool = True,
) -> list[Adoption]:
    """Explain commits, parents first; what is found is kept beside the history.

    Unless nothing is to be kept. Raises GitRefused, Unverifiable.
    """
    found = []
    sides = [_find_trees(repository, commit) for commit in commits]
    with _replay(repository, transcripts, sides) as replayed:
        journals = [*replayed.journals.values()]
        for commit, (before, after) in zip(commits, sides, strict=True):
            units = _list_in_time(repository, journals, commit)
            base = next(iter(repository.commit(commit).parents), None)
            proposal = propose(repository, units, base, after)
            explanation = _explain(repository, proposal, (before, after))
            for journal in journals:  # what a commit has taken is not there for the next
                made = {each.name: each.list_edits(journal) for each in proposal.entries}
                journal.landed |= {name for name, edits in made.items() if edits}
                journal.record(made)
            record = None
            if keeps and proposal.entries:
                record = record_ref(commit)
                files = {each.path: File(each.entry.to_bytes()) for each in proposal.entries}
                if repository.snapshot(after).get(ATTRIBUTES_PATH) is None:
                    files[ATTRIBUTES_PATH] = File(ATTRIBUTES)
                repository.write_ref(record, repository.write_tree(after, files))
            found.append(Adoption(commit, explanation, proposal, replayed, record=record))
    return found


def propose_recovered(
    repository: Repository, transcripts: Transcripts, commit: str, start: str
) -> Proposal:
    """Propose entries for what a commit changes beyond a tree, from transcripts alone."""
    after = repository.commit(commit).tree
    with _replay(repository, transcripts, [(start, after)]) as replayed:
        units = _list_in_time(repository, replayed.journals.values(), commit)
        return propose(repository, units, start, after)


def _list_in_time(
    repository: Repository, journals: Iterable[SessionJournal], commit: str
) -> list[PendingEdit]:
    """List the edits that were made before a commit, by its author's time: a rebase keeps that."""
    found = repository.commit(commit)
    header = re.search(rb"^author .*> (\d+) [+-]\d+$", found.raw, re.MULTILINE)
    last = (found.time if header is None else int(header[1])) + _SLACK
    return [unit for unit in list_waiting(journals) if unit.call.time <= last * 1000]


def _find_trees(repository: Repository, commit: str) -> tuple[str, str]:
    """The trees before and after a commit. Raises Unverifiable where the one before is not here."""
    found = repository.commit(commit)
    before = repository.commit(found.parents[0]).tree if found.parents else EMPTY_TREE
    return before, found.tree


@contextmanager
def _replay(
    repository: Repository,
    transcripts: Transcripts,
    sides: Sequence[tuple[str, str]],
    live: Sequence[SessionJournal] = (),
) -> Iterator[Replayed]:
    """Replay the transcripts' steps about all that differs between the sides."""
    wanted = frozenset(path for side in sides for path in list_changed_paths(repository, *side))
    known = set(wanted)
    for tree in {tree for side in (*sides[:1], *sides[-1:]) for tree in side}:
        known.update(repository.snapshot(tree).paths())
    recorded = frozenset(
        name_change(change)
        for journal in live
        for call in journal.load().calls
        for change in call.changes
    )
    versions = FileVersions(repository, tuple(before for before, _ in sides[:1]))
    with tempfile.TemporaryDirectory(prefix="hkgit-adopt-") as folder:
        replay = TranscriptReplay(Path(folder), versions, recorded)
        yield replay.take(transcripts.steps(frozenset(known), wanted))


def _explain(repository: Repository, proposal: Proposal, trees: tuple[str, str]) -> Explanation:
    before, after = map(repository.snapshot, trees)
    return explain(proposal.built, (before, after), list_changed_paths(repository, *trees))


def _keep_calls(root: Path, proposal: Proposal, replayed: Replayed) -> None:
    """Write the recovered calls that a proposal uses into sessions of the checkout."""
    for name, found in sorted(replayed.journals.items()):
        used = {call for each in proposal.entries for call, _, _ in each.list_edits(found)}
        if not used:
            continue
        journal = SessionJournal(places.choose_folder(root, name))
        with at_work(root, journal):
            for number in sorted(used):
                _copy_call(found, journal, number)


def _copy_call(found: SessionJournal, journal: SessionJournal, number: int) -> None:
    [call] = (each for each in found.calls if each.id == number)
    for change in call.changes:
        for version in (change.before, change.after):
            data = None if version is None else found.blobs.get(version.sha256)
            if data is not None:
                journal.blobs.put(data)
    journal.end(journal.begin(call), {})

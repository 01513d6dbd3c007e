"""Evidence from an agent's own log."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Protocol

from hkgit.applying.evidence import HASHED, is_empty, join_touched
from hkgit.edits import File, Snapshot
from hkgit.errors import GitRefused
from hkgit.evidence.replay import record_ref
from hkgit.git.repository import Repository
from hkgit.sessions import homes as places
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, list_waiting
from hkgit.sessions.commit_entries import Proposal, propose
from hkgit.sessions.placement import Built
from hkgit.sessions.waiting_edits import open_journals
from hkgit.sessions.writer import at_work
from hkgit.text.diff import find_common, list_changes
from hkgit.text.document import Document, Lines
from hkgit.values import dataclass, field
from hkgit.workflows.log_replay import FileVersions, Replayed, TranscriptReplay, name_change
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

    def step(self, unit: PendingEdit) -> Step | None:
        """Find the step of a transcript behind an edit; None for one that a session recorded."""
        session, call, _ = unit.key
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
    repository: Repository, transcripts: Transcripts, tree: str, *, keeps: bool
) -> Adoption:
    """Explain a tree that is no commit yet; what is found goes into the checkout's sessions.

    Unless nothing is to be kept. Raises GitRefused, Unverifiable.
    """
    head = repository.head().commit
    before = repository.snapshot(head).tree_id
    if repository.work_tree is None:
        what = "a bare repository has no change that is not committed"
        raise GitRefused(str(repository.git_dir), what, "Name commits: hkgit adopt A..B")
    live = open_journals(repository)
    with _replay(repository, transcripts, [(before, tree)], live) as replayed:
        units = list_waiting([*live, *replayed.journals.values()])
        proposal = propose(repository, units, head, tree)
        explanation = _explain(repository, proposal.built, (before, tree))
        if keeps:
            _keep_calls(repository.work_tree, proposal, replayed)
        return Adoption(None, explanation, proposal, replayed)


def adopt_commits(
    repository: Repository,
    transcripts: Transcripts,
    commits: Sequence[str],
    *,
    keeps: bool,
) -> list[Adoption]:
    """Explain commits, parents first; what is found is kept beside the history.

    Unless nothing is to be kept. Raises GitRefused, Unverifiable.
    """
    found = []
    bases = [next(iter(repository.commit(each).parents), None) for each in commits]
    sides = [
        (repository.snapshot(base).tree_id, repository.commit(each).tree)
        for base, each in zip(bases, commits, strict=True)
    ]
    with _replay(repository, transcripts, sides) as replayed:
        journals = [*replayed.journals.values()]
        for commit, base, (before, after) in zip(commits, bases, sides, strict=True):
            units = _list_in_time(repository, journals, commit)
            proposal = propose(repository, units, base, after)
            explanation = _explain(repository, proposal.built, (before, after))
            for journal in journals:  # what a commit has taken is not there for the next
                made = {each.name: each.list_edits(journal) for each in proposal.entries}
                journal.landed |= {name for name, edits in made.items() if edits}
                journal.record(made)
            record = None
            if keeps and proposal.entries:
                record = record_ref(commit)
                files = proposal.list_files(repository.snapshot(after))
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
    versions = FileVersions(repository, repository.snapshot(sides[0][0] if sides else None))
    with tempfile.TemporaryDirectory(prefix="hkgit-adopt-") as folder:
        replay = TranscriptReplay(Path(folder), versions, recorded)
        yield replay.take(transcripts.steps(frozenset(known), wanted))


def _keep_calls(root: Path, proposal: Proposal, replayed: Replayed) -> None:
    """Write the recovered calls that a proposal uses into sessions of the checkout."""
    for name, found in sorted(replayed.journals.items()):
        used = {call for each in proposal.entries for call, _, _ in each.list_edits(found)}
        if not used:
            continue
        journal = SessionJournal(places.choose_folder(root, name))
        with at_work(root, journal):
            for call in (each for each in found.calls if each.id in used):
                versions = (mark for each in call.changes for mark in (each.before, each.after))
                journal.blobs.put_files(map(found.blobs.file, versions))
                journal.end(journal.begin(call), {})


def count_lines(lines: Lines) -> int:
    """Count how many lines a range has; a point counts as one."""
    return 1 if is_empty(lines) else lines[1] - lines[0] + 1


@dataclass(frozen=True)
class ChangedLines:
    """Lines `first..last` of a file that were changed; an empty range where some were taken out."""

    path: str
    first: int
    last: int

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass(frozen=True)
class ExplainedLines(ChangedLines):
    """Lines that one edit made."""

    unit: PendingEdit

    @property
    def changed(self) -> int:
        """How many lines the edit changed."""
        return sum(map(count_lines, self.unit.edit.base_lines))

    @property
    def changed_share(self) -> int | None:
        """How much of its evidence the edit changed, per mille; None without evidence."""
        edit = self.unit.edit
        if edit.evidence not in HASHED:
            return None
        if edit.evidence_lines is None:
            return 1000
        return min(1000, 1000 * self.changed // count_lines(edit.evidence_lines))


@dataclass(frozen=True)
class UnexplainedLines(ChangedLines):
    """Lines that no entry derives."""

    what: str = ""

    @property
    def where(self) -> str:
        """Its path and lines, as findings name them."""
        first, last = join_touched([(self.first, self.last)])
        return f"{self.path}:{first}-{last}" if first < last else f"{self.path}:{first}"


@dataclass
class Explanation:
    """What of a commit's changes is explained, and what is not."""

    explained: list[ExplainedLines] = field(default_factory=list)
    unexplained: list[UnexplainedLines] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left over."""
        return not self.unexplained

    @property
    def counts(self) -> tuple[int, int]:
        """How many changed places are explained, and how many there are."""
        explained = sum(each.count for each in self.explained)
        return explained, explained + sum(each.count for each in self.unexplained)


def _explain(repository: Repository, built: Built, trees: tuple[str, str]) -> Explanation:
    """Explain what differs between two trees, by the edits that were put on the first.

    A line is explained where the hunks of an entry write it. What no entry derives is left over.
    Where something is left over in a file, a diff pairs lines by their text alone, and a brace or
    a blank line is anywhere. There such a line counts only among lines that are beside it in both
    texts, and so does one that somebody has copied.
    """
    before, after = map(repository.snapshot, trees)
    traces, removals = _trace(built, before)
    found = Explanation()
    for path in sorted(list_changed_paths(repository, *trees)):
        base, derived, actual = before.get(path), built.files.get(path), after.get(path)
        if actual is not None:
            origins = traces.setdefault(path, _number_lines(base))
            _explain_file(found, path, (base, derived, actual), origins)
        elif derived is None and path in removals:
            found.explained.append(ExplainedLines(path, 1, 0, removals[path]))
        elif base is not None:
            what = f"the file was removed ({Document(base.data).line_count} lines)"
            found.unexplained.append(UnexplainedLines(path, 1, 0, what))
    return found


Origins = Sequence[int | PendingEdit]
"""What each line of a file is as entries make it: its number in the base, or its edit."""


def _number_lines(base: File | None) -> Origins:
    return range(1, 1 + Document.of(base).line_count)


def _trace(built: Built, before: Snapshot) -> tuple[dict[str, Origins], dict[str, PendingEdit]]:
    """Follow files from spec to spec; tells also which edit took a file away."""
    traces: dict[str, Origins] = {}
    removals: dict[str, PendingEdit] = {}
    for step in built.steps:
        own = {unit.number: unit for unit in step.units}
        for change in step.changes:
            lines: list[int | PendingEdit] = []
            if change.path is not None:
                lines += traces.setdefault(change.path, _number_lines(before.get(change.path)))
            for hunk in reversed(change.hunks):
                origin = own[next(each for each in hunk.edits if each in own)]
                lines[hunk.start_line - 1 : hunk.end_line] = [origin] * len(hunk.new_lines)
            if change.path is not None and change.path != change.new_path:
                by = [each for each in own.values() if each.edit.path == change.path]
                traces[change.path], removals[change.path] = (), by[-1]
            if change.new_path is not None:
                traces[change.new_path] = lines
    return traces, removals


def _explain_file(
    found: Explanation,
    path: str,
    files: tuple[File | None, File | None, File],
    origins: Origins,
) -> None:
    _, derived, actual = files
    old, made, now = (Document.of(each) for each in files)
    is_same = derived is not None and derived.data == actual.data
    pairs = find_common(made.lines, now.lines)
    by = _find_origins(now, origins, pairs, is_exact=is_same)
    ended = [j for i, j in pairs if made.end_of(i + 1) != now.end_of(j + 1)]
    of_base = {i: each for i, each in enumerate(origins) if isinstance(each, int)}
    known = {j for i, j in pairs if i in of_base}.union(ended)
    there = {*of_base.values()}
    left = there - {of_base.get(i) for i, _ in pairs}
    # A line that a call wrote is not one of the base's that is elsewhere.
    common = find_common(old.lines, now.lines)
    kept = [(i, j) for i, j in common if j not in by or i + 1 not in there]
    first_new = len(found.unexplained)
    for change in list_changes(kept, old.line_count, now.line_count):
        added = [j for j in range(change.new_start, change.new_end) if j not in known]
        for run in _find_runs(added, by.get):
            origin = by.get(run[0])
            if origin is None:
                found.unexplained.append(UnexplainedLines(path, run[0] + 1, run[-1] + 1))
            else:
                found.explained.append(ExplainedLines(path, run[0] + 1, run[-1] + 1, origin))
        gone = range(change.old_start + 1, change.old_end + 1)
        if by.keys() >= {*added} and not left.isdisjoint(gone):
            place = change.new_end
            found.unexplained.append(UnexplainedLines(path, place + 1, place, "lines removed"))
    for run in _find_runs(ended, lambda j: None):
        found.unexplained.append(UnexplainedLines(path, run[0] + 1, run[-1] + 1, "line ends"))
    if len(found.unexplained) > first_new or is_same:
        return
    if derived is None:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "the file was created"))
    elif derived.mode != actual.mode:
        found.unexplained.append(UnexplainedLines(path, 1, 0, f"its mode is {actual.mode:o}"))
    elif made.lines == now.lines:
        found.unexplained.append(UnexplainedLines(path, 1, 0, "line ends"))


def _find_runs(lines: Iterable[int], whose: Callable[[int], object]) -> Iterator[range]:
    """Join lines that follow one another and are of the same one."""
    numbered = enumerate(lines)
    for _, run in groupby(numbered, key=lambda each: (each[1] - each[0], whose(each[1]))):
        found = [line for _, line in run]
        yield range(found[0], found[-1] + 1)


_WORD = re.compile(rb"\w\w")
"""What a line has that says something by itself."""


def _find_origins(
    now: Document, origins: Origins, pairs: Sequence[tuple[int, int]], *, is_exact: bool
) -> dict[int, PendingEdit]:
    """Find the lines that calls made; of a file that was changed otherwise too, only sure ones.

    `pairs` are the lines as entries make them that are in the file, with their places there.
    """
    known = ((j, origins[i]) for i, j in pairs)
    by = {j: origin for j, origin in known if isinstance(origin, PendingEdit)}
    if is_exact:
        return by
    places = {j: i for i, j in pairs}
    copied = {line for j, line in enumerate(now.lines) if j not in places}
    places |= {-1: -1, now.line_count: len(origins)}

    def is_among(j: int) -> bool:
        """Whether the lines above and below a line are its neighbours in the trace, too."""
        return all(places.get(j + step) == places[j] + step for step in (1, -1))

    sure = {
        j for j in by if _WORD.search(now.lines[j]) and (now.lines[j] not in copied or is_among(j))
    }
    for step in (1, -1):
        for j in sorted(by, reverse=step < 0):
            if is_among(j) and j - step in sure and by[j - step].key == by[j].key:
                sure.add(j)
    return {j: by[j] for j in sure - _find_sliding(now, by)}


def _find_sliding(now: Document, by: Mapping[int, PendingEdit]) -> set[int]:
    """Find the ends of what a call wrote that may as well be the equal lines beyond the other end.

    To a diff it is the same whether a call wrote a blank line and a function, or a function and
    the blank line after it.
    """
    lines = dict(enumerate(now.lines))
    found = set[int]()
    for run in _find_runs(sorted(by), lambda j: by[j].key):
        for block, away in ((reversed(run), -len(run)), (run, len(run))):
            for j in block:
                if lines[j] != lines.get(j + away):
                    break
                found.add(j)
    return found

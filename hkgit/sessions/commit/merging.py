"""merging.py: make the entries of a merge whose conflicts sessions have resolved.

Sessions edit a file with conflict markers, which no commit has. So their edits are restated on
the file with the first parent's side of each conflict: one entry for what git has merged around
the conflicts, and one on top of it for each call. Together with git's own merge they must give
what is staged, else nothing is recorded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hkgit import dialects
from hkgit.applying.carry.carrying import LineMap
from hkgit.applying.carry.following import join_lines
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_blind
from hkgit.applying.outcome import Plan, files_after
from hkgit.applying.planner import plan
from hkgit.edits import File, InsertAfter, Overlay, Read, ReplaceRange, Spec, decode_text
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.ledger.canonical import digest
from hkgit.evidence.ledger.entry import entry_id
from hkgit.evidence.ledger.names import ATTRIBUTES, ATTRIBUTES_PATH, entry_path
from hkgit.evidence.ledger.readings import claim_readings
from hkgit.evidence.ledger.recording import make_claims, record
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.evidence.replay.merging.merges import replay_merge
from hkgit.git.repository import Repository
from hkgit.git.transactions.landing import RESOLVE
from hkgit.matching.places import Settings
from hkgit.sessions.commit.pending import PendingEdit, list_waiting
from hkgit.sessions.commit.proposing import Proposal, ProposedEntry
from hkgit.sessions.drafting import render_mending_read
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import Proposed
from hkgit.text import diff
from hkgit.text.document import Document
from hkgit.values import dataclass, field

GIT = "git merge"
"""The agent named in the entry of what git has merged."""

_CONFLICT = re.compile(
    rb"^<{7} [^\n]*\n(.*?)(?:^\|{7}[^\n]*\n.*?)?^={7}\r?\n.*?^>{7} [^\n]*\n",
    re.DOTALL | re.MULTILINE,
)


def without_marks(data: bytes) -> bytes:
    """Replace each marked conflict in a file by the first parent's side."""
    return _CONFLICT.sub(rb"\1", data)


@dataclass(frozen=True, slots=True)
class _Step:
    """One spec of a call and what it made of a conflicted file."""

    path: str
    units: tuple[PendingEdit, ...]
    before: bytes
    after: bytes

    @property
    def unit(self) -> PendingEdit:
        return self.units[0]

    def reads(self) -> Iterator[Read]:
        """What the session knew of the file, as receipts of the lines without marks."""
        plain = Document(without_marks(self.before))
        moved = LineMap.between(self.before, plain.data).lines
        numbers = (
            number for first, last in self._list_known() for number in range(first, last + 1)
        )
        for lines in join_lines((moved[each], moved[each]) for each in numbers if each in moved):
            yield Read(self.path, *lines, plain.range_hash(*lines), "receipt")

    def _list_known(self) -> Iterator[Lines]:
        """List lines that were read, or that an edit with a hash of its own replaced."""
        count = Document(self.before).line_count
        for read in self.unit.reads:
            if read.path == self.path:
                yield read.start_line or 1, read.end_line or count
        for unit in self.units:
            if not is_blind(unit.journaled.evidence[unit.number - 1]):
                yield from unit.journaled.touched[unit.number - 1]


def propose_merge(
    repository: Repository, journals: Sequence[SessionJournal], tree: str, parents: tuple[str, str]
) -> Proposal:
    """Propose the entries that resolve a merge's staged conflicts, or say why there are none."""
    attempt = repository.attempt_merge(parents)
    ours = repository.snapshot(parents[0])
    staged = repository.snapshot(tree)
    paths = [path for path in attempt.conflicts if staged.entry(path) != ours.entry(path)]
    units = [unit for unit in list_waiting(journals) if unit.paths.intersection(paths)]
    if not units:
        return Proposal((), ())
    repository.git("unpack-objects", "-q", stdin=attempt.objects)
    marked = repository.snapshot(attempt.tree)
    proposed = _Proposed(parents[0], Overlay(ours))
    try:
        for path in paths:
            proposed.add(path, marked.get(path), staged.get(path), units)
        _expect_merge(repository, tree, parents, proposed.entries)
    except HkgitError as error:
        return Proposal((), (f"the merge is not recorded: {error.where}: {error.what}", RESOLVE))
    return Proposal(tuple(proposed.entries), tuple(proposed.blind))


@dataclass
class _Proposed:
    """Builds entries one on top of the other, starting from the files of the first parent."""

    base: str
    files: Overlay
    entries: list[ProposedEntry] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)

    def add(
        self, path: str, marked: File | None, staged: File | None, units: Sequence[PendingEdit]
    ) -> None:
        """Account for one conflicted path. Raises InvalidInput where edits do not."""
        ours = self.files.get(path)
        if ours is None or marked is None or staged is None:
            raise InvalidInput(path, "one side of the conflict has no such file")
        merged = without_marks(marked.data)
        steps = _steps(path, units, staged.data, (merged, ours.data))
        start = without_marks(steps[0].before)
        whole = Read(path, None, None, Document(ours.data).whole_hash)
        self._add(steps[0], start, GIT, [whole], ())
        for step in steps:
            numbers = tuple(unit.number for unit in step.units)
            agent, reads = step.unit.call.agent, list(step.reads())
            planned = self._add(step, without_marks(step.after), agent, reads, numbers)
            self.blind += _list_blind(step, planned)

    def _add(
        self,
        step: _Step,
        after: bytes,
        agent: str,
        reads: Sequence[Read],
        numbers: tuple[int, ...],
    ) -> Plan:
        """Add an entry for a change of a file, unless nothing changes."""
        before = self.files.get(step.path)
        if before is None or before.data == after:
            return Plan((), ())
        spec = _restate(step.path, before.data, after)
        planned = plan(spec, self.files, reads=reads)
        if planned.first_error is not None:
            raise planned.first_error
        entry = record(
            spec,
            planned,
            settings=Settings(),
            base=self.base,
            spec_digest=spec.digest,
            reads=reads,
            claims=make_claims(
                agent, step.unit.call.time // 1000, readings=claim_readings(step.unit.shown)
            ),
        )
        name = entry_id(entry.to_bytes())
        proposed = Proposed(name, step.unit.call.id, step.unit.spec, numbers)
        self.entries.append(ProposedEntry(entry, step.unit.journal, proposed))
        self.files = Overlay(self.files.below, {**self.files.files, **files_after(planned)})
        return planned


def _steps(
    path: str, units: Iterable[PendingEdit], staged: bytes, bases: tuple[bytes, bytes]
) -> list[_Step]:
    """The edits of sessions that lead from the file as git left it to the file as staged."""
    steps: list[_Step] = []
    wanted = digest(staged)
    here = (unit for unit in units if path in unit.paths)
    groups = [tuple(group) for _, group in groupby(here, key=lambda unit: unit.key)]
    for group in reversed(groups):
        kept = group[0].journal.blobs.get
        for change in group[0].journaled.changes:
            if path != change.path or path != change.new_path:
                continue
            before = None if change.before is None else kept(change.before.sha256)
            after = None if change.after is None else kept(change.after.sha256)
            if before is None or after is None or digest(after) != wanted:
                break
            steps.insert(0, _Step(path, group, before, after))
            wanted = digest(before)
            if without_marks(before) in bases:
                return steps
    what = "what is staged is not just what edits of sessions made of the conflict"
    raise InvalidInput(path, what)


def _restate(path: str, before: bytes, after: bytes) -> Spec:
    """A spec of line ranges that turns one text into another."""
    old, new = Document(before).lines, Document(after).lines
    edits = tuple(_restate_change(path, each, new) for each in diff.find_changes(old, new))
    render = dialects.DIALECTS["protocol"].render
    whole = hashlib.sha256(render(edits).encode("utf-8", "surrogateescape")).hexdigest()
    return Spec(
        dialect="protocol",
        edits=edits,
        blocks=tuple(render([each]) for each in edits),
        sequential=False,
        digest=whole,
    )


def _restate_change(
    path: str, change: diff.LineChange, new: Sequence[bytes]
) -> ReplaceRange | InsertAfter:
    lines = tuple(map(decode_text, new[change.new_start : change.new_end]))
    if change.old_start == change.old_end:
        return InsertAfter(path, change.old_start, lines)
    return ReplaceRange(path, change.old_start + 1, change.old_end, lines)


def _list_blind(step: _Step, planned: Plan) -> Iterator[str]:
    """List the edits that nothing ties to what was read, each with the read that mends it."""
    if not any(is_blind(outcome.evidence.kind) for outcome in planned.outcomes):
        return
    session, call, _ = step.unit.key
    for unit in step.units:
        command = render_mending_read(
            step.path, unit.journaled.touched[unit.number - 1], session, call
        )
        yield f"{unit.name} is blind; mend it: {command}"


def _expect_merge(
    repository: Repository, tree: str, parents: tuple[str, str], entries: Sequence[ProposedEntry]
) -> None:
    """Raise InvalidInput unless a tree is git's merge plus what the entries change."""
    files = {entry_path(each.proposed.entry): File(each.entry.to_bytes()) for each in entries}
    whole = repository.write_tree(tree, {**files, ATTRIBUTES_PATH: File(ATTRIBUTES)})
    judged = replay_merge(
        repository,
        CandidateCommit(
            id=None, tree=whole, parents=parents, author="", committer="", message=None
        ),
    )
    for finding in () if judged is None else judged.findings:
        raise InvalidInput(finding.where, finding.what)

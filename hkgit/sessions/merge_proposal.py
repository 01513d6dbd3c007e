"""The entries that resolve the conflicts of a merge.

Sessions edit a file with conflict markers, which no commit has. So their edits are restated on
the file with the first parent's side of each conflict: one entry for what git has merged around
the conflicts, and one on top of it for each call. Together with git's own merge they must give
what is staged, else nothing is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hkgit.applying.draft import Lines
from hkgit.applying.edit_lines import join_lines
from hkgit.applying.evidence import LATE, is_blind
from hkgit.applying.line_map import LineMap
from hkgit.applying.net import words_of_files
from hkgit.applying.outcome import Plan, files_after
from hkgit.applying.planner import plan
from hkgit.edits import File, Overlay, Read
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import make_claims, make_squash_claim, record
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, digest, entry_id
from hkgit.evidence.replay import replay_merge
from hkgit.evidence.verdict import CandidateCommit
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import RESOLVE
from hkgit.matching.place import Settings
from hkgit.sessions.call_journal import (
    PendingEdit,
    SessionJournal,
    list_waiting,
)
from hkgit.sessions.call_plan import render_mending_read
from hkgit.sessions.proposal import Proposal, ProposedEntry
from hkgit.sessions.selection import restate
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
    """What calls made of a conflicted file; `known` are lines read, numbered without the marks.

    `kind` is the evidence that they give: `late` where one of them was read after the fact.
    """

    path: str
    units: tuple[PendingEdit, ...]
    before: bytes
    after: bytes
    known: frozenset[int]
    kind: str

    def reads(self) -> Iterator[Read]:
        """What the session knew of the file, as reads of the lines without marks."""
        plain = Document(without_marks(self.before))
        for lines in join_lines((number, number) for number in self.known):
            yield Read(self.path, *lines, plain.range_hash(*lines), self.kind)


def _make_step(path: str, units: tuple[PendingEdit, ...], before: bytes, after: bytes) -> _Step:
    """The step of one spec of a call."""
    moved = LineMap.between(before, without_marks(before)).lines
    known = (
        moved[number]
        for first, last in _list_known(path, units, Document(before).line_count)
        for number in range(first, last + 1)
        if number in moved
    )
    is_late = any(read.path == path and read.kind == LATE for read in units[0].entry.reads)
    return _Step(
        path=path,
        units=units,
        before=before,
        after=after,
        known=frozenset(known),
        kind=LATE if is_late else "receipt",
    )


def _list_known(path: str, units: Sequence[PendingEdit], count: int) -> Iterator[Lines]:
    """List lines that were read, or that an edit with a hash of its own replaced."""
    for read in units[0].entry.reads:
        if read.path == path:
            yield read.start_line or 1, read.end_line or count
    for unit in units:
        if not is_blind(unit.edit.evidence):
            yield from unit.edit.base_lines


def _join_steps(steps: Sequence[_Step]) -> _Step:
    """All steps of a file as one: nothing of the versions between them is told."""
    first, last = steps[0], steps[-1]
    start = without_marks(first.before)
    known = {
        moved[number]
        for step in steps
        for moved in (LineMap.between(without_marks(step.before), start).lines,)
        for number in step.known
        if number in moved
    }
    units = tuple(unit for step in steps for unit in step.units)
    return _Step(
        path=first.path,
        units=units,
        before=first.before,
        after=last.after,
        known=frozenset(known),
        kind=LATE if any(step.kind == LATE for step in steps) else "receipt",
    )


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
        self._add(steps[0], start, GIT, [whole])
        # What a step wrote and the next one took away is in neither side, and not in the result.
        landed = words_of_files((ours, marked, staged))
        if not words_of_files(File(without_marks(step.after)) for step in steps) <= landed:
            steps = [_join_steps(steps)]
        for step in steps:
            agent, after = step.units[-1].call.agent, without_marks(step.after)
            planned = self._add(step, after, agent, [*step.reads()], step.units)
            self.blind += _list_blind(step, planned)

    def _add(
        self,
        step: _Step,
        after: bytes,
        agent: str,
        reads: Sequence[Read],
        units: tuple[PendingEdit, ...] = (),
    ) -> Plan:
        """Add an entry for a change of a file, unless nothing changes."""
        before = self.files.get(step.path)
        if before is None or before.data == after:
            return Plan((), ())
        spec = restate(step.path, before.data, after)
        planned = plan(spec, self.files, reads=reads)
        if planned.first_error is not None:
            raise planned.first_error
        agents = dict.fromkeys(unit.call.agent for unit in units)
        is_net = len({unit.key for unit in units}) > 1
        entry = record(
            spec,
            planned,
            settings=Settings(),
            base=self.base,
            spec_digest=spec.digest,
            reads=reads,
            claims=make_claims(
                agent,
                step.units[-1].call.time // 1000,
                squashed=make_squash_claim(len(units), agents) if is_net else None,
            ),
        )
        self.entries.append(ProposedEntry(entry, entry_id(entry.to_bytes()), units))
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
        for change in group[0].entry.files:
            if path != change.path or path != change.new_path:
                continue
            before, after = group[0].version(change.before), group[0].version(change.after)
            if before is None or after is None or digest(after) != wanted:
                break
            steps.insert(0, _make_step(path, group, before, after))
            wanted = digest(before)
            if without_marks(before) in bases:
                return steps
    what = "what is staged is not just what edits of sessions made of the conflict"
    raise InvalidInput(path, what)


def _list_blind(step: _Step, planned: Plan) -> Iterator[str]:
    """List the edits that nothing ties to what was read, each with the read that mends it."""
    if not any(is_blind(outcome.evidence.kind) for outcome in planned.outcomes):
        return
    for unit in step.units:
        session, call, _ = unit.key
        command = render_mending_read(step.path, unit.edit.base_lines, session, call)
        yield f"{unit.name} is blind; fix it: {command}, then edit again"


def _expect_merge(
    repository: Repository, tree: str, parents: tuple[str, str], entries: Sequence[ProposedEntry]
) -> None:
    """Raise InvalidInput unless a tree is git's merge plus what the entries change."""
    files = {each.path: File(each.entry.to_bytes()) for each in entries}
    whole = repository.write_tree(tree, {**files, ATTRIBUTES_PATH: File(ATTRIBUTES)})
    judged = replay_merge(
        repository,
        CandidateCommit(
            id=None, tree=whole, parents=parents, author="", committer="", message=None
        ),
    )
    for finding in () if judged is None else judged.findings:
        raise InvalidInput(finding.where, finding.what)

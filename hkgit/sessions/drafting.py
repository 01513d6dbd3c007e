"""drafting.py: plans the specs of one call, each on what the one before it leaves, with receipts.

Nothing is written here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from hkgit.applying.carry.following import edit_lines, follow_reads
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_empty
from hkgit.applying.outcome import (
    EditOutcome,
    FileChange,
    Plan,
    files_after,
    files_before,
    number_outcomes,
)
from hkgit.applying.planner import Options
from hkgit.applying.specs import plan_spec
from hkgit.edits import (
    CreateFile,
    File,
    Overlay,
    Read,
    Snapshot,
    Spec,
    WriteFile,
)
from hkgit.errors import NoMatch, Stale
from hkgit.evidence.ledger.canonical import digest
from hkgit.sessions.answers import UnreadEdit
from hkgit.sessions.readings.knowledge import UNKEPT, FileKnowledge, Kept, carry_knowledge, knowing
from hkgit.sessions.storage.batches import Batch
from hkgit.text.document import Document
from hkgit.values import dataclass, replace

ACCEPTED = ("hash", "receipt")
"""The evidence that the built-in policy accepts; an edit with any other is blind."""


@dataclass(frozen=True, slots=True)
class PlannedSpec:
    """One spec, planned with the reads that hold on the files it was planned on."""

    spec: Spec
    made: Plan
    reads: tuple[Read, ...]


@dataclass
class SeriesPlan:
    """The specs of a call, what all of them change, and what the session knows then.

    `known` holds the files about which something else is known than before; None where the file
    is gone.
    """

    files: Overlay
    known: dict[str, FileKnowledge | None]
    drafted: list[PlannedSpec]

    @property
    def is_ok(self) -> bool:
        return all(each.made.ok for each in self.drafted)

    @property
    def outcomes(self) -> tuple[EditOutcome, ...]:
        """The outcomes of all specs, numbered through."""
        return number_outcomes((each.spec, each.made) for each in self.drafted)

    @property
    def agent(self) -> str | None:
        """The agent that the specs name, if one does."""
        return next((each.spec.agent for each in self.drafted if each.spec.agent is not None), None)

    @property
    def correctable(self) -> Batch | None:
        """What can be sent again in part: one spec, in which some edits apply and some do not."""
        refused = tuple(each.number for each in self.outcomes if each.error is not None)
        if len(self.drafted) != 1 or len(refused) == len(self.outcomes):
            return None
        return Batch(self.drafted[0].spec, refused)

    @cached_property
    def changed(self) -> dict[str, File | None]:
        """Every path that is another one in the end, with its file; None where it is gone.

        Asked first before anything is written: later the files below are the new ones.
        """
        after = self.files.files.items()
        return {path: file for path, file in after if self.files.below.get(path) != file}

    @property
    def found(self) -> dict[str, File | None]:
        """Every path that a spec changes, with the file that stood there before all of them."""
        return files_before(change for each in self.drafted for change in each.made.files)


def draft(
    specs: Sequence[Spec],
    files: Snapshot,
    options: Options,
    expects: Sequence[Read],
    known: Mapping[str, FileKnowledge],
    kept: Kept,
) -> SeriesPlan:
    """Plan specs; stops at the first in which an edit is refused.

    `expects` speak of the files as they are before all of the specs. `known` is what the session
    knows before, and `kept` gives the versions that speaks of.
    """
    draft = SeriesPlan(Overlay(files), {}, [])
    # A file is judged as all of them leave it.
    alone = options if len(specs) == 1 else replace(options, syntax="ignore")
    for spec in specs:
        now: dict[str, FileKnowledge | None] = {**known, **draft.known}
        receipts, stale = _receipts(spec, draft.files, now, kept)
        reads = (*expects, *receipts)
        made = plan_spec(spec, draft.files, alone, reads)
        made = Plan(tuple(_explain_stale(each, stale) for each in made.outcomes), made.files)
        draft.drafted.append(PlannedSpec(spec, made, reads))
        if not made.ok:
            break
        whole = {each.path for each in spec.edits if isinstance(each, WriteFile | CreateFile)}
        for change in made.files:
            before = now.get(change.path or "")
            draft.known |= _learn(change, before, kept, is_whole=change.name in whole)
        expects = follow_reads(expects, made)
        draft.files = Overlay(files, {**draft.files.files, **files_after(made)})
    if alone != options and draft.is_ok and options.syntax != "ignore":
        draft.drafted = _check_syntax(draft.drafted, options.syntax)
    return draft


def _check_syntax(drafted: Sequence[PlannedSpec], mode: str) -> list[PlannedSpec]:
    """Several specs, held to what all of them leave."""
    from hkgit.applying.syntax.syntax import check_series

    plans = check_series([each.made for each in drafted], mode)
    return [replace(each, made=made) for each, made in zip(drafted, plans, strict=True)]


def _receipts(
    spec: Spec, files: Snapshot, known: Mapping[str, FileKnowledge | None], kept: Kept
) -> tuple[list[Read], dict[str, str]]:
    """The receipts of a spec's files that hold now; and what became of files that do not."""
    receipts: list[Read] = []
    stale: dict[str, str] = {}
    for path, knowledge in known.items():
        if knowledge is None or not _speaks_of(spec, path):
            continue
        file = files.get(path)
        if file is None:
            stale[path] = "it is gone since this session read it"
            continue
        if knowledge.version not in (UNKEPT, digest(file.data)):
            stale[path] = "it has changed since this session read it"
        receipts += carry_knowledge(knowledge, file.data, kept).receipts(path)
    return receipts, stale


def _speaks_of(spec: Spec, path: str) -> bool:
    """Whether an edit names a file, perhaps by the end of its path alone."""
    return any(path == edit.path or path.endswith(f"/{edit.path}") for edit in spec.edits)


def _explain_stale(outcome: EditOutcome, stale: Mapping[str, str]) -> EditOutcome:
    """An edit whose text is nowhere, in a file that others have changed, is stale."""
    error = outcome.error
    if not isinstance(error, NoMatch) or outcome.path not in stale:
        return outcome
    fix = f"Read it again and write the edit against that: hkgit read {shlex.quote(outcome.path)}"
    renewed = Stale(error.where, f"{error.what}; {stale[outcome.path]}", fix)
    return replace(outcome, status=renewed.status, error=renewed)


def _learn(
    change: FileChange, before: FileKnowledge | None, kept: Kept, *, is_whole: bool
) -> dict[str, FileKnowledge | None]:
    """What the session knows of a file that it has changed itself."""
    learned: dict[str, FileKnowledge | None] = {}
    if change.path is not None and change.path != change.new_path:
        learned[change.path] = None
    if change.new_path is None or change.after is None:
        return learned
    document = Document(change.after.data)
    lines = [(1, document.line_count)]
    if not is_whole and change.before is not None:
        held = () if before is None else carry_knowledge(before, change.before.data, kept).ranges
        lines = edit_lines([each.lines for each in held], change.hunks)
    learned[change.new_path] = knowing(change.after.data, lines)
    return learned


def blind_edits(draft: SeriesPlan, session: str, call: int | None) -> Iterator[UnreadEdit]:
    """The edits that nothing ties to what was read, each with the read that mends it.

    What an applied edit replaced is read as it was before the `call`.
    """
    for outcome in draft.outcomes:
        if outcome.error is None and outcome.evidence.kind not in ACCEPTED:
            lines = _readable(outcome.base_lines)
            command = mending_read(outcome.path, outcome.base_lines, session, call)
            yield UnreadEdit(outcome.number, outcome.path, lines, outcome.evidence.kind, command)


def mending_read(path: str, touched: Sequence[Lines], session: str, call: int | None) -> str:
    """The command that reads what an edit touched, as it was before a call if one is named."""
    first, last = _readable(touched)
    target = shlex.quote(f"{path}:{first}-{last}")
    before = "" if call is None else f" --before {call}"
    return f"hkgit read {target} --session {session}{before}"


def _readable(touched: Sequence[Lines]) -> Lines:
    """The lines from the first to the last that are touched; for a point the line above it."""
    first, last = touched[0][0], touched[-1][1]
    if is_empty((first, last)):
        first = last = max(last, 1)
    return first, last

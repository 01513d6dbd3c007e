"""What became of each edit, and of each file, of a spec.

The one place where a refusal (an error) becomes an outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import NONE, Evidence
from hkgit.applying.hunk import Hunk
from hkgit.edits import File, Read, Spec
from hkgit.errors import BlindEdit, HkgitError, InvalidInput, Near
from hkgit.values import dataclass, replace

APPLIED = "applied"

COUNTS = "counts"
"""Stands among the repairs of an edit whose hunk has other numbers of lines than it says."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines of the file that a refused edit may have meant, as they stand, with their hash.

    Both are None where the text would make the answer too long: read those lines then.
    """

    start_line: int
    end_line: int
    range_hash: str | None
    similarity_permille: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """One edit: applied where and how surely, or refused and why.

    Of a refused edit `candidates` are the places it may have meant, the likeliest first, and
    `corrected` is it as it would be right at the one that is near, in the dialect of the spec.

    `lines` are ranges of the file as it stood just before this edit, `base_lines` the lines of
    the base it touches. Numbers that end in `_permille` are per mille, rounded down. `spec` names
    the spec that it stands in, where a call has several. `respelled` says in which blanks what
    was written differs from the edit's new text.
    """

    number: int
    path: str
    status: str
    tier: str | None = None
    similarity_permille: int | None = None
    confidence_permille: int | None = None
    runner_up_permille: int | None = None
    repairs: tuple[str, ...] = ()
    evidence: Evidence = NONE
    lines: tuple[Lines, ...] = ()
    base_lines: tuple[Lines, ...] = ()
    is_relocated: bool = False
    matched_text: str | None = None
    diff: str = ""
    notes: tuple[str, ...] = ()
    error: HkgitError | None = None
    candidates: tuple[Candidate, ...] = ()
    corrected: str | None = None
    spec: str | None = None
    respelled: tuple[str, ...] = ()

    @property
    def similarity(self) -> float | None:
        """How alike the old text and the place are, in [0, 1]."""
        return None if self.similarity_permille is None else self.similarity_permille / 1000

    @property
    def confidence(self) -> float | None:
        """How surely this is what was meant, in [0, 1]."""
        return None if self.confidence_permille is None else self.confidence_permille / 1000

    @property
    def hint(self) -> str:
        """What to do about a refusal; empty for an applied edit."""
        return "" if self.error is None else self.error.fix

    def refuse(self, error: HkgitError) -> EditOutcome:
        """Refuse the same edit at the same place."""
        return replace(self, status=error.status, error=error)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; `path` is None for a new file, `new_path` for a deleted one."""

    path: str | None
    new_path: str | None
    before: File | None
    after: File | None
    hunks: tuple[Hunk, ...]

    @property
    def name(self) -> str:
        """The path by which the base knows the file, else its new one."""
        return self.path if self.path is not None else self.new_path or ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a spec does to a snapshot: one outcome an edit; no file changes unless all applied."""

    outcomes: tuple[EditOutcome, ...]
    files: tuple[FileChange, ...]

    @property
    def ok(self) -> bool:
        return all(outcome.status == APPLIED for outcome in self.outcomes)

    @property
    def first_error(self) -> HkgitError | None:
        """The refusal that decides the exit code."""
        return find_first_error(self.outcomes)


def number_outcomes(planned: Iterable[tuple[Spec, Plan]]) -> tuple[EditOutcome, ...]:
    """Number the outcomes of all specs of a call through, each with the name of its spec."""
    every = ((spec, outcome) for spec, plan in planned for outcome in plan.outcomes)
    return tuple(
        replace(outcome, number=at, spec=spec.name) for at, (spec, outcome) in enumerate(every, 1)
    )


def refuse_edit(number: int, path: str, error: HkgitError) -> EditOutcome:
    """Make the outcome of an edit that has no place."""
    return EditOutcome(number, path, error.status, error=error)


def refuse_spec(spec: Spec, error: HkgitError) -> Plan:
    """Make the plan of a spec that is refused as a whole."""
    refused = (refuse_edit(at, edit.path, error) for at, edit in enumerate(spec.edits, 1))
    return Plan(tuple(refused), ())


def find_first_error(outcomes: Sequence[EditOutcome]) -> HkgitError | None:
    """Return the error of the first edit that was refused."""
    return next((outcome.error for outcome in outcomes if outcome.error is not None), None)


def expect_change(plan: Plan) -> Plan:
    """Refuse all edits of a plan that together change no file; return any other plan as it is."""
    if plan.files or not plan.ok:
        return plan
    error = InvalidInput("the spec", "changes nothing", "The files say this already.")
    return Plan(tuple(each.refuse(error) for each in plan.outcomes), ())


BY_NUMBER = "lines are named by number alone: the protocol asks for the hash of what was read"
"""What is wrong with an operation of the protocol that `is_by_number`."""


def is_by_number(dialect: str, tier: str | None, evidence: str) -> bool:
    """Whether an operation of the protocol names lines and nothing says what stood there."""
    return dialect == "protocol" and tier == "range" and evidence == "none"


def expect_hashes(plan: Plan, dialect: str) -> Plan:
    """Refuse each operation of a plan that names lines by number alone."""
    return replace(plan, outcomes=tuple(_expect_hash(each, dialect) for each in plan.outcomes))


def _expect_hash(outcome: EditOutcome, dialect: str) -> EditOutcome:
    if not is_by_number(dialect, outcome.tier, outcome.evidence.kind):
        return outcome
    first, last = outcome.base_lines[0][0], outcome.base_lines[-1][1]
    where = f"{outcome.path}:{first}-{last}"
    if first > last:
        where = f"{outcome.path}:{max(last, 1)}"
    error = BlindEdit(where, BY_NUMBER, f"Read them (`hkgit read {where}`) and give that hash.")
    error.near = (Near(max(min(first, last), 1), max(last, 1)),)
    return refuse_edit(outcome.number, outcome.path, error)


def files_after(plan: Plan) -> dict[str, File | None]:
    """Map every path that a plan changes to the file it becomes; None where it is gone."""
    changed: dict[str, File | None] = {}
    for change in plan.files:
        if change.path is not None and change.path != change.new_path:
            changed[change.path] = None
        if change.new_path is not None:
            changed[change.new_path] = change.after
    return changed


def files_before(changes: Iterable[FileChange]) -> dict[str, File | None]:
    """Map every path that changes touch to the file that stood there before the first of them."""
    found: dict[str, File | None] = {}
    for change in changes:
        if change.path is not None:
            found.setdefault(change.path, change.before)
        if change.new_path is not None:
            found.setdefault(change.new_path, None)
    return found


def reads_used(reads: Sequence[Read], plan: Plan) -> tuple[Read, ...]:
    """Find the reads used as evidence by some edit, with full hashes."""
    old_paths = {change.new_path: change.path for change in plan.files}
    used: dict[Read, None] = {}
    for read, outcome in product(reads, plan.outcomes):
        evidence = outcome.evidence
        is_here = read.path in (outcome.path, old_paths.get(outcome.path))
        is_there = read.start_line is None or evidence.lines == (read.start_line, read.end_line)
        full = evidence.expected_hash or ""
        if is_here and is_there and evidence.kind == read.kind and full.startswith(read.range_hash):
            used[replace(read, range_hash=full)] = None
    return tuple(used)

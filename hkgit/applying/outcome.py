"""What became of edits: outcomes, plans, and their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, product

from hkgit.applying.evidence import NONE, Evidence
from hkgit.applying.hunk import Hunk
from hkgit.edits import File, Read, Spec, decode_text
from hkgit.errors import BlindEdit, HkgitError, InvalidInput, Near
from hkgit.matching.place import FULL, format_confidence
from hkgit.text.document import Document, Lines
from hkgit.text.escape import quote_word, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, replace

APPLIED = "applied"

COUNTS = "counts"
"""The repair of an edit whose hunk has other numbers of lines than its header says."""


@dataclass(frozen=True)
class Candidate:
    """Lines of the file that a refused edit may have meant, as they are, with their hash.

    Both are None where the text would make the answer too long: read those lines then.
    """

    start_line: int
    end_line: int
    range_hash: str | None
    similarity_permille: int | None = None
    text: str | None = None


def show_lines(base: Document, lines: Lines, similarity: int | None = None) -> Candidate:
    """Make a candidate of some lines of a file."""
    text = base.data[slice(*base.span(*lines))].replace(b"\r\n", b"\n")
    return Candidate(
        start_line=lines[0],
        end_line=lines[1],
        range_hash=base.range_hash(*lines),
        similarity_permille=similarity,
        text=decode_text(text),
    )


@dataclass(frozen=True)
class EditOutcome:
    """One edit: applied where and how surely, or refused and why.

    Of a refused edit `candidates` are the places it may have meant, the likeliest first, and
    `corrected` is it as it would be right at the one that is near, in the dialect of the spec.

    `lines` are ranges of the file as it was just before this edit, `base_lines` the lines of
    the base it touches. Numbers that end in `_permille` are per mille, rounded down. `spec` names
    the spec that it is in, where a call has several. `respelled` says in which whitespace what
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


def place_edit(
    number: int, path: str, tier: str, evidence: Evidence, lines: Lines, base_lines: Lines
) -> EditOutcome:
    """Make the outcome of an edit that is made just as it is written."""
    return EditOutcome(
        number=number,
        path=path,
        status=APPLIED,
        tier=tier,
        similarity_permille=FULL,
        confidence_permille=FULL,
        evidence=evidence,
        lines=(lines,),
        base_lines=(base_lines,),
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
    error = InvalidInput("the spec", "changes nothing", "The files are already like this.")
    return Plan(tuple(each.refuse(error) for each in plan.outcomes), ())


BY_NUMBER = "lines are named by number alone: the protocol requires the hash of what was read"
"""What is wrong with an operation of the protocol that `is_by_number`."""


def is_by_number(dialect: str, tier: str | None, evidence: str) -> bool:
    """Whether an operation of the protocol names lines and nothing says what was there."""
    return dialect == "protocol" and tier == "range" and evidence == "none"


def expect_hashes(plan: Plan, dialect: str) -> Plan:
    """Refuse each operation of a plan that names lines by number alone."""
    return replace(plan, outcomes=tuple(_expect_hash(each, dialect) for each in plan.outcomes))


def _expect_hash(outcome: EditOutcome, dialect: str) -> EditOutcome:
    if not is_by_number(dialect, outcome.tier, outcome.evidence.kind):
        return outcome
    first, last = outcome.base_lines[0][0], outcome.base_lines[-1][1]
    near = Near(max(min(first, last), 1), max(last, 1))
    where = f"{outcome.path}:{near.end_line if first > last else f'{first}-{last}'}"
    fix = f"Read them (`hkgit read {quote_word(where)}`) and give that hash."
    error = BlindEdit(where, BY_NUMBER, fix, near)
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
    """Map every path that changes touch to the file that was there before the first of them."""
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


WOULD_APPLY, NOT_APPLIED = "would_apply", "not_applied"
"""An edit that has a place: of a dry run, and beside one that is refused."""


def outcome_json(outcome: EditOutcome, status: str | None = None) -> JsonObject:
    """Write one outcome as the published JSON object; `status` is another word than its own."""
    named = {} if outcome.spec is None else {"spec": to_json_text(outcome.spec)}
    return {
        "number": outcome.number,
        **named,
        "path": outcome.path,
        "file": outcome.path,
        "status": outcome.status if status is None else status,
        "tier": outcome.tier,
        "match_type": outcome.tier,
        "similarity": outcome.similarity,
        "confidence": outcome.confidence,
        "evidence": outcome.evidence.kind,
        "expected_hash": outcome.evidence.expected_hash,
        "lines": [list(lines) for lines in outcome.lines],
        "repairs": [*outcome.repairs, *outcome.respelled],
        "notes": list(outcome.notes),
        "matched_text": to_json_text(outcome.matched_text),
        "diff": to_json_text(outcome.diff),
        "error": None if outcome.error is None else error_json(outcome.error),
        "candidates": [_candidate_json(each) for each in outcome.candidates],
        "corrected": to_json_text(outcome.corrected),
    }


def _candidate_json(candidate: Candidate) -> JsonObject:
    permille = candidate.similarity_permille
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "range_hash": candidate.range_hash,
        "similarity": None if permille is None else permille / 1000,
        "text": to_json_text(candidate.text),
    }


def error_json(error: HkgitError) -> JsonObject:
    """Write a failure as JSON: where, what, what next, and the exit code."""
    return {
        "where": to_json_text(error.where),
        "what": to_json_text(error.what),
        "fix": to_json_text(error.fix),
        "exit_code": error.exit_code,
    }


def render_apply_json(
    status: str,
    outcomes: Sequence[EditOutcome],
    commit: str | None,
    error: HkgitError | None = None,
    *,
    dry_run: bool = False,
) -> JsonObject:
    """Render what `apply --json` prints; with exactly one edit the keys of seed harnesskit too.

    Nothing is called applied where no file has changed: of a dry run, or beside a refusal.
    """
    is_refused = error is not None or any(each.error is not None for each in outcomes)
    word = NOT_APPLIED if is_refused else WOULD_APPLY if dry_run else APPLIED
    document: JsonObject = {
        "status": word if status == APPLIED else status,
        **({"dry_run": True} if dry_run else {}),
        "edits": [outcome_json(each, word if each.error is None else None) for each in outcomes],
        "commit": commit,
    }
    if error is not None:
        document["error"] = error_json(error)
    if len(outcomes) == 1:
        only = outcomes[0]
        document |= {
            "file": only.path,
            "match_type": only.tier,
            "confidence": only.confidence,
            "matched_text": to_json_text(only.matched_text),
        }
    return document


def outcome_line(outcome: EditOutcome) -> str:
    """Say where an edit landed and how surely."""
    where = ",".join(f"{first}-{last}" for first, last in outcome.lines)
    sure = format_confidence(outcome.confidence_permille, "  confidence ")
    return f"{visible(outcome.path)}:{where}  {outcome.tier}{sure}"


def refusal_text(outcomes: Sequence[EditOutcome]) -> str:
    """Write every refused edit with its reason and next step; edits of one reason once."""
    refused = (each for each in outcomes if each.error is not None)
    reasons = groupby(refused, key=lambda each: each.error)
    return "\n".join(_reason(str(error), list(edits)) for error, edits in reasons)


def _reason(error: str, edits: Sequence[EditOutcome]) -> str:
    first, last = edits[0].number, edits[-1].number
    named = f"edit {first}" if first == last else f"edits {first}-{last}"
    if edits[0].spec is not None:
        named += f" (in {visible(edits[0].spec)})"
    return "".join([f"{named}: {error}", *map(_remedy, edits)])


def _remedy(outcome: EditOutcome) -> str:
    """The corrected edit, which quotes the place; without one the places themselves."""
    if outcome.corrected is not None:
        # A diff may end with a blank line of context, which is a space alone.
        return "\nCorrected: " + outcome.corrected.removesuffix("\n")
    return "".join(_place(outcome.path, each) for each in outcome.candidates)


def _place(path: str, candidate: Candidate) -> str:
    where = f"{candidate.start_line}-{candidate.end_line}"
    if candidate.text is None or candidate.range_hash is None:
        from shlex import quote

        return f"\nLines {where} are too long to show here: hkgit read {quote(f'{path}:{where}')}"
    head = f"\nLines {where}, hash {candidate.range_hash[:12]}:"
    return f"{head}\n" + candidate.text.rstrip("\r\n")

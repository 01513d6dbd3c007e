"""How strong the evidence of an edit must be.

A hash of a whole file vouches for every line of it, whatever is then changed. Tightness is the
changed lines over the claimed ones, old and new together: 1 where every line that an edit names
is changed, near 0 where a whole file is named to change one line of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import is_blind
from hkgit.edits import MappingSnapshot, Overlay, Snapshot
from hkgit.errors import Unverifiable
from hkgit.evidence.derivation import derive
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.sequence import order_entries
from hkgit.evidence.verdict import BLIND, Finding, ReplayResult
from hkgit.gate.judged_commit import JudgedCommit
from hkgit.gate.policy.model import Floors, Policy
from hkgit.git.repository import Repository
from hkgit.matching.place import format_decimal
from hkgit.text.diff import find_changes
from hkgit.text.document import Document, Lines
from hkgit.text.escape import quote_word
from hkgit.values import dataclass


@dataclass(frozen=True)
class Strength:
    """What the evidence of one file of an entry says.

    `changed` of `claimed` lines; `shared` holds the lines whose hash other lines of the file have.
    The entry may be `recovered` from a transcript.
    """

    path: str
    new_path: str | None
    changed: int
    claimed: int
    shared: tuple[Lines, ...]
    recovered: bool

    @property
    def tightness(self) -> int:
        """Per mille."""
        return 1000 if self.changed >= self.claimed else 1000 * self.changed // self.claimed


def measure_strengths(repository: Repository, judged: ReplayResult) -> Iterator[Strength]:
    """Measure the strength of every file of every entry, in the order in which they are made.

    Raises Unverifiable when what they were made on is not here.
    """
    before: Snapshot = MappingSnapshot()
    if judged.candidate.parents:
        before = repository.snapshot(judged.candidate.parents[0])
    files = Overlay(before)
    for _, entry in order_entries(judged.entries, before):
        start, now = before, files
        derived = derive(entry, now)
        if derived.findings or derived.has_moved:  # it is seen from its own base
            start = _open_base(repository, entry)
            now = Overlay(start)
            derived = derive(entry, now)
            if derived.findings or derived.has_moved:
                raise Unverifiable("ledger entry", "does not match the base that it names")
        after = Overlay(start, {**now.files, **derived.files})
        for file in entry.files:
            # Removing a file and making it again counts as claiming the whole of it.
            old = start.get(file.new_path or "") if file.path is None else now.get(file.path)
            new = None if file.new_path is None else after.get(file.new_path)
            texts = (Document.of(each) for each in (old, new))
            yield _measure_file(entry, file, *texts, recovered=judged.is_recovered(entry))
        files = after if start is before else files


def _open_base(repository: Repository, entry: Entry) -> Snapshot:
    """Open the files that an entry was made on. Raises Unverifiable when they are not here."""
    if entry.base is None:
        what = "names no base, so its claims cannot be counted"
        raise Unverifiable("ledger entry", what, "Apply it again.")
    return repository.snapshot(repository.commit(entry.base).tree)


def _measure_file(
    entry: Entry, file: RecordedFile, old: Document, new: Document, *, recovered: bool
) -> Strength:
    edits = [edit for edit in entry.edits if edit.path in file.paths]
    stretches = find_changes(old.lines, new.lines)
    changed = sum(c.old_end - c.old_start + c.new_end - c.new_start for c in stretches)
    claimed = _count_named_lines(edits, file, old.line_count)
    grown = max(0, claimed + new.line_count - old.line_count)
    return Strength(
        path=file.name,
        new_path=file.new_path,
        changed=changed,
        claimed=claimed + grown if changed else 0,  # a rename or a mode claims no line
        shared=tuple(lines for edit in edits for lines in _find_shared(edit, old)),
        recovered=recovered,
    )


def _count_named_lines(edits: Sequence[RecordedEdit], file: RecordedFile, count: int) -> int:
    """Count how many base lines the edits name by their place or by the hash they give.

    Those that move a file name none by that. What a session has read is no claim of an edit's.
    """
    named = [edit for edit in edits if edit.tier != "file"]
    if file.path is None or not named:
        return count
    ranges = {lines for edit in named for lines in edit.base_lines}
    ranges |= {e.evidence_lines for e in named if e.evidence_lines and e.evidence == "hash"}
    return len({line for a, b in ranges for line in range(a, min(b, count) + 1)})


def _find_shared(edit: RecordedEdit, old: Document) -> Iterator[Lines]:
    """The ranges of an edit whose hash represents other lines of its file as well."""
    if edit.expected_hash is None:
        return
    for first, last in [edit.evidence_lines] if edit.evidence_lines else edit.base_lines:
        size = last - first + 1
        if size < 1 or last > old.line_count:
            continue
        wanted = old.lines[first - 1 : last]
        starts = (i for i, line in enumerate(old.lines) if line == wanted[0])
        if sum(old.lines[i : i + size] == wanted for i in starts) > 1:
            yield first, last


def tightness_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find the files whose edits name many more lines than they change."""
    if not case.policy.asks_for_tightness:
        return
    for strength in measure_strengths(case.repository, case.judged):
        names = (strength.path, strength.new_path)
        floors = case.policy.floors_of(*names, recovered=strength.recovered)
        floor = max(each.min_tightness for each in floors)
        if strength.tightness < floor:
            what = (
                f"changes {strength.changed} of {strength.claimed} lines that it claims:"
                f" tightness {format_decimal(strength.tightness)} is below {format_decimal(floor)}"
            )
            fix = "Name only the lines that change, with their hash."
            yield Finding("tightness", strength.path, what, fix)


def describe_strengths(repository: Repository, judged: ReplayResult) -> Iterator[str]:
    """Say how tight the evidence of each file is, and which hashes other lines share."""
    try:
        for each in measure_strengths(repository, judged):
            yield (
                f"{each.path}: tightness {format_decimal(each.tightness)}"
                f" ({each.changed} of {each.claimed} claimed lines changed)"
            )
            for first, last in each.shared:
                where = f"{each.path}:{first}-{last}"
                yield f"{where}: other lines of the file have the same hash"
    except Unverifiable as error:
        yield str(error)


APPLY = "Make the change with `hkgit apply`, and give each edit the hash of what was read."


def floor_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find where the entries of a commit are below the policy's minimum requirements."""
    if not case.judged.is_recomputed and case.policy.needs_recomputing:
        what = "could not be recomputed here, so its tiers and confidences are only claimed"
        yield Finding("claimed", "ledger entry", what, APPLY)
    for _, entry in case.judged.entries:
        recovered = case.judged.is_recovered(entry)
        yield from entry_findings(case.policy, entry, recovered=recovered)


def entry_findings(policy: Policy, entry: Entry, *, recovered: bool = False) -> Iterator[Finding]:
    """Find where the edits of an entry are below the policy's minimum requirements."""
    for floors, edit in _list_floors(policy, entry, recovered=recovered):
        accepted = _intersect(each.accept for each in floors)
        if accepted is not None and is_blind(edit.evidence, accepted):
            what = f"blind edit: its evidence is {edit.evidence}, accepted are"
            read = f"hkgit read {quote_word(edit.where)}"
            fix = f"Give its hash: `{read}` prints the one to pass with --expect."
            yield Finding(BLIND, edit.where, f"{what} {', '.join(accepted)}", fix)
        tiers = _intersect(each.tiers for each in floors)
        if tiers is not None and edit.tier not in tiers:
            what = f"tier {edit.tier} is not accepted"
            yield Finding("tier", edit.where, what, "Quote the file exactly.")
        floor = max(each.min_confidence for each in floors)
        if edit.confidence < floor:
            what = f"confidence {format_decimal(edit.confidence)} is below {format_decimal(floor)}"
            yield Finding("confidence", edit.where, what, "Quote the file exactly.")


def find_blind_edits(
    policy: Policy, entry: Entry
) -> Iterator[tuple[RecordedEdit, tuple[str, ...]]]:
    """Yield the edits whose evidence the policy does not accept, each with the kinds it accepts."""
    for floors, edit in _list_floors(policy, entry):
        accepted = _intersect(each.accept for each in floors)
        if accepted is not None and is_blind(edit.evidence, accepted):
            yield edit, accepted


def _list_floors(
    policy: Policy, entry: Entry, *, recovered: bool = False
) -> Iterator[tuple[tuple[Floors, ...], RecordedEdit]]:
    """Each edit with the floors that apply to it."""
    names = {path: file.paths for file in entry.files for path in file.paths}
    for edit in entry.edits:
        paths = names.get(edit.path, (edit.path,))
        yield policy.floors_of(*paths, recovered=recovered), edit


def _intersect(lists: Iterator[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The intersection of lists; None accepts everything."""
    given = [each for each in lists if each is not None]
    if not given:
        return None
    return tuple(value for value in given[0] if all(value in each for each in given))

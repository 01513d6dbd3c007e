"""strength.py: measure evidence: tightness, and hashes that several places of a file share.

A hash of a whole file vouches for every line of it, whatever is then changed. Tightness is the
changed lines over the claimed ones, old and new together: 1 where every line that an edit names
is changed, near 0 where a whole file is named to change one line of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.draft import Lines
from hkgit.edits import MappingSnapshot, Overlay, Snapshot
from hkgit.errors import Unverifiable
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.replay.derive import derive
from hkgit.evidence.replay.findings import Finding, ReplayResult
from hkgit.evidence.replay.ordering import order_entries
from hkgit.gate.case import JudgedCommit
from hkgit.git.repository import Repository
from hkgit.matching.places import format_decimal
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.values import dataclass

FULL = 1000


@dataclass(frozen=True, slots=True)
class Strength:
    """What the evidence of one file of an entry says.

    `changed` of `claimed` lines; `weak` holds the lines whose hash other lines of the file share.
    """

    path: str
    new_path: str | None
    changed: int
    claimed: int
    weak: tuple[Lines, ...] = ()

    @property
    def tightness(self) -> int:
        """Per mille."""
        return FULL if self.changed >= self.claimed else FULL * self.changed // self.claimed


def measure_strengths(repository: Repository, judged: ReplayResult) -> Iterator[Strength]:
    """Measure the strength of every file of every entry, in the order in which they are made.

    Raises Unverifiable when what they were made on is not here.
    """
    before: Snapshot = MappingSnapshot()
    if judged.candidate.parents:
        before = repository.snapshot(judged.candidate.parents[0])
    files = Overlay(before)
    for _, entry in order_entries(judged.entries, before):
        changed, wrong = derive(entry, files)
        if wrong:
            yield from _where_it_was_made(repository, entry)
            continue
        after = Overlay(before, {**files.files, **changed})
        for file in entry.files:
            yield _strength(entry, file, _document(before, files, file), _new(after, file))
        files = after


def _where_it_was_made(repository: Repository, entry: Entry) -> Iterator[Strength]:
    """The strength of an entry that was carried to another parent, seen from its own base.

    Raises Unverifiable when the base is not here.
    """
    if entry.base is None:
        what = "names no base, so what it claims cannot be counted"
        raise Unverifiable("ledger entry", what, "Apply it again.")
    before = repository.snapshot(repository.commit(entry.base).tree)
    changed, wrong = derive(entry, before)
    if wrong:
        raise Unverifiable("ledger entry", "does not hold on the base that it names")
    after = Overlay(before, changed)
    for file in entry.files:
        yield _strength(entry, file, _document(before, before, file), _new(after, file))


def _document(before: Snapshot, now: Snapshot, file: RecordedFile) -> Document:
    """The lines that a file had: of one that an earlier entry of the commit removed, those too.

    So removing a file and making it again counts as claiming the whole of it.
    """
    found = now.get(file.path) if file.path is not None else before.get(file.new_path or "")
    return Document(b"" if found is None else found.data)


def _new(after: Snapshot, file: RecordedFile) -> Document:
    found = None if file.new_path is None else after.get(file.new_path)
    return Document(b"" if found is None else found.data)


def _strength(entry: Entry, file: RecordedFile, old: Document, new: Document) -> Strength:
    edits = [edit for edit in entry.edits if edit.path in (file.path, file.new_path)]
    stretches = find_changes(old.lines, new.lines)
    changed = sum(c.old_end - c.old_start + c.new_end - c.new_start for c in stretches)
    claimed = _count_named_lines(edits, file, old.line_count)
    grown = max(0, claimed + new.line_count - old.line_count)
    weak = tuple(lines for edit in edits for lines in _weak(edit, old))
    if not changed:  # a rename or a mode: no line is claimed
        return Strength(path=file.name, new_path=file.new_path, changed=0, claimed=0, weak=weak)
    return Strength(
        path=file.name, new_path=file.new_path, changed=changed, claimed=claimed + grown, weak=weak
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


def _weak(edit: RecordedEdit, old: Document) -> Iterator[Lines]:
    """The ranges of an edit whose hash stands for other lines of its file as well."""
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
    for strength in measure_strengths(case.repository, case.judged):
        floors = case.policy.floors_of(strength.path, strength.new_path)
        floor = max(each.min_tightness for each in floors)
        if strength.tightness < floor:
            what = (
                f"changes {strength.changed} of {strength.claimed} lines that it claims:"
                f" tightness {format_decimal(strength.tightness)} is below {format_decimal(floor)}"
            )
            fix = "Name only the lines that change, with the hash of those."
            yield Finding("tightness", strength.path, what, fix)


def describe_strengths(repository: Repository, judged: ReplayResult) -> Iterator[str]:
    """Say how tight the evidence of each file is, and which hashes other lines share."""
    try:
        for each in measure_strengths(repository, judged):
            yield (
                f"{each.path}: tightness {format_decimal(each.tightness)}"
                f" ({each.changed} of {each.claimed} claimed lines changed)"
            )
            for first, last in each.weak:
                where = f"{each.path}:{first}-{last}"
                yield f"{where}: weak hash, other lines of the file have the same"
    except Unverifiable as error:
        yield str(error)

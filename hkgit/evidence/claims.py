"""The entry of a plan and what it claims, and the spec of an entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hkgit.applying.evidence import LATE
from hkgit.applying.hunk import CONTEXT, Hunk
from hkgit.applying.outcome import COUNTS, EditOutcome, FileChange, reads_used
from hkgit.edits import MAX_EDITS, NOTATIONS, AnyEdit, File, Read, Spec, decode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import (
    MAX_BYTES,
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    RecordedHunk,
)
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.document import Document, hash_lines
from hkgit.text.edit_json import expect_sayable
from hkgit.text.hashes import digest
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.applying.planner import PlannedSpec


def complete_entry(entry: Entry, base: str | None, claims: Mapping[str, Json]) -> Entry:
    """Give an entry what is its commit's matter. Raises InvalidInput when it is too large."""
    entry = replace(entry, base=base, claims=claims)
    count, size = len(entry.edits), len(entry.to_bytes())
    if count > MAX_EDITS or size > MAX_BYTES:
        raise InvalidInput(
            "ledger entry",
            f"{count} edits and {size} bytes are over {MAX_EDITS} edits or {MAX_BYTES} bytes",
            "Split the spec in two.",
        )
    return entry


def make_entry(planned: PlannedSpec, threshold: int) -> Entry:
    """Make the entry of a spec in which every edit applied, with the reads used as evidence.

    Base and claims are its commit's matter.
    """
    spec, plan = planned.spec, planned.plan
    return Entry(
        ladder=LADDER_VERSION,
        threshold=threshold,
        base=None,
        spec_digest=spec.digest,
        reads=reads_used(planned.reads, plan),
        edits=tuple(
            record_edit(spec.dialect, edit, outcome)
            for edit, outcome in zip(spec.edits, plan.outcomes, strict=True)
        ),
        files=tuple(record_file(change) for change in plan.files),
    )


def make_claims(
    agent: str,
    time: int,
    *,
    verify: Json = None,
    allow_blind: bool = False,
    refusals: Sequence[Json] = (),
    origin: str = "",
    squashed: tuple[int, Iterable[str]] | None = None,
) -> JsonObject:
    """Make the claims of an entry: what nobody can derive again; `time` in seconds since the epoch.

    `verify` is the command that passed before, `refusals` the attempts that were refused before;
    `origin` says where the edits are known from, if not from the tool that made them. Of how many
    edits it is the net change, and whose they were, is `squashed`.
    """
    claims: JsonObject = {"agent": agent, "time": time, "verify": verify}
    claims |= {"refusals": [*refusals]} if refusals else {}
    if squashed is not None:
        claims["squashed"] = {"edits": squashed[0], "agents": [*squashed[1]]}
    claims |= {"allow_blind": True} if allow_blind else {}
    return claims | ({"origin": origin} if origin else {})


def record_edit(dialect: str, edit: AnyEdit, outcome: EditOutcome) -> RecordedEdit:
    """Make the record of one edit, which names its file whole."""
    return RecordedEdit(
        id=outcome.number,
        dialect=dialect,
        path=outcome.path,
        edit=edit if edit.path == outcome.path else replace(edit, path=outcome.path),
        evidence=outcome.evidence.kind,
        expected_hash=outcome.evidence.expected_hash,
        evidence_lines=outcome.evidence.lines,
        lines=outcome.lines,
        base_lines=outcome.base_lines,
        relocated=outcome.is_relocated,
        tier=outcome.tier or "",
        repairs=outcome.repairs,
        similarity=outcome.similarity_permille or 0,
        confidence=outcome.confidence_permille or 0,
        runner_up=outcome.runner_up_permille,
    )


def record_file(change: FileChange) -> RecordedFile:
    """Make the record of a file's change, with hashes to check it and to find it again."""
    base = Document.of(change.before)
    after = Document.of(change.after)
    return RecordedFile(
        path=change.path,
        new_path=change.new_path,
        before=mark(change.before),
        after=mark(change.after),
        final_newline=after.is_terminated,
        hunks=tuple(record_hunk(base, hunk) for hunk in change.hunks),
    )


def record_hunk(base: Document, hunk: Hunk) -> RecordedHunk:
    """Record a hunk with hashes of what it replaces, what it writes, and the lines around."""
    first, last = hunk.start_line, hunk.end_line
    above = base.lines[max(first - 1 - CONTEXT, 0) : first - 1]
    below = base.lines[last : last + CONTEXT]
    return RecordedHunk(
        start_line=first,
        end_line=last,
        old_hash=base.range_hash(first, last),
        new_hash=hash_lines(hunk.new_lines),
        new_text=decode_text(hunk.new),
        before=tuple(hash_lines([line]) for line in above),
        after=tuple(hash_lines([line]) for line in below),
        edits=hunk.edits,
    )


def list_read_lines(entry: Entry, numbers: Collection[int]) -> Iterator[Read]:
    """List the lines that edits of an entry are tied to, by number, also those read afterwards."""
    edits = [edit for edit in entry.edits if edit.id in numbers]
    for edit in edits:
        lines = edit.base_lines if edit.evidence_lines is None else (edit.evidence_lines,)
        for each in lines if edit.expected_hash is not None else ():
            yield Read(edit.path, *each, edit.expected_hash or "", edit.evidence)
    paths = {edit.path for edit in edits}
    yield from (read for read in entry.reads if read.kind == LATE and read.path in paths)


def mark(file: File | None) -> FileMark | None:
    """Record the mode and hash of a file; None for no file."""
    return None if file is None else FileMark(file.mode, digest(file.data))


def read_recorded_spec(entry: Entry) -> Spec:
    """Return the spec that an entry records. Raises InvalidInput for several dialects, or none."""
    dialect, *others = {edit.dialect for edit in entry.edits}
    if others or dialect not in NOTATIONS:
        raise InvalidInput("ledger entry", f'its edits are not in one dialect: "{dialect}"')
    expect_sayable(dialect, [edit.edit for edit in entry.edits])
    numbers = enumerate(entry.edits, 1)
    miscounted = frozenset(number for number, edit in numbers if COUNTS in edit.repairs)
    return Spec.of(dialect, [edit.edit for edit in entry.edits], miscounted=miscounted)

"""The entry of a plan and what it claims, and the spec of an entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hkgit import dialects
from hkgit.applying.hunk import CONTEXT, Hunk
from hkgit.applying.outcome import COUNTS, EditOutcome, FileChange, Plan, reads_used
from hkgit.edits import MAX_EDITS, AnyEdit, File, Read, Spec, decode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import (
    MAX_BYTES,
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    RecordedHunk,
    digest,
)
from hkgit.matching.place import LADDER_VERSION, Settings
from hkgit.text.document import Document, hash_lines
from hkgit.text.strict_json import Json, JsonObject


def record(
    spec: Spec,
    plan: Plan,
    *,
    settings: Settings,
    base: str | None,
    spec_digest: str,
    reads: Sequence[Read],
    claims: Mapping[str, Json],
) -> Entry:
    """Make the entry of a plan in which every edit applied, with the reads used as evidence.

    Raises InvalidInput when it is larger than an entry may be.
    """
    edits = tuple(
        record_edit(spec.dialect, block, outcome)
        for block, outcome in zip(spec.blocks, plan.outcomes, strict=True)
    )
    files = tuple(record_file(change) for change in plan.files)
    entry = Entry(
        ladder=LADDER_VERSION,
        threshold=settings.threshold,
        base=base,
        spec_digest=spec_digest,
        reads=reads_used(reads, plan),
        edits=edits,
        files=files,
        claims=claims,
    )
    size = len(entry.to_bytes())
    if len(edits) > MAX_EDITS or size > MAX_BYTES:
        raise InvalidInput(
            "ledger entry",
            f"{len(edits)} edits and {size} bytes are over {MAX_EDITS} edits or {MAX_BYTES} bytes",
            "Split the spec in two.",
        )
    return entry


def make_claims(
    agent: str,
    time: int,
    *,
    verify: Json = None,
    allow_blind: bool = False,
    refusals: Sequence[Json] = (),
    origin: str = "",
    squashed: Json = None,
) -> JsonObject:
    """Make the claims of an entry: what nobody can derive again; `time` in seconds since the epoch.

    `verify` is the command that passed before,
    `refusals` the attempts that were refused before; `origin` says where the edits are known from,
    if not from the tool that made them; `squashed` is what `make_squash_claim` wrote.
    """
    claims: JsonObject = {
        "agent": agent,
        "time": time,
        "verify": verify,
    }
    claims |= {"refusals": [*refusals]} if refusals else {}
    claims |= {"squashed": squashed} if squashed is not None else {}
    claims |= {"allow_blind": True} if allow_blind else {}
    return claims | ({"origin": origin} if origin else {})


def make_squash_claim(edits: int, agents: Iterable[str]) -> JsonObject:
    """Make the claim of an entry that is the net change of so many edits, and whose they were."""
    return {"edits": edits, "agents": [*agents]}


def record_edit(dialect: str, block: str, outcome: EditOutcome) -> RecordedEdit:
    """Make the record of one edit."""
    return RecordedEdit(
        id=outcome.number,
        dialect=dialect,
        path=outcome.path,
        text=block,
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
    base = Document(change.before.data if change.before is not None else b"")
    after = Document(change.after.data if change.after is not None else b"")
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


def mark(file: File | None) -> FileMark | None:
    """Record the mode and hash of a file; None for no file."""
    return None if file is None else FileMark(file.mode, digest(file.data))


def read_recorded_spec(entry: Entry) -> Spec:
    """Parse the spec from an entry's blocks. Raises InvalidInput if a block is not one edit."""
    names = {edit.dialect for edit in entry.edits}
    if len(names) != 1:
        raise InvalidInput("ledger entry", "its edits are in more than one dialect")
    [dialect] = names
    edits: list[AnyEdit] = []
    for edit in entry.edits:
        dialect, reading = dialects.read(edit.text, edit.dialect)
        if len(reading.edits) != 1:
            raise InvalidInput(f"edit {edit.id}", "its text is not one edit")
        edits += reading.edits
    numbers = enumerate(entry.edits, 1)
    miscounted = frozenset(number for number, edit in numbers if COUNTS in edit.repairs)
    return Spec(
        dialect=dialect,
        edits=tuple(edits),
        blocks=tuple(edit.text for edit in entry.edits),
        sequential=dialects.DIALECTS[dialect].SEQUENTIAL,
        miscounted=miscounted,
    )

"""entry.py: the record of one applied spec, all that replay needs besides the parent's tree.

`reading.py` makes it from JSON, `recording.py` from a plan. Similarity and the like are per
mille; modes are octal strings in JSON, as git shows them.
"""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.applying.draft import Lines
from hkgit.edits import Read
from hkgit.evidence.ledger.canonical import digest, text_json, write_canonical
from hkgit.text.json_nodes import Json
from hkgit.values import dataclass, field

SCHEMA = 1
MAX_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """One edit: what it said (`text`, its block in `dialect`), where it landed, how surely.

    `evidence_lines` are the base lines that `expected_hash` speaks of; None means each of
    `base_lines`. `lines` speak of the file as it stood just before this edit.
    """

    id: int
    dialect: str
    path: str
    text: str
    evidence: str
    expected_hash: str | None
    evidence_lines: Lines | None
    lines: tuple[Lines, ...]
    base_lines: tuple[Lines, ...]
    relocated: bool
    tier: str
    repairs: tuple[str, ...]
    similarity: int
    confidence: int
    runner_up: int | None

    @property
    def where(self) -> str:
        """Its path and base lines as `hkgit read` takes them; for a point the line above it."""
        first, last = self.lines_to_read
        return f"{self.path}:{first}-{last}"

    @property
    def lines_to_read(self) -> Lines:
        """The base lines from the first to the last it touches; for a point the line above it."""
        first, last = self.base_lines[0][0], self.base_lines[-1][1]
        return (first, last) if first <= last else (max(last, 1), max(last, 1))


@dataclass(frozen=True, slots=True)
class RecordedHunk:
    """Base lines `start_line..end_line` become `new_text`, with the hashes to find them again."""

    start_line: int
    end_line: int
    old_hash: str
    new_hash: str
    new_text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    edits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileMark:
    """What a file was or became: its mode and the SHA-256 of its bytes."""

    mode: int
    sha256: str


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """One file before and after; `path` is None for a new file, `new_path` for a deleted one."""

    path: str | None
    new_path: str | None
    before: FileMark | None
    after: FileMark | None
    final_newline: bool
    hunks: tuple[RecordedHunk, ...]

    @property
    def name(self) -> str:
        """The path by which the base knows the file, else its new one."""
        return self.path if self.path is not None else self.new_path or ""


@dataclass(frozen=True, slots=True)
class Entry:
    """The record of one applied spec; `claims` holds what nobody can recompute."""

    ladder: int
    threshold: int
    base: str | None
    spec_digest: str
    reads: tuple[Read, ...]
    edits: tuple[RecordedEdit, ...]
    files: tuple[RecordedFile, ...]
    claims: Mapping[str, Json] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """Who made the spec, by its own word."""
        return str(self.claims.get("agent", "unknown"))

    def to_bytes(self) -> bytes:
        """Write the canonical bytes whose SHA-256 names the entry."""
        return write_canonical(entry_json(self))


def entry_id(data: bytes) -> str:
    """Compute the name of an entry: the SHA-256 of its bytes."""
    return digest(data)


def entry_json(entry: Entry) -> Json:
    """Build the JSON that an entry is written as."""
    return {
        "schema": SCHEMA,
        "ladder": entry.ladder,
        "parameters": {"threshold": entry.threshold},
        "base": entry.base,
        "spec": {"digest": entry.spec_digest},
        "reads": [_read_json(read) for read in entry.reads],
        "edits": [_edit_json(edit) for edit in entry.edits],
        "files": [_file_json(file) for file in entry.files],
        "claims": dict(entry.claims),
    }


def _read_json(read: Read) -> Json:
    lines = None if read.start_line is None else [read.start_line, read.end_line]
    return {
        "path": text_json(read.path),
        "lines": lines,
        "range_hash": read.range_hash,
        "kind": read.kind,
    }


def _edit_json(edit: RecordedEdit) -> Json:
    return {
        "id": edit.id,
        "dialect": edit.dialect,
        "path": text_json(edit.path),
        "text": text_json(edit.text),
        "evidence": edit.evidence,
        "expected_hash": edit.expected_hash,
        "evidence_lines": None if edit.evidence_lines is None else list(edit.evidence_lines),
        "lines": [list(lines) for lines in edit.lines],
        "base_lines": [list(lines) for lines in edit.base_lines],
        "relocated": edit.relocated,
        "tier": edit.tier,
        "repairs": list(edit.repairs),
        "similarity": edit.similarity,
        "confidence": edit.confidence,
        "runner_up": edit.runner_up,
    }


def _file_json(file: RecordedFile) -> Json:
    return {
        "path": None if file.path is None else text_json(file.path),
        "new_path": None if file.new_path is None else text_json(file.new_path),
        "before": _mark_json(file.before),
        "after": _mark_json(file.after),
        "final_newline": file.final_newline,
        "hunks": [_hunk_json(hunk) for hunk in file.hunks],
    }


def _mark_json(mark: FileMark | None) -> Json:
    return None if mark is None else {"mode": f"{mark.mode:06o}", "sha256": mark.sha256}


def _hunk_json(hunk: RecordedHunk) -> Json:
    return {
        "lines": [hunk.start_line, hunk.end_line],
        "old_hash": hunk.old_hash,
        "new_hash": hunk.new_hash,
        "new_text": text_json(hunk.new_text),
        "before": list(hunk.before),
        "after": list(hunk.after),
        "edits": list(hunk.edits),
    }

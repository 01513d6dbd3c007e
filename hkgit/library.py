"""library.py: edits for programs, in memory or on a directory. It never prints or commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hkgit import dialects
from hkgit.applying.outcome import EditOutcome, Plan, changed_files
from hkgit.applying.planner import Options, plan
from hkgit.applying.reporting import refusal_text
from hkgit.directory import DirectorySnapshot, write_files
from hkgit.document import Document
from hkgit.edits import (
    AnyEdit,
    File,
    InsertAfter,
    MappingSnapshot,
    ReplaceRange,
    Snapshot,
    Spec,
    decoded,
    encoded,
)
from hkgit.errors import InvalidInput
from hkgit.matching.places import Settings

Content = str | bytes


@dataclass(frozen=True, slots=True)
class EditResult:
    """What became of a batch: one outcome an edit, and the files that change.

    `files` maps a path to its new content, of the type that the root was given in (bytes for a
    directory), or to None where the file is deleted; it is empty unless every edit applied.
    """

    outcomes: tuple[EditOutcome, ...]
    files: Mapping[str, Content | None]

    @property
    def ok(self) -> bool:
        """Whether every edit applied."""
        return all(outcome.error is None for outcome in self.outcomes)

    def for_model(self) -> str:
        """The refusals as a message that an agent can act on; empty when all went well."""
        if self.ok:
            return ""
        return f"Nothing was applied.\n{refusal_text(self.outcomes)}"


@dataclass(frozen=True, slots=True)
class ReadRange:
    """Lines of a file with the hash that an edit of them quotes; the keys of `read --json`."""

    start_line: int
    end_line: int
    total_lines: int
    range_hash: str
    range_lines: tuple[str, ...]


def parse_edits(text: str | bytes, format: str = "auto") -> list[AnyEdit]:
    """The edits of a spec in any dialect. Raises InvalidInput on malformed text."""
    return list(dialects.parse(text, format).edits)


def apply_edits(
    edits: Sequence[AnyEdit],
    root: str | Path | Mapping[str, Content],
    threshold: float = 0.8,
    dry_run: bool = False,
) -> EditResult:
    """Apply edits to a directory, or to a mapping of paths to content, all or nothing.

    Each edit speaks of what those before it left; where one of them names line numbers, all speak
    of the files as given. A mapping is never changed; a directory is written unless `dry_run`.
    Refusals stand in the outcomes. Raises GitRefused when a file cannot be written, InvalidInput
    when the threshold is not from 0 to 1.
    """
    settings = Settings.of(threshold)
    is_numbered = any(isinstance(edit, ReplaceRange | InsertAfter) for edit in edits)
    spec = Spec("edits", tuple(edits), ("",) * len(edits), sequential=not is_numbered)
    made = plan(spec, _snapshot(root), Options(settings))
    if isinstance(root, Mapping):
        return EditResult(made.outcomes, _as_given(root, made))
    changed = changed_files(made)
    if not dry_run:
        write_files(Path(root), changed)
    contents = {path: None if file is None else file.data for path, file in changed.items()}
    return EditResult(made.outcomes, contents)


def read_range(
    content: Content | Path, start_line: int = 1, end_line: int | None = None
) -> ReadRange:
    """Lines of a file, or of its content, with their hash; an end past the last is clamped.

    Raises InvalidInput when the range starts outside the file, OSError when it cannot be read.
    """
    data = content.read_bytes() if isinstance(content, Path) else content
    document = Document(encoded(data) if isinstance(data, str) else data)
    total = document.line_count
    last = total if end_line is None else min(end_line, total)
    if not 1 <= start_line <= last + 1:
        raise InvalidInput(f"{start_line}-{end_line}", f"the file has {total} lines", "Read those.")
    lines = tuple(decoded(line) for line in document.lines[start_line - 1 : last])
    return ReadRange(start_line, last, total, document.range_hash(start_line, last), lines)


def _snapshot(root: str | Path | Mapping[str, Content]) -> Snapshot:
    if isinstance(root, Mapping):
        contents = root.items()
        return MappingSnapshot(
            {path: File(encoded(c) if isinstance(c, str) else c) for path, c in contents}
        )
    return DirectorySnapshot(Path(root))


def _as_given(root: Mapping[str, Content], made: Plan) -> dict[str, Content | None]:
    """New content in the type of the old; new files are text unless all else is bytes."""
    is_all_bytes = bool(root) and all(isinstance(content, bytes) for content in root.values())
    given: dict[str, Content | None] = {}
    for change in made.files:
        is_bytes = is_all_bytes if change.path is None else isinstance(root[change.path], bytes)
        if change.path is not None:
            given[change.path] = None
        if change.new_path is not None and change.after is not None:
            data = change.after.data
            given[change.new_path] = data if is_bytes else decoded(data)
    return given

"""said.py: whether an entry's edits say what it does, told without the ladder. Frozen.

Where the files that an entry was made on are not here, nothing can be located again. So each line
that a hunk writes must be a line of an edit that accounts for it, or one of the old text, which
keep their order; or a line of the old text in which one stretch gave way to a line of such an
edit. Blanks around a line do not count: indentation is carried over when an edit is placed. That a
file is made, moved, removed or made executable is said by an edit of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit import dialects
from hkgit.document import Document
from hkgit.edits import (
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    RenameFile,
    SetMode,
    WriteFile,
    encoded,
)
from hkgit.errors import InvalidInput
from hkgit.ledger.entry import RecordedEdit, RecordedFile


def sayings(edits: Iterable[RecordedEdit]) -> list[AnyEdit]:
    """What some edits say. Raises InvalidInput when one cannot be read, or names another file."""
    return [said for edit in edits for said in _sayings(edit)]


def _sayings(edit: RecordedEdit) -> Iterator[AnyEdit]:
    for said in dialects.parse(edit.text, edit.dialect).edits:
        if said.path != edit.path and not _may_mean(said.path, edit):
            raise InvalidInput(f"edit {edit.id}", f"it speaks of {said.path}, not of {edit.path}")
        yield said


def _may_mean(name: str, edit: RecordedEdit) -> bool:
    """Whether a name in prose, which may be cut short, is that of the edit's file."""
    if edit.dialect != "search-replace":
        return False
    return dialects.resolve_path(name, edit.path.__eq__, lambda: [edit.path]) == edit.path


def unsaid(edits: Iterable[AnyEdit], old: Sequence[bytes], new: Sequence[bytes]) -> list[bytes]:
    """The new lines that no edit says."""
    kept = [line.strip() for line in old]
    said = {line.strip() for edit in edits for line in _new_lines(edit)}
    missing = []
    below = 0
    for line in filter(None, (each.strip() for each in new)):
        if line in said:
            continue
        if line in kept[below:]:
            below = kept.index(line, below) + 1
        elif not _is_spliced(line, set(kept) - {line}, said):
            missing.append(line)
    return missing


def unsaid_fate(edits: Sequence[AnyEdit], file: RecordedFile) -> str | None:
    """What becomes of a file as a whole though no edit says it; None where all of it is said."""
    if file.path is None and not any(map(_makes, edits)):
        return "makes this file"
    if file.new_path is None:
        return None if any(isinstance(edit, DeleteFile) for edit in edits) else "removes this file"
    moves = {edit.new_path for edit in edits if isinstance(edit, RenameFile)}
    if file.path not in (None, file.new_path) and file.new_path not in moves:
        return f"moves this file to {file.new_path}"
    modes = {edit.mode for edit in edits if isinstance(edit, CreateFile | SetMode)}
    before = REGULAR if file.before is None else file.before.mode
    if file.after is not None and file.after.mode not in {before, *modes}:
        return f"gives this file the mode {file.after.mode:06o}"
    return None


def changes_text(edit: AnyEdit) -> bool:
    """Whether an edit can account for lines at all."""
    return not isinstance(edit, RenameFile | SetMode)


def _makes(edit: AnyEdit) -> bool:
    is_new = isinstance(edit, Edit) and edit.old_text == ""
    return is_new or isinstance(edit, CreateFile | WriteFile)


def _new_lines(edit: AnyEdit) -> Sequence[bytes]:
    lines = getattr(edit, "new_lines", None)
    if lines is not None:
        return [encoded(line) for line in lines]
    return Document(encoded(getattr(edit, "new_text", ""))).lines or [b""]


def _is_spliced(line: bytes, kept: set[bytes], said: set[bytes]) -> bool:
    """Whether a line is one of the old text with one stretch replaced by what was said."""
    return any(_fits(line, old, words) for old in kept for words in said)


def _fits(line: bytes, old: bytes, words: bytes) -> bool:
    at = line.find(words)
    while at >= 0:
        rest = line[at + len(words) :]
        if old.startswith(line[:at]) and old[at:].endswith(rest):
            return True
        at = line.find(words, at + 1) if words else -1
    return not words and _lacks_stretch(line, old)


def _lacks_stretch(line: bytes, old: bytes) -> bool:
    """Whether a line is an old one without some stretch of it."""
    cuts = range(len(line))
    return any(old.startswith(line[:at]) and old[at:].endswith(line[at:]) for at in cuts)



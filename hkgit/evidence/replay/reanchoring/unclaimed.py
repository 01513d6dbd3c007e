"""unclaimed.py: check that an entry's edits account for its hunks, without the ladder.

Frozen: a change here changes verdicts of old commits.

Where the files that an entry was made on are not here, nothing can be located again. So each line
that a hunk writes must be a line of an edit that accounts for it, or one of the old text, which
keep their order; or a line of the old text in which what such an edit quotes gave way to what it
says. Each line that goes must be like one that is quoted, unless an edit names as many lines by
number, or lines by tags, or the whole file. Blanks around a line do not count: indentation is
carried over when an edit is placed. That a file is made, moved, removed or made executable is said
by an edit of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from hkgit import dialects
from hkgit.edits import (
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
    encode_text,
)
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import RecordedEdit, RecordedFile
from hkgit.text.document import Document
from hkgit.text.edit_parts import new_text_of, old_text_of

ALIKE = 0.6
"""From this ratio on (Ratcliff and Obershelp, 1988) a line counts as a misquotation of another."""


def parse_edits(edits: Iterable[RecordedEdit]) -> list[AnyEdit]:
    """Parse recorded edits. Raises InvalidInput for an unreadable one or one of another file."""
    return [parsed for edit in edits for parsed in _parse_block(edit)]


def _parse_block(edit: RecordedEdit) -> Iterator[AnyEdit]:
    for parsed in dialects.parse(edit.text, edit.dialect).edits:
        if parsed.path != edit.path and not _may_mean(parsed.path, edit):
            raise InvalidInput(f"edit {edit.id}", f"it speaks of {parsed.path}, not of {edit.path}")
        yield parsed


def _may_mean(name: str, edit: RecordedEdit) -> bool:
    """Whether a name in prose, which may be cut short, is that of the edit's file."""
    if edit.dialect != "search-replace":
        return False
    return dialects.resolve_path(name, edit.path.__eq__, lambda: [edit.path]) == edit.path


def find_unrequested_lines(
    edits: Sequence[AnyEdit], old: Sequence[bytes], new: Sequence[bytes]
) -> list[bytes]:
    """List added lines that are in no edit's replacement text."""
    kept = [line.strip() for line in old]
    requested = {line.strip() for edit in edits for line in _new_lines(edit)}
    missing = []
    below = 0
    for line in filter(None, (each.strip() for each in new)):
        if line in requested:
            continue
        if line in kept[below:]:
            below = kept.index(line, below) + 1
        elif not _is_spliced(line, set(kept) - {line}, edits):
            missing.append(line)
    return missing


def find_unquoted_lines(
    edits: Sequence[AnyEdit], old: Sequence[bytes], new: Sequence[bytes]
) -> list[bytes]:
    """Find the old lines that are gone though no edit quotes them, nor numbers as many lines."""
    if any(isinstance(edit, CreateFile | WriteFile | DeleteFile | TagEdit) for edit in edits):
        return []
    added = [each.strip() for each in new]
    gone = Counter(filter(None, (each.strip() for each in old))) - Counter(added)
    quoted = {line.strip() for edit in edits for line in _old_lines(edit)}
    lost = [
        line
        for line in gone.elements()
        if line not in quoted
        and not any(_alike(line, each) for each in quoted)
        and not any(_is_spliced(each, [line], edits) for each in added)
    ]
    ranges = (edit for edit in edits if isinstance(edit, ReplaceRange))
    return lost[sum(each.end_line - each.start_line + 1 for each in ranges) :]


def find_unrequested_change(edits: Sequence[AnyEdit], file: RecordedFile) -> str | None:
    """Find a creation, deletion, rename or mode change that no edit asks for; None without."""
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
    if isinstance(edit, ReplaceRange | InsertAfter | TagEdit) and edit.new_lines is not None:
        return [encode_text(line) for line in edit.new_lines]
    return Document(encode_text(new_text_of(edit))).lines or [b""]


def _old_lines(edit: AnyEdit) -> Sequence[bytes]:
    return Document(encode_text(old_text_of(edit))).lines


def _is_spliced(line: bytes, old: Iterable[bytes], edits: Sequence[AnyEdit]) -> bool:
    """Whether a line is an old one in which what an edit quotes gave way to what it says."""
    quoting = [edit for edit in edits if isinstance(edit, Edit) and edit.old_text]
    return any(_fits(line, each, edit) for each in old for edit in quoting)


def _fits(line: bytes, old: bytes, edit: Edit) -> bool:
    gone = [each.strip() for each in _old_lines(edit)]
    put = [each.strip() for each in _new_lines(edit)]
    if len(gone) == len(put) == 1:
        is_everywhere = gone[0] in old and old.replace(gone[0], put[0]) == line
        return is_everywhere or any(_alike(each, gone[0]) for each in _gave_way(line, old, put[0]))
    before, after = line.removesuffix(put[0]), line.removeprefix(put[-1])
    begins = line.endswith(put[0]) and old.startswith(before)
    ends = line.startswith(put[-1]) and old.endswith(after)
    return (begins and old[len(before) :].strip().startswith(gone[0])) or (
        ends and old[: len(old) - len(after)].strip().endswith(gone[-1])
    )


def _gave_way(line: bytes, old: bytes, words: bytes) -> Iterator[bytes]:
    """What stood in the old line where the words stand now, for every place they may have."""
    for at in range(len(line) - len(words) + 1):
        rest = line[at + len(words) :]
        is_it = line.startswith(words, at) and old.startswith(line[:at])
        if is_it and old[at:].endswith(rest):
            yield old[at : len(old) - len(rest)]


def _alike(left: bytes, right: bytes) -> bool:
    """Whether one line may be a misquotation of the other."""
    if left.strip() == right:
        return True
    compared = SequenceMatcher(None, left, right, autojunk=False)
    return compared.quick_ratio() >= ALIKE and compared.ratio() >= ALIKE

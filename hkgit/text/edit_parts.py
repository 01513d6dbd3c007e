"""The old text, the new text and the expected hash of any kind of edit."""

from __future__ import annotations

from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)


def expected_hash_of(edit: AnyEdit) -> str | None:
    """Return the hash that an edit expects of what it changes, if it names one."""
    return None if isinstance(edit, CreateFile | SetMode) else edit.expected_hash


def new_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit writes; lines without the last one's end; empty for none."""
    if isinstance(edit, Edit | CreateFile | WriteFile):
        return edit.new_text
    if isinstance(edit, ReplaceRange | InsertAfter | TagEdit):
        return "\n".join(edit.new_lines or ())
    return ""


def old_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit quotes; empty for none."""
    return (edit.old_text or "") if isinstance(edit, Edit | DeleteFile) else ""

"""The old text, the new text and the expected hash of any kind of edit."""

from __future__ import annotations

from typing import assert_never

from hkgit.edits import (
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
)


def expected_hash_of(edit: AnyEdit) -> str | None:
    """Return the hash that an edit expects of what it changes, if it names one."""
    match edit:
        case CreateFile() | SetMode():
            return None
        case (
            Edit()
            | ReplaceRange()
            | InsertAfter()
            | TagEdit()
            | WriteFile()
            | DeleteFile()
            | RenameFile()
        ):
            return edit.expected_hash
    assert_never(edit)


def new_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit writes; lines without the last one's end; empty for none."""
    match edit:
        case Edit() | CreateFile() | WriteFile():
            return edit.new_text
        case ReplaceRange() | InsertAfter() | TagEdit():
            return "\n".join(edit.new_lines or ())
        case DeleteFile() | RenameFile() | SetMode():
            return ""
    assert_never(edit)


def old_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit quotes; empty for none."""
    match edit:
        case Edit() | DeleteFile():
            return edit.old_text or ""
        case (
            ReplaceRange()
            | InsertAfter()
            | TagEdit()
            | CreateFile()
            | WriteFile()
            | RenameFile()
            | SetMode()
        ):
            return ""
    assert_never(edit)

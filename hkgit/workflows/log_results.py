"""What a logged call found and left, as its log or its words tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import assert_never

from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import tell_changes
from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    Spec,
    TagEdit,
    WriteFile,
    encode_text,
)
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import RecordedFile
from hkgit.sessions.call_plan import CallPlan
from hkgit.workflows.log_steps import LoggedEdit, LoggedHunk, Texts
from hkgit.workflows.log_texts import apply_hunks, do_hunks_fit, show_text, with_ends


def find_after(edit: LoggedEdit, before: Texts) -> Texts | None:
    """Find what a call has left, with the line ends that the file has; None where nothing tells.

    Raises InvalidInput where what the log tells does not fit the files as they were.
    """
    logged = edit.after or {}
    after = {
        path: None if data is None else with_ends(data, before.get(path))
        for path, data in logged.items()
    }
    for path, hunks in (edit.hunks or {}).items():
        if path not in after:
            after[path] = _apply_diff(edit, path, hunks, before)
    if after:
        return after
    if not edit.is_final or not edit.replacements or len(edit.paths) != 1:
        return None
    [path] = edit.paths
    return {path: with_ends(_replace_each(edit, before.get(path)), before.get(path))}


def _apply_diff(edit: LoggedEdit, path: str, hunks: Sequence[LoggedHunk], before: Texts) -> bytes:
    """What a diff makes of a file; of one whose lines others have moved, what the words make."""
    data = before.get(path)
    words = _replace_all(edit, before) if edit.paths == (path,) else None
    is_moved = path not in (edit.before or {}) and not do_hunks_fit(data, hunks)
    if words is not None and is_moved and edit.is_final:
        return with_ends(words, data)
    return apply_hunks(data, hunks, words)


def _replace_all(edit: LoggedEdit, before: Texts) -> bytes | None:
    """What the words of a call make of its one file; None where they are not in it."""
    if not edit.replacements:
        return None
    try:
        return _replace_each(edit, before.get(edit.paths[0]))
    except InvalidInput:
        return None


def _replace_each(edit: LoggedEdit, data: bytes | None) -> bytes:
    text = show_text(data or b"")
    for old, new, is_all in edit.replacements:
        text = _replace_literally(text, show_text(old), show_text(new), is_all=is_all)
    return text


def _replace_literally(text: bytes, old: bytes, new: bytes, *, is_all: bool) -> bytes:
    """What an edit tool makes of a text. Raises InvalidInput where the old text is not in it.

    A line that is taken out goes with its end, as Claude Code has it.
    """
    if not old and not text:
        return new
    if not old or old not in text:
        raise InvalidInput("the call", "the file as it was does not contain the old text")
    if not new and not old.endswith(b"\n") and old + b"\n" in text:
        old += b"\n"
    return text.replace(old, new, -1 if is_all else 1)


def may_be_made_on(edit: LoggedEdit, path: str, data: bytes) -> bool:
    """Whether a call may have been made on a version: its old texts are there, unless chained."""
    if edit.hunks is not None and path in edit.hunks:
        return do_hunks_fit(data, edit.hunks[path])
    text = show_text(data)
    if edit.replacements:
        old = show_text(edit.replacements[0][0])
        return old in text if old else not text
    edits = () if edit.spec is None else edit.spec.edits
    olds = (_read_old_text(each) for each in edits if each.path == path)
    return all(show_text(encode_text(old)) in text for old in olds)


def _read_old_text(edit: AnyEdit) -> str:
    """The text that an edit says is there; "" where it says none."""
    match edit:
        case Edit(old_text=old):
            return old
        case DeleteFile(old_text=old):
            return old or ""
        case ReplaceRange() | InsertAfter() | TagEdit() | CreateFile() | WriteFile():
            return ""
        case RenameFile() | SetMode():
            return ""
    assert_never(edit)


def needs_text(edit: LoggedEdit, path: str) -> bool:
    """Whether a call could be made on one text of a file and not on another."""
    if edit.spec is None:
        return path in (edit.hunks or {}) or (edit.after or {}).get(path) is not None
    kinds = {type(each) for each in edit.spec.edits if each.path == path}
    return not kinds or not kinds <= {WriteFile, DeleteFile, RenameFile}


def makes_file(edit: LoggedEdit, path: str, *, is_here: bool) -> bool:
    """Whether a call makes a new file."""
    edits = () if edit.spec is None else edit.spec.edits
    if any(isinstance(each, CreateFile) for each in edits if each.path == path):
        return True
    is_named = any(each.path == path for each in edits) or path in (edit.hunks or {})
    return not is_named and not is_here


def is_what_came(
    plan: CallPlan, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None] | None
) -> bool:
    """Whether a plan comes to what the log says."""
    changed = {path: None if file is None else file.data for path, file in plan.changed.items()}
    left = {**before, **changed}
    return after is None or all(left.get(path) == data for path, data in after.items())


def make_difference(before: Texts, after: Texts) -> Spec:
    """Render what a call has changed as a diff. Raises InvalidInput where that is nothing."""
    old, new = (partial(_find_file, texts) for texts in (before, after))
    changes = compare_files(old, new, after)
    if not changes:
        raise InvalidInput(", ".join(after), "the call changed nothing")
    return tell_changes(changes)


def _find_file(texts: Texts, path: str) -> File | None:
    data = texts.get(path)
    return None if data is None else File(data)


def name_change(change: RecordedFile) -> tuple[str, str | None, str | None]:
    """Name a change of a file: its path, and what it said before and after by SHA-256."""
    before, after = (None if x is None else x.sha256 for x in (change.before, change.after))
    return change.name, before, after

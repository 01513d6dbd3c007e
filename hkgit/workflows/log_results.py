"""What a logged call found and left, as its log or its words tell."""

from __future__ import annotations

from functools import partial

from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import tell_changes
from hkgit.edits import (
    CreateFile,
    DeleteFile,
    File,
    RenameFile,
    Spec,
    WriteFile,
    encode_text,
    new_text_of,
    old_text_of,
)
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import RecordedFile
from hkgit.sessions.told_changes import Told
from hkgit.workflows.log_steps import LoggedEdit
from hkgit.workflows.log_texts import apply_hunks, do_hunks_fit, show_text, with_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.told_changes import Texts


def find_after(told: Told, before: Texts, words: Texts) -> Texts | None:
    """Find what a call has left, with the line ends that the file has; None where nothing tells.

    `words` is what its words make of its files, where they make anything. Raises InvalidInput where
    what is told does not fit the files as they were.
    """
    after = {
        path: None if data is None else with_ends(data, before.get(path))
        for path, data in (told.after or {}).items()
    }
    for path, hunks in (told.hunks or {}).items():
        if path in after:
            continue
        data, made = before.get(path), words.get(path)
        is_moved = path not in (told.before or {}) and not do_hunks_fit(data, hunks)
        if made is not None and is_moved and told.is_final:  # others have moved its lines
            after[path] = made
        else:
            after[path] = apply_hunks(data, hunks, made)
    return after or None


def may_be_made_on(edit: LoggedEdit, path: str, data: bytes) -> bool:
    """Whether a call may have been made on a version: its old texts are there, unless chained."""
    hunks = (edit.told.hunks or {}).get(path)
    if hunks is not None:
        return do_hunks_fit(data, hunks)
    text = show_text(data)
    for each in edit.spec.edits if edit.spec is not None else ():
        if each.path == path:
            if show_text(encode_text(old_text_of(each))) not in text:
                return False
            text += show_text(encode_text(new_text_of(each)))
    return True


def needs_text(edit: LoggedEdit, path: str) -> bool:
    """Whether a call could be made on one text of a file and not on another."""
    if edit.spec is None:
        told = edit.told
        return path in (told.hunks or {}) or (told.after or {}).get(path) is not None
    kinds = {type(each) for each in edit.spec.edits if each.path == path}
    return not kinds or not kinds <= {WriteFile, DeleteFile, RenameFile}


def makes_file(edit: LoggedEdit, path: str, *, is_here: bool) -> bool:
    """Whether a call makes a new file."""
    edits = () if edit.spec is None else edit.spec.edits
    if any(isinstance(each, CreateFile) for each in edits if each.path == path):
        return True
    is_named = any(each.path == path for each in edits) or path in (edit.told.hunks or {})
    return not is_named and not is_here


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

"""tools.py: the edit tools that the model calls: hkgit, and what agents have built in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit import Edit, EditOutcome, EditResult, apply_edits
from hkgit.edits import AnyEdit
from hkgit.errors import Ambiguous, HkgitError, NoMatch

NAME = "file"

Tool = Callable[[Sequence[AnyEdit], bytes], EditResult]


def hkgit(edits: Sequence[AnyEdit], before: bytes) -> EditResult:
    """This project by its library."""
    return apply_edits(edits, {NAME: before})


def exact_unique(edits: Sequence[AnyEdit], before: bytes) -> EditResult:
    """The usual rule: the old text must stand in the file exactly, and once.

    As such tools do, it takes the line ends of the file for those of the edit.
    """
    [edit] = edits
    assert isinstance(edit, Edit)
    is_windows = b"\r\n" in before and b"\n" not in before.replace(b"\r\n", b"")
    text = before.decode().replace("\r\n", "\n") if is_windows else before.decode()
    count = text.count(edit.old_text)
    if count != 1:
        error: HkgitError = NoMatch(NAME, "the text to replace is not in the file")
        if count:
            error = Ambiguous(NAME, f"the text to replace is in the file {count} times")
        return EditResult((EditOutcome(1, NAME, error.status, error=error),), {})
    after = text.replace(edit.old_text, edit.new_text)
    after = after.replace("\n", "\r\n") if is_windows else after
    return EditResult((EditOutcome(1, NAME, "applied"),), {NAME: after.encode()})

"""line_ends.py: the line ends of a new file, and the end of a last line that may lack one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit.edits import AnyEdit, CreateFile, Edit, WriteFile, encode_text
from hkgit.text.document import BOM, Document, Splice
from hkgit.values import replace

REPAIR = "line-ends"
"""How an outcome says that the CRLF of its new text became LF."""

StoresLf = Callable[[str, bytes, bytes | None], bool]
"""Whether the CRLF of a path's new content become LF, given what was there before."""


def as_given(path: str, data: bytes, before: bytes | None) -> bool:
    """Return the bytes unchanged."""
    return False


def as_stored(edit: AnyEdit, before: Callable[[str], bytes | None], stores_lf: StoresLf) -> AnyEdit:
    """Write LF for CRLF in an edit that makes a whole file, where git would store that.

    Lines that come into a file take its ends anyway. `before` gives what a path holds.
    """
    match edit:
        case CreateFile() | WriteFile() | Edit(old_text="", anchors=()):
            text = edit.new_text
        case _:
            return edit
    if "\r\n" not in text or not stores_lf(edit.path, encode_text(text), before(edit.path)):
        return edit
    return replace(edit, new_text=text.replace("\r\n", "\n"))


def settle_end(
    document: Document, splices: Sequence[Splice], *, is_terminated: bool
) -> tuple[tuple[Splice, ...], bool | None]:
    """Adjust splices so that the document keeps an end; tell whether the file's last line has one.

    Documents are worked on with an end on their last line; whether the file has it is kept apart.
    None where the edit leaves that as it is.
    """
    if not splices or not document.line_count:
        return tuple(splices), None
    end = document.end_of(document.line_count)
    *above, last = sorted(splices, key=lambda splice: splice.start)
    text_end = len(document.data) - len(end)
    tail = last.new or document.data[: last.start].removeprefix(BOM)
    is_ended = not tail or tail.endswith(b"\n")
    if not is_terminated and last.end == text_end and is_ended:
        return (*above, replace(last, end=len(document.data))), True
    if last.end == len(document.data) and not is_ended:
        return (*above, replace(last, new=last.new + end)), False
    return tuple(splices), None

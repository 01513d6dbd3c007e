"""line_ends.py: convert the line ends of a new file as git will store them."""

from __future__ import annotations

from collections.abc import Callable

from hkgit.edits import AnyEdit, CreateFile, Edit, WriteFile, encode_text
from hkgit.values import replace

REPAIR = "line-ends"
"""How an outcome says that the CRLF of its new text became LF."""

StoresLf = Callable[[str, bytes, bytes | None], bool]
"""Whether the CRLF of a path's new content become LF, given what was there before."""


def as_given(path: str, data: bytes, before: bytes | None) -> bool:
    """No line end is changed."""
    return False


def as_stored(edit: AnyEdit, before: Callable[[str], bytes | None], stores_lf: StoresLf) -> AnyEdit:
    """The edit with LF instead of CRLF, where it makes a whole file and git would store that.

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

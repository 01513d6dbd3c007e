"""file_ends.py: literal edits at the end of a file whose last line may lack a newline.

Documents are worked on with an end on their last line; whether the file has it is kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.text.document import BOM, Document, Splice
from hkgit.values import replace


def settle_end(
    document: Document, splices: Sequence[Splice], *, is_terminated: bool
) -> tuple[tuple[Splice, ...], bool | None]:
    """The splices so that the document keeps an end, and whether the file's last line has one.

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

"""Refuse edits that would write markers of their notation into a file.

Which lines are such marks depends on the notation. In `protocol` there are none: what a program
wrote as a JSON string is meant. In the other JSON only what leaks from a model counts, at an end
of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.edits import (
    AnyEdit,
    CreateFile,
    Edit,
    WriteFile,
    encode_text,
)
from hkgit.errors import InvalidInput
from hkgit.text.edit_parts import new_text_of, old_text_of
from hkgit.values import replace

_HUNK = r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*"
_PATCH = r"\*\*\* (?:Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File: .*)"
_BLOCK = r"(?:<{5,12} ?|-{5,12} )SEARCH>?|(?:>{5,12} ?|\+{5,12} )REPLACE"

_ANYWHERE = {
    "unified-diff": _HUNK,
    "apply-patch": f"{_PATCH}|{_HUNK}",
}
_LEAKED = rf"{_BLOCK}|\*\*\* (?:Begin|End) Patch"
_TYPED = frozenset({"protocol", "search-replace"})
"""Dialects whose texts need no look: strings of a program, and blocks whose parser has looked."""


def expect_no_marks(dialect: str, edit: AnyEdit, data: bytes) -> None:
    """Raise InvalidInput where an edit of the file `data` would write marks of its dialect.

    What the file says already may be written again.
    """
    found = edit.suspects if isinstance(edit, Edit) else ()
    if dialect not in _TYPED:
        found = tuple(_marks(dialect, edit))
    leaked = [line for line in found if encode_text(line) not in data]
    if leaked:
        error = _refusal(dialect, edit, leaked[0])
        # Where some are the file's own text, nobody can tell what the others belong to.
        error.corrected = _without(edit, found) if len(leaked) == len(found) else None
        raise error


def _marks(dialect: str, edit: AnyEdit) -> Iterator[str]:
    """The new lines, without the blanks around them, that look like marks."""
    known_lines = {"", *old_text_of(edit).split("\n")}
    written = (line for line in new_text_of(edit).split("\n") if line not in known_lines)
    lines = [line.strip() for line in written if line.strip()]
    is_whole = isinstance(edit, CreateFile | WriteFile) or (
        isinstance(edit, Edit) and edit.old_text == ""
    )
    known = _ANYWHERE.get(dialect)
    if known is None or is_whole:
        known, lines = known or _LEAKED, [*lines[:1], *lines[-1:]]
    return (line for line in lines if re.fullmatch(known, line))


def _refusal(dialect: str, edit: AnyEdit, line: str) -> InvalidInput:
    what = f"the new text has the marker {line[:80]!r} of an edit notation in it"
    fix = "Close the edit before the marker, so that it is not taken for text."
    if dialect == "search-replace":
        fix += " If it is text, put a \\ in front of it."
    elif dialect != "protocol":
        fix += " If it is text, write the edit in the dialect `protocol`."
    return InvalidInput(edit.path, what, fix)


def _without(edit: AnyEdit, marks: Sequence[str]) -> Edit | None:
    """The edit without the lines that are marks."""
    if not isinstance(edit, Edit) or not edit.old_text:
        return None
    kept = [line for line in edit.new_text.splitlines(keepends=True) if line.strip() not in marks]
    new_text = "".join(kept)
    if not edit.old_text.endswith("\n"):
        new_text = new_text.removesuffix("\n")
    if new_text == edit.old_text:
        return None
    return replace(edit, new_text=new_text, suspects=())

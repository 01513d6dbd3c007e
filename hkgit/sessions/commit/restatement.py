"""restatement.py: say changes of a file as edits of its lines by their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit import dialects
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_empty
from hkgit.edits import InsertAfter, ReplaceRange, Spec, decode_text, encode_text
from hkgit.evidence.ledger.canonical import digest
from hkgit.text.diff import LineChange, find_changes, follow
from hkgit.text.document import Document


def restate(path: str, before: bytes, after: bytes) -> Spec:
    """Make a spec of line ranges that turns one text into another."""
    old, new = Document(before).lines, Document(after).lines
    return _make_spec(_edit_lines(path, each, new) for each in find_changes(old, new))


def restate_on(
    path: str, touched: Sequence[Lines], versions: tuple[bytes, bytes], onto: bytes
) -> Spec:
    """Make a spec that does to `onto` what an edit did to the first of two versions.

    `touched` are the lines of that version which are the edit's. What stands in their place in
    `onto` is replaced.
    """
    old, new, base = (Document(each).lines for each in (*versions, onto))
    differ = find_changes(old, base)
    return _make_spec(
        _edit_lines(path, _move(each, differ), new)
        for each in find_changes(old, new)
        if any(_meets(each, lines) for lines in touched)
    )


def _move(change: LineChange, differ: Sequence[LineChange]) -> LineChange:
    """Move a change to where its old lines stand in another version."""
    if change.old_start == change.old_end:
        _, last = follow(differ, (change.old_start, change.old_start))
        return LineChange(last, last, change.new_start, change.new_end)
    first, last = follow(differ, (change.old_start + 1, change.old_end))
    return LineChange(first - 1, max(last, first - 1), change.new_start, change.new_end)


def _meets(change: LineChange, lines: Lines) -> bool:
    if is_empty(lines) or change.old_start == change.old_end:
        return change.old_start <= lines[1] and lines[0] <= change.old_end + 1
    return change.old_start < lines[1] and lines[0] <= change.old_end


def _edit_lines(path: str, change: LineChange, new: Sequence[bytes]) -> ReplaceRange | InsertAfter:
    lines = tuple(map(decode_text, new[change.new_start : change.new_end]))
    if change.old_start == change.old_end:
        return InsertAfter(path, change.old_start, lines)
    return ReplaceRange(path, change.old_start + 1, change.old_end, lines)


def _make_spec(edits: Iterator[ReplaceRange | InsertAfter]) -> Spec:
    found = tuple(edits)
    render = dialects.DIALECTS["protocol"].render
    return Spec(
        dialect="protocol",
        edits=found,
        blocks=tuple(render([each]) for each in found),
        sequential=False,
        digest=digest(encode_text(render(found))),
    )

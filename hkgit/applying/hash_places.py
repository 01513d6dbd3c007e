"""hash_places.py: find lines by an edit's expected hash where its quotation does not match.

The hash shows that the author saw these very lines; a line too few or too many in the quotation
is then a slip of the pen.
"""

from __future__ import annotations

from hkgit.applying.context import EditContext
from hkgit.applying.draft import Lines
from hkgit.edits import Edit, encode_text
from hkgit.matching.lines import split_lines

SLACK = 3
"""So many lines the quotation may have more or less than what was hashed."""

MOST_HASHED = 300_000
"""So many lines at most are hashed, each as often as it stands in a range, to find one."""


def find_lines_of_hash(context: EditContext, edit: Edit) -> Lines | None:
    """Find the only lines of the base, about as many as quoted, that have the expected hash.

    None where there are none or several, or where an earlier edit has written into them.
    """
    expected, base = edit.expected_hash, context.base
    if expected is None or base.whole_hash.startswith(expected):
        return None
    count = len(split_lines(encode_text(edit.old_text)))
    sizes = range(max(count - SLACK, 1), min(count + SLACK, base.line_count) + 1)
    if sum(sizes) * base.line_count > MOST_HASHED:
        return None
    found = [
        (first, first + size - 1)
        for size in sizes
        for first in range(1, base.line_count - size + 2)
        if base.range_hash(first, first + size - 1).startswith(expected)
    ]
    if len(found) != 1 or context.is_written(found[0]):
        return None
    return context.from_base(found[0])

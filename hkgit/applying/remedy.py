"""Add to a refusal what the next call needs: candidate lines with their hash.

Bounded, so that an answer never costs more than to read the place again.
"""

from __future__ import annotations

from hkgit.applying.context import EditContext
from hkgit.applying.outcome import Candidate, EditOutcome, show_lines
from hkgit.applying.quotes import change_text
from hkgit.applying.syntax import expect_no_marks
from hkgit.dialects import protocol
from hkgit.dialects.search_replace import write_block
from hkgit.edits import AnyEdit, Edit, encode_text
from hkgit.errors import HkgitError
from hkgit.matching.place import THRESHOLD
from hkgit.text.document import Document, terminate
from hkgit.values import replace

SHOWN = 3  # So many candidates are given
MOST = 2000  # So many bytes of text all candidates of a refusal hold together
MOST_IN_ALL = 40_000
"""So many bytes all refusals of a spec hold together; those behind it only say what is wrong."""


def add_remedy(
    outcome: EditOutcome, context: EditContext, error: HkgitError, dialect: str
) -> EditOutcome:
    """Give a refused outcome all that the next call needs."""
    found = list_candidates(context, error)
    return replace(outcome, candidates=found, corrected=render_correction(context, error, dialect))


def measure_size(outcome: EditOutcome) -> int:
    """Count the bytes of text that an outcome gives its author."""
    texts = (outcome.corrected, *(candidate.text for candidate in outcome.candidates))
    return sum(len(encode_text(text)) for text in texts if text is not None)


def list_candidates(context: EditContext, error: HkgitError) -> tuple[Candidate, ...]:
    """List the places that a refusal names, in base lines; none that earlier edits changed."""
    left, found = MOST, []
    for near in error.near[:SHOWN]:
        start, end = context.document.span(near.start_line, near.end_line)
        lines = context.seen.base_lines(start, end)
        if context.base.data[slice(*context.base.span(*lines))] == context.document.data[start:end]:
            candidate = show_lines(context.base, lines, near.similarity)
            left -= len(encode_text(candidate.text or ""))
            found.append(candidate if left >= 0 else replace(candidate, text=None, range_hash=None))
    return tuple(found)


def render_correction(context: EditContext, error: HkgitError, dialect: str) -> str | None:
    """Render the corrected edit in a dialect, with the hash of its quote if that carries one.

    A block is answered with a block, a diff with the one that git would show, and what came
    otherwise with JSON. None for an edit that would be refused for what it writes.
    """
    edit = error.corrected
    if not isinstance(edit, Edit):
        return None if edit is None else _render_edit(edit, dialect)
    try:
        expect_no_marks(dialect, edit, context.document.data)
        if dialect == "unified-diff":
            return change_text(context, edit, THRESHOLD)[1].diff
    except HkgitError:
        return None
    hashed = replace(edit, expected_hash=_hash_of(context, edit))
    return _render_edit(hashed, dialect) or _render_edit(edit, dialect)


def _hash_of(context: EditContext, edit: Edit) -> str | None:
    """The hash of the base lines that are quoted, where they are there whole and once."""
    data, quoted = context.base.data, terminate(Document(encode_text(edit.old_text))).data
    start = data.find(quoted)
    if data != context.document.data or start < 0 or start != data.rfind(quoted):
        return None
    lines = context.base.lines_of(start, start + len(quoted))
    return context.base.range_hash(*lines) if context.base.span(*lines)[0] == start else None


def _render_edit(edit: AnyEdit, dialect: str) -> str | None:
    """Write an edit as a block, if it came so and can be one; else as every face reads it."""
    if dialect == "search-replace" and isinstance(edit, Edit):
        return write_block(edit)
    return protocol.write([replace(edit, whole_lines=False) if isinstance(edit, Edit) else edit])

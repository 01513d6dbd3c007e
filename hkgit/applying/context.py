"""The file and the reads of one edit, and its evidence once its place is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from hkgit.applying.draft import Draft
from hkgit.applying.evidence import (
    NONE,
    STRONGEST_FIRST,
    Evidence,
    find_holding_hash,
    find_holding_read,
    is_empty,
    refuse_stale_hash,
)
from hkgit.applying.hunk import net_hunks
from hkgit.applying.outcome import FileChange
from hkgit.applying.workspace import FileState
from hkgit.edits import File, Read
from hkgit.errors import InvalidInput
from hkgit.text.document import Document, Lines, Splice
from hkgit.values import cached_property, dataclass, replace


@dataclass(frozen=True)
class EditContext:
    """An edit's number, its file, the reads that refer to that file, and earlier evidence.

    `in_base` says that the edit refers to the base, not to what earlier edits left. Without
    `shows_diff` nobody looks at the diff of the outcome.
    """

    number: int
    state: FileState
    reads: tuple[Read, ...]
    in_base: bool
    earlier: Mapping[int, Evidence]
    shows_diff: bool = True

    @property
    def base(self) -> Document:
        """The file's base, its last line with an end."""
        return self.state.draft.base

    @cached_property
    def seen(self) -> Draft:
        """The file that the edit refers to: the base, or what earlier edits left."""
        return Draft(self.base) if self.in_base else self.state.draft

    @property
    def document(self) -> Document:
        """The text of that file."""
        return self.seen.document

    def present_lines(self, start: int, end: int) -> Lines:
        """Return the lines of the file as it is that bytes `start:end` of the document cover."""
        if self.in_base:
            return self.state.draft.lines_now(start, end)
        return self.document.lines_of(start, end)

    def splice(self, splices: Sequence[Splice]) -> FileState:
        """Apply these splices of the document; raise InvalidInput where edits overlap."""
        draft: Draft | None = self.state.draft
        # In a file that no edit has touched both are the same, and this one is much faster.
        in_base = self.seen.is_untouched
        for splice in sorted(splices, key=attrgetter("start"), reverse=True):
            if draft is None:
                break
            change = draft.write if in_base else draft.replace
            draft = change(splice.start, splice.end, splice.new, self.number)
        if draft is None:
            first, last = self.base.lines_of(splices[0].start, splices[-1].end)
            raise self.overlap(f"{self.state.path}:{first}-{last}")
        return replace(self.state, draft=draft)

    def overlap(self, where: str) -> InvalidInput:
        """Build the error for an edit where another one of the spec is at work."""
        what, fix = "overlaps another edit of this spec", "Merge the two edits into one."
        return InvalidInput(where, what, fix)

    def settle_evidence(
        self, touched: tuple[Lines, ...], expected: str | None, writers: Sequence[int] = ()
    ) -> Evidence:
        """Find the evidence of an edit whose place is known; raise Stale for a hash that fails."""
        if expected is not None:
            own = find_holding_hash(self.base, touched, expected)
            if own is None:
                raise refuse_stale_hash(self.base, self.state.origin or "", touched, expected)
            return own
        if writers and all(map(is_empty, touched)):
            kinds = [self.earlier[number].kind for number in writers]
            return Evidence(max(kinds, key=STRONGEST_FIRST.index))
        found = find_holding_read(self.base, touched, self.reads)
        if found is not None:
            return found
        for read in self.reads:
            if read.kind == "hash" and read.start_line is None:
                raise refuse_stale_hash(self.base, read.path, touched, read.range_hash)
        return NONE


def change_diff(
    context: EditContext, splices: Sequence[Splice], final_newline: bool | None = None
) -> str:
    """Write the change of one edit as a unified diff; only the lines around it are looked at."""
    if not context.shows_diff:
        return ""
    from hkgit.applying.file_diff import CONTEXT, render_diff

    document, path, mode = context.document, context.state.path, context.state.mode
    first = last = document.line_count
    if splices:
        first, last = document.lines_of(splices[0].start, splices[-1].end)
    top, bottom = max(first - CONTEXT, 1), min(last + CONTEXT, document.line_count)
    if final_newline is not None:
        bottom = document.line_count
    start = document.offsets[top - 1] if top > 1 else 0
    old = draft = Draft(Document(document.data[start : document.offsets[bottom]]))
    for splice in sorted(splices, key=attrgetter("start"), reverse=True):
        place = splice.start - start, splice.end - start
        written = draft.write(*place, splice.new, context.number)
        draft = written or draft.replace(*place, splice.new, context.number)
    was_terminated = context.state.is_terminated or bottom < document.line_count
    is_terminated = was_terminated if final_newline is None else final_newline
    before = File(old.result(is_terminated=was_terminated), mode)
    after = File(draft.result(is_terminated=is_terminated), mode)
    return render_diff(
        FileChange(path=path, new_path=path, before=before, after=after, hunks=net_hunks(draft)),
        top,
    )

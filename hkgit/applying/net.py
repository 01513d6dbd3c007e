"""The net change of edits that wrote over one another.

An edit may write text that a later one takes away again. Their net change says what both leave,
as hunks of the files before the first of them, and quotes nothing of what was there between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit import dialects
from hkgit.applying.draft import Draft
from hkgit.applying.evidence import CHECKED
from hkgit.applying.file_diff import CONTEXT, render_diff
from hkgit.applying.hunk import Hunk, net_hunks
from hkgit.applying.outcome import FileChange, Plan, files_after
from hkgit.applying.planner import Options, PlannedSpec, plan
from hkgit.edits import File, Read, Snapshot, Spec, encode_text
from hkgit.errors import InvalidInput
from hkgit.matching.place import Settings
from hkgit.text.document import Document, Lines, Words, words_of
from hkgit.text.hashes import sha256
from hkgit.text.line_map import join_lines
from hkgit.values import dataclass, field, replace


def tell_changes(changes: Iterable[FileChange], context: int = CONTEXT) -> Spec:
    """Tell changes of files as a spec: a diff with so many lines around each of them.

    Raises InvalidInput where no diff can say one.
    """
    text = "".join(render_diff(each, context=context) for each in changes)
    spec = dialects.parse(text, "unified-diff")
    return replace(spec, digest=sha256(encode_text(text)).hexdigest())


def plan_changes(
    changes: Sequence[FileChange],
    files: Snapshot,
    reads: Sequence[Read],
    settings: Settings | None = None,
) -> PlannedSpec:
    """Plan changes of these files as a diff. Raises HkgitError where no diff can express them."""
    planned = Plan((), tuple(changes))
    wanted = files_after(planned)
    # The lines around a change need not have been read, but may be needed to place it.
    for context in (0, CONTEXT):
        spec = tell_changes(changes, context)
        planned = plan(spec, files, Options(settings or Settings()), reads)
        if planned.ok and files_after(planned) == wanted:
            return PlannedSpec(spec, planned, tuple(reads))
    is_told = not any(_has_same_lines(each) for each in changes)
    if is_told and planned.first_error is not None:
        raise planned.first_error
    what = "changes line ends or a byte order mark, which no edit can express"
    raise InvalidInput(", ".join(sorted(wanted)), what)


def _has_same_lines(change: FileChange) -> bool:
    files = (change.before, change.after)
    before, after = (Document(b"" if each is None else each.data).lines for each in files)
    return before == after


@dataclass
class _Traced:
    """A file from before the first edit on; `origin` is its path then, None for a new one."""

    origin: str | None
    path: str | None
    before: File | None
    draft: Draft
    after: File | None = None

    def put(self, change: FileChange) -> None:
        """Take in the next change of the file."""
        document = self.draft.document
        for hunk in reversed(change.hunks):
            start, stop = document.span(hunk.start_line, hunk.end_line)
            self.draft = self.draft.replace(start, stop, hunk.new, 1)
        self.path, self.after = change.new_path, change.after

    def drop(self, kept: Words) -> None:
        """Take out the lines whose words are not among these."""
        if self.path is None or self.after is None:
            return
        document = self.draft.document
        for number in range(document.line_count, 0, -1):
            if not words_of(document.lines[number - 1 : number]) <= kept:
                self.draft = self.draft.replace(*document.span(number, number), b"", 1)
        is_terminated = Document(self.after.data).is_terminated
        self.after = replace(self.after, data=self.draft.result(is_terminated=is_terminated))

    @property
    def change(self) -> FileChange | None:
        """What became of the file in the end; None where that is nothing."""
        if self.origin == self.path and self.before == self.after:
            return None
        hunks = net_hunks(self.draft)
        if self.path is None:
            gone = Hunk(1, self.draft.base.line_count, b"", (1,))
            hunks = (gone,) if gone.end_line else ()
        return FileChange(
            path=self.origin,
            new_path=self.path,
            before=self.before,
            after=self.after,
            hunks=hunks,
        )


@dataclass
class NetChange:
    """What plans, each on the files that the one before it leaves, make of some files together."""

    traced: list[_Traced] = field(default_factory=list)
    read: dict[tuple[str, str], list[Lines]] = field(default_factory=dict)

    def add(self, changes: Sequence[FileChange], reads: Iterable[Read]) -> None:
        """Take in the next changes, and the lines before them that were read."""
        found = [(change, self._find(change)) for change in changes]
        known = {name: file for each, file in found for name in (each.path, each.new_path) if name}
        for read in reads:
            if read.path in known:
                self._learn(read, known[read.path])
        for change, file in found:
            file.put(change)

    def _find(self, change: FileChange) -> _Traced:
        """Find the file that a change is of; begin with it where none was before it."""
        for file in self.traced:
            is_made_again = change.path is None and (file.path, file.origin) == (
                None,
                change.new_path,
            )
            if is_made_again or (change.path is not None and file.path == change.path):
                return file
        data = b"" if change.before is None else change.before.data
        fresh = _Traced(
            origin=change.path,
            path=change.path,
            before=change.before,
            draft=Draft.of(data),
            after=change.before,
        )
        self.traced.append(fresh)
        return fresh

    def _learn(self, read: Read, file: _Traced) -> None:
        """Keep which lines from before all changes a read is of."""
        if file.origin is None or read.start_line is None or read.end_line is None:
            return
        origins = file.draft.origins()
        numbers = range(read.start_line, read.end_line + 1)
        self.read.setdefault((file.origin, read.kind), []).extend(
            (origins[number], origins[number]) for number in numbers if number in origins
        )

    def drop(self, kept: Words) -> None:
        """Take out the lines whose words are not among these: a person has."""
        for file in self.traced:
            file.drop(kept)

    def restate(
        self, files: Snapshot, settings: Settings, more: Sequence[Read] = ()
    ) -> PlannedSpec | None:
        """Plan the net change as a diff of the files before the first edit; None for no change.

        What the edits had read of those files is its evidence, and `more`. Raises InvalidInput
        where no diff says the change: where it is one of line ends, say.
        """
        changes = [each for each in (file.change for file in self.traced) if each is not None]
        if not changes:
            return None
        return plan_changes(changes, files, (*self._list_reads(changes), *more), settings)

    def _list_reads(self, changes: Sequence[FileChange]) -> Iterator[Read]:
        """List what was read, the strongest kind first; a weaker one covers lines of both."""
        for change in changes:
            lines: list[Lines] = []
            for kind in CHECKED if change.path is not None and change.before is not None else ():
                more = self.read.get((change.name, kind), [])
                lines += more
                document = Document(b"" if change.before is None else change.before.data)
                for first, last in join_lines(lines) if more else ():
                    known = document.range_hash(first, last)
                    yield Read(change.name, first, last, range_hash=known, kind=kind)

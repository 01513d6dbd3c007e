"""The net change of edits that wrote over one another.

An edit may write text that a later one takes away again. Their net change says what both leave,
as hunks of the files before the first of them, and quotes nothing of what was there between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit import dialects
from hkgit.applying.evidence import CHECKED
from hkgit.applying.file_diff import CONTEXT, render_diff
from hkgit.applying.hunk import make_hunks, trim_hunks
from hkgit.applying.outcome import FileChange, Plan, files_after
from hkgit.applying.planner import Options, PlannedSpec, plan
from hkgit.applying.workspace import KINDS
from hkgit.edits import File, Read, Snapshot, Spec
from hkgit.errors import InvalidInput
from hkgit.matching.place import THRESHOLD
from hkgit.text.diff import find_common, join_lines, list_changes
from hkgit.text.document import Document, Lines, Words, terminate, unterminate, words_of
from hkgit.values import dataclass, field, replace


def tell_changes(changes: Iterable[FileChange], context: int = CONTEXT) -> Spec:
    """Tell changes of files as a spec: a diff with so many lines around each of them.

    Raises InvalidInput where no diff can say one.
    """
    text = "".join(render_diff(each, context=context) for each in changes)
    return dialects.parse(text, "unified-diff")


def plan_changes(
    changes: Sequence[FileChange],
    files: Snapshot,
    reads: Sequence[Read],
    threshold: int = THRESHOLD,
) -> PlannedSpec:
    """Plan changes of these files as a diff. Raises HkgitError where no diff can express them."""
    for change in changes:
        for file in (change.before, change.after):
            if file is not None and file.mode in KINDS:
                what = f"is {KINDS[file.mode]}, which no edit can express"
                raise InvalidInput(change.name, what)
    planned = Plan((), tuple(changes))
    wanted = files_after(planned)
    # The lines around a change need not have been read, but may be needed to place it.
    for context in (0, CONTEXT):
        spec = tell_changes(changes, context)
        planned = plan(spec, files, Options(threshold), reads)
        if planned.ok and files_after(planned) == wanted:
            return PlannedSpec(spec, planned, tuple(reads))
    lines = ((Document.of(each.before).lines, Document.of(each.after).lines) for each in changes)
    if planned.first_error is not None and all(before != after for before, after in lines):
        raise planned.first_error
    what = "changes line ends or a byte order mark, which no edit can express"
    raise InvalidInput(", ".join(sorted(wanted)), what)


@dataclass
class _Traced:
    """A file from before the first edit on; `origin` is its path then, None for a new one.

    `origins` are its lines: which one each was then, 0 for none. `read` are those lines of then
    that were read, by kind.
    """

    origin: str | None
    before: File | None
    path: str | None
    after: File | None
    origins: list[int]
    read: dict[str, list[Lines]] = field(default_factory=dict)

    def learn(self, reads: Iterable[Read]) -> None:
        """Take in which lines of it were read, as it is now."""
        for read in reads:
            if read.start_line is not None and read.end_line is not None:
                lines = self.origins[read.start_line - 1 : read.end_line]
                self.read.setdefault(read.kind, []).extend((each, each) for each in lines if each)

    def put(self, change: FileChange) -> None:
        """Take in the next change of the file."""
        for hunk in reversed(change.hunks):
            self.origins[hunk.start_line - 1 : hunk.end_line] = [0] * len(hunk.new_lines)
        self.path, self.after = change.new_path, change.after
        if change.after is None:
            self.origins.clear()

    def drop(self, kept: Words) -> None:
        """Take out the lines whose words are not among these."""
        if self.after is None:
            return
        document = Document(self.after.data)
        lines = terminate(document).raw_lines
        left = [at for at, each in enumerate(document.lines) if words_of([each]) <= kept]
        data = document.bom + b"".join(lines[at] for at in left)
        ended = data if document.is_terminated else unterminate(data)
        self.after = replace(self.after, data=ended)
        self.origins = [self.origins[at] for at in left]

    @property
    def change(self) -> FileChange | None:
        """What became of the file in the end; None where that is nothing."""
        if (self.origin, self.before) == (self.path, self.after):
            return None
        base, made = (terminate(Document.of(file)) for file in (self.before, self.after))
        same = [(each - 1, at) for at, each in enumerate(self.origins) if each]
        changes = list_changes(same, base.line_count, made.line_count)
        return FileChange(
            path=self.origin,
            new_path=self.path,
            before=self.before,
            after=self.after,
            hunks=trim_hunks(base, make_hunks(changes, made.raw_lines)),
        )

    def list_reads(self) -> Iterator[Read]:
        """List what was read of it, the strongest kind first; a weaker one covers lines of both."""
        lines: list[Lines] = []
        for kind in CHECKED if self.before is not None and self.origin is not None else ():
            more = self.read.get(kind, [])
            lines += more
            document = Document.of(self.before)
            for each in join_lines(lines) if more else ():
                yield Read(self.origin or "", *each, document.range_hash(*each), kind)


@dataclass
class NetChange:
    """What edits, each on the files that the ones before it leave, make of `files` together."""

    files: Snapshot
    traced: list[_Traced] = field(default_factory=list)

    def add(self, changes: Sequence[FileChange], reads: Sequence[Read]) -> None:
        """Take in the next changes, and the lines before them that were read."""
        found = [(change, self._find(change)) for change in changes]
        for change, file in found:
            names = (change.path, change.new_path)
            file.learn(each for each in reads if each.path in names)
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
        before = None if change.path is None else self.files.get(change.path)
        old, now = (Document.of(file).lines for file in (before, change.before))
        places = {j: i + 1 for i, j in find_common(old, now)}
        origins = [places.get(at, 0) for at in range(len(now))]
        fresh = _Traced(
            origin=change.path,
            before=before,
            path=change.path,
            after=change.before,
            origins=origins,
        )
        self.traced.append(fresh)
        return fresh

    def drop(self, kept: Words) -> None:
        """Take out the lines whose words are not among these: a person has."""
        for file in self.traced:
            file.drop(kept)

    def restate(self, threshold: int, more: Sequence[Read] = ()) -> PlannedSpec | None:
        """Plan the net change as a diff of the files; None for no change.

        What the edits had read of those files is its evidence, and `more`. Raises InvalidInput
        where no diff says the change: where it is one of line ends, say.
        """
        changed = [(each, change) for each in self.traced if (change := each.change) is not None]
        if not changed:
            return None
        reads = (*(read for each, _ in changed for read in each.list_reads()), *more)
        return plan_changes([change for _, change in changed], self.files, reads, threshold)

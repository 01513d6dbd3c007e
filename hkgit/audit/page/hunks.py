"""Hunks as lines, and which of them were seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from hkgit.applying.evidence import RECOVERED, covers, is_weak
from hkgit.audit.commits import AuditedCommit, list_changes, name_evidence, strength_of
from hkgit.edits import DIRECTORY, SUBMODULE, File, Overlay, Snapshot, encode_text
from hkgit.errors import HkgitError, Unverifiable
from hkgit.evidence.claims import mark
from hkgit.evidence.derivation import derive
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.evidence.sequence import order_entries
from hkgit.gate.ruling import Ruling
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, Lines
from hkgit.text.escape import visible
from hkgit.values import dataclass

_HOW = {
    "receipt": "had read {}",
    "hash": "gave the hash of {}",
    "tag": "named the tags of {}",
    RECOVERED: "had read {}, says its transcript",
    "late": "named {} after the change; nothing shows that it had read them",
    "quote": "quoted {}; nothing shows that it had read them",
}
"""What an agent did with some lines: only a session that kept a receipt saw it read them."""

_EYE = {"receipt": "read", "hash": "hash", "tag": "tag", RECOVERED: "log"}


@dataclass(frozen=True)
class SeenRange:
    """Lines of the base that an agent's evidence names, and of which `kind` that is."""

    start: int
    end: int
    kind: str

    @property
    def how(self) -> str:
        """What the agent did with the lines, in words."""
        is_one = self.start == self.end
        lines = f"line {self.start}" if is_one else f"lines {self.start}-{self.end}"
        return _HOW.get(self.kind, f"{self.kind}: {{}}").format(lines)

    @property
    def is_known(self) -> bool:
        """Whether it shows that the lines were known; a quote does not."""
        return not is_weak(self.kind)


def find_seen(
    entry: Entry,
    file: RecordedFile,
    edits: Sequence[RecordedEdit],
    line_count: int,
    *,
    is_told: bool,
) -> tuple[SeenRange, ...]:
    """Find the ranges of a file that are in an entry as known or quoted, each once, in order.

    `is_told` says that only a transcript reports them.
    """
    named = [
        (lines, edit.evidence)
        for edit in edits
        for lines in (edit.base_lines if edit.evidence_lines is None else (edit.evidence_lines,))
        if edit.evidence in _HOW
    ]
    reads = (read for read in entry.reads if read.path == file.path)
    named += [((read.start_line or 1, read.end_line or line_count), read.kind) for read in reads]
    unique: dict[tuple[int, int, bool], SeenRange] = {}
    for (start, end), kind in named:
        if 1 <= start <= end and start <= line_count:
            shown = RECOVERED if is_told and not is_weak(kind) else kind
            seen = SeenRange(start, min(end, line_count), shown)
            unique.setdefault((seen.start, seen.end, seen.is_known), seen)
    return tuple(unique[key] for key in sorted(unique))


def name_sight(line: int, ranges: Iterable[SeenRange]) -> str:
    """Name what shows that a line was known, a reading before a hash; empty if nothing does."""
    kinds = {each.kind for each in ranges if each.is_known and each.start <= line <= each.end}
    return next((word for kind, word in _EYE.items() if kind in kinds), "")


def is_point_seen(point: int, ranges: Iterable[SeenRange]) -> bool:
    """Whether such evidence covers a neighbour of the point above line `point`."""
    empty = (point, point - 1)
    return any(each.is_known and covers((each.start, each.end), empty) for each in ranges)


MOST_LINES = 60
"""Lines of a hunk that are shown, and as many characters times four of a line."""

MOST_HUNKS = 40
"""Hunks of a commit that are shown."""

LARGEST = 400_000
"""Bytes of a file that is compared."""

_CONTEXT = 2


@dataclass(frozen=True)
class DiffRow:
    """One line of a diff: ` `, `-` or `+`, its numbers, and by what it was known.

    `seen` is `read`, `hash`, `tag` or `log`, empty where nothing shows it, None for a new line.
    """

    sign: str
    old: int | None
    new: int | None
    text: str
    seen: str | None


@dataclass(frozen=True)
class ReviewHunk:
    """One hunk: what it makes of base lines `start..end`, on what it rests, what was seen.

    `evidence` is the weakest of its edits', `none` where no entry refers to it. `changed` counts
    the base lines that it takes away or replaces, `unseen` those that neither a hash nor a reading
    covers; an insertion counts the point it is made at. `left_out` lines of the diff are not shown.
    """

    path: str
    start: int
    end: int
    evidence: str
    confidence: int | None
    tiers: tuple[str, ...]
    seen: tuple[SeenRange, ...]
    rows: tuple[DiffRow, ...]
    line_count: int
    changed: int
    added: int
    unseen: int
    left_out: int = 0
    note: str = ""

    @property
    def weakness(self) -> tuple[int, int, int]:
        """A key that sorts the weakest first."""
        return -strength_of(self.evidence), -self.unseen, self.confidence or 0

    def count_used(self, seen: SeenRange) -> int:
        """Count how many lines of a range that was seen the hunk changes."""
        old = (row.old for row in self.rows if row.sign == "-" and row.old is not None)
        return sum(seen.start <= line <= seen.end for line in old)


def list_hunks(
    repository: Repository, commit: AuditedCommit, most: int = MOST_HUNKS
) -> tuple[ReviewHunk, ...]:
    """List the hunks of a commit, the weakest first; none where they cannot be read.

    Of a commit without evidence there are `most` at most.
    """
    try:
        if commit.ruling.judged.entries:
            found = list(_list_recorded(repository, commit))
        else:
            is_bare = commit.ruling.is_bare
            found = list(islice(_list_bare(repository, commit), most)) if is_bare else []
    except (HkgitError, ValueError, IndexError):  # of what cannot be derived nothing is shown
        return ()
    return tuple(sorted(found, key=lambda each: each.weakness))


def _list_recorded(repository: Repository, commit: AuditedCommit) -> Iterator[ReviewHunk]:
    judged = commit.ruling.judged
    before = repository.snapshot(next(iter(judged.candidate.parents), EMPTY_TREE))
    files = Overlay(before)
    for _, entry in order_entries(judged.entries, before):
        for file in entry.files:
            base = _base(repository, entry, file, files)
            for hunk in file.hunks:
                yield _hunk(commit.ruling, entry, file, hunk, base)
        if len(judged.entries) > 1:
            files = Overlay(before, {**files.files, **derive(entry, files).files})


def _base(
    repository: Repository, entry: Entry, file: RecordedFile, files: Snapshot
) -> Document | None:
    """The lines that an entry's hunks refer to: of the file as it was, or of the entry's base."""
    if file.path is None:
        return Document(b"")
    found = files.get(file.path)
    if mark(found) != file.before and entry.base is not None:
        try:
            found = repository.snapshot(entry.base).get(file.path)
        except Unverifiable:
            return None
    return None if found is None or mark(found) != file.before else Document(found.data)


def _hunk(
    ruling: Ruling, entry: Entry, file: RecordedFile, hunk: RecordedHunk, base: Document | None
) -> ReviewHunk:
    edits = [edit for edit in entry.edits if edit.id in hunk.edits]
    count = hunk.end_line if base is None else base.line_count
    return _make_review_hunk(
        file.new_path or file.name,
        (hunk.start_line, hunk.end_line),
        base,
        Document(encode_text(hunk.new_text)).lines if hunk.new_text else (),
        "the lines that it replaces are not in this repository" if base is None else "",
        edits,
        [name_evidence(ruling, entry, edit) for edit in edits],
        find_seen(entry, file, edits, count, is_told=ruling.judged.is_recovered(entry)),
    )


def _make_review_hunk(
    path: str,
    lines: Lines,
    base: Document | None,
    new: Sequence[bytes] = (),
    note: str = "",
    edits: Sequence[RecordedEdit] = (),
    kinds: Sequence[str] = (),
    seen: tuple[SeenRange, ...] = (),
) -> ReviewHunk:
    """Make the hunk that replaces lines of the base by `new`; None is a base that is not here."""
    count = lines[1] if base is None else base.line_count
    rows = _rows(base, lines, new, seen)
    gone = [row for row in rows if row.sign == "-"]
    is_blind_insertion = not gone and count and not is_point_seen(lines[0], seen)
    return ReviewHunk(
        path=visible(path),
        start=lines[0],
        end=lines[1],
        evidence=max(kinds, key=strength_of, default="none"),
        confidence=min((edit.confidence for edit in edits), default=None),
        tiers=tuple(dict.fromkeys(edit.tier for edit in edits)),
        seen=seen,
        rows=tuple(rows[:MOST_LINES]),
        line_count=count,
        changed=len(gone),
        added=sum(row.sign == "+" for row in rows),
        unseen=1 if is_blind_insertion else sum(row.seen == "" for row in gone),
        left_out=max(0, len(rows) - MOST_LINES),
        note=note,
    )


def _rows(
    base: Document | None, lines: Lines, new: Sequence[bytes], seen: Sequence[SeenRange]
) -> list[DiffRow]:
    """The diff of a hunk, with a little of what is around it."""
    start, end = lines
    old = () if base is None else base.lines[start - 1 : end]
    rows = [] if base is None else _around(base, max(1, start - _CONTEXT), start - 1, seen)
    done = 0
    for change in (*find_changes(old, new), LineChange(len(old), len(old), len(new), len(new))):
        kept = range(done, change.old_start)
        rows += [_row(" ", start + at, None, old[at], seen) for at in kept]
        gone = range(change.old_start, change.old_end)
        rows += [_row("-", start + at, None, old[at], seen) for at in gone]
        added = range(change.new_start, change.new_end)
        rows += [_row("+", None, start + at, new[at], seen) for at in added]
        done = change.old_end
    if base is None:
        return rows
    after = start + len(old)
    return rows + _around(base, after, min(base.line_count, after + _CONTEXT - 1), seen)


def _around(base: Document, first: int, last: int, seen: Sequence[SeenRange]) -> list[DiffRow]:
    return [_row(" ", at, None, base.lines[at - 1], seen) for at in range(first, last + 1)]


def _row(
    sign: str, old: int | None, new: int | None, text: bytes, seen: Sequence[SeenRange]
) -> DiffRow:
    shown = visible(text.decode("utf-8", "replace").expandtabs(4))
    shown = shown if len(shown) <= 4 * MOST_LINES else shown[: 4 * MOST_LINES] + "…"
    return DiffRow(sign, old, new, text=shown, seen=None if old is None else name_sight(old, seen))


def _list_bare(repository: Repository, commit: AuditedCommit) -> Iterator[ReviewHunk]:
    """List what a commit without evidence changes: all of it unseen, as far as anybody can tell."""
    candidate = commit.ruling.judged.candidate
    before = repository.snapshot(next(iter(candidate.parents), EMPTY_TREE))
    after = repository.snapshot(candidate.tree)
    for change in list_changes(repository, candidate):
        yield from _compare(change.path, before.get(change.path), after.get(change.path))


def _compare(path: str, old: File | None, new: File | None) -> Iterator[ReviewHunk]:
    note = _why_not_shown(old, new)
    if note:
        yield _make_review_hunk(path, (1, 0), None, note=note)
        return
    base, now = (Document.of(each) for each in (old, new))
    for change in find_changes(base.lines, now.lines):
        added = now.lines[change.new_start : change.new_end]
        yield _make_review_hunk(path, (change.old_start + 1, change.old_end), base, added)


def _why_not_shown(old: File | None, new: File | None) -> str:
    """Why a file is not shown as lines; nothing where it is."""
    for each in (old, new):
        if each is None:
            continue
        if each.mode in (DIRECTORY, SUBMODULE):
            return "not a file of lines"
        if b"\0" in each.data[:8000]:
            return f"binary, {len(each.data):,} bytes"
        if len(each.data) > LARGEST:
            return f"not shown: {len(each.data):,} bytes"
    return ""

"""noting.py: writes down an edit that was refused as stale, and how often it was."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hkgit.applying.draft import Lines
from hkgit.applying.outcome import EditOutcome
from hkgit.applying.ranges import hashed_lines, stated_lines
from hkgit.applying.reporting import shown_text
from hkgit.conflicts.history import (
    Expectation,
    causes,
    changing,
    document_at,
    document_in,
    last_held,
)
from hkgit.conflicts.records import Attempt, Conflict, Text
from hkgit.conflicts.shelf import Shelf
from hkgit.document import Document
from hkgit.edits import AnyEdit, Edit, InsertAfter, Read, ReplaceRange, Snapshot, Spec
from hkgit.git.repository import Repository
from hkgit.matching.diff import changes, follow

STATUSES = ("stale", "conflict")
"""The refusals that are conflicts with what others did."""

LONGEST = 200
"""Lines of a text that is kept; of a longer one only the hash is."""

MOST_TRIES = 50
"""That a record holds, the newest."""

NEAR = 3
"""Lines between two edits that are still about the same place."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A spec that was refused: by whom, on which commit, and with what outcomes.

    `files` are those of a checkout where it was refused on these, not on the commit's.
    """

    spec: Spec
    outcomes: Sequence[EditOutcome]
    reads: Sequence[Read]
    agent: str
    base: str | None
    tip: str
    files: Snapshot | None = None

    def document(self, repository: Repository, path: str) -> Document | None:
        """A file as lines, as the spec found it; None where there was none."""
        if self.files is None:
            return document_at(repository, self.tip, path)
        return document_in(self.files, path)


def note(repository: Repository, tried: Tried) -> list[Conflict]:
    """Keep every edit of a spec that met a conflict; a later try of one counts as its next.

    Raises OSError where the git directory cannot be written.
    """
    shelf = Shelf.of(repository.common_dir)
    shelf.drop_older(int(time.time()))
    met = [_conflict(repository, tried, outcome) for outcome in tried.outcomes
           if outcome.status in STATUSES]  # fmt: skip
    kept = [_joined(repository, each, list(shelf)) for each in met]
    for conflict in kept:
        shelf.keep(conflict)
    return kept


def _conflict(repository: Repository, tried: Tried, outcome: EditOutcome) -> Conflict:
    edit = tried.spec.edits[outcome.number - 1]
    now = tried.document(repository, outcome.path)
    expectation = _expectation(edit, outcome.path, tried.reads, now)
    held = _held(repository, tried, expectation)
    expected = Text(expectation.lines, expectation.range_hash, None)
    ended: Sequence[str] = ()
    lines = expectation.lines
    if held is not None:
        ended = held.ended_by
        expected = _text(held.document, held.lines)
        lines = _carried(held.document, now, held.lines)
    elif tried.base is not None:
        ended = changing(repository, outcome.path, tried.tip, since=tried.base)
    reason = "" if outcome.error is None else outcome.error.what
    return Conflict(
        id=_id(tried, outcome),
        path=_shown(outcome.path),
        agent=tried.agent,
        dialect=tried.spec.dialect,
        edit=_shown(tried.spec.blocks[outcome.number - 1]),
        base=tried.base,
        expected=expected,
        found=_found(repository, tried, outcome.path, now, lines),
        causes=tuple(causes(repository, ended)),
        tries=(Attempt(int(time.time()), tried.tip, _shown(reason)),),
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """A file in which an expectation held, at which lines, and the commits that ended it."""

    document: Document
    lines: Lines
    ended_by: tuple[str, ...]


def _held(repository: Repository, tried: Tried, expectation: Expectation) -> _Held | None:
    """Where an expectation held last: in a commit, which only the checkout may have left."""
    tip = document_at(repository, tried.tip, expectation.path)
    lines = None if tip is None or tried.files is None else expectation.lines_in(tip)
    if tip is not None and lines is not None:
        return _Held(tip, lines, ())
    found = last_held(repository, expectation, tried.tip)
    if found is None:
        return None
    ended, before, lines = found
    document = document_at(repository, before, expectation.path) or Document(b"")
    return _Held(document, lines, (ended,))


def _found(
    repository: Repository, tried: Tried, path: str, now: Document | None, lines: Lines | None
) -> Text:
    """What stands there now; the numbers are those of the commit, by which tries are compared."""
    if now is None:
        return Text(None, None, None)
    text = _text(now, lines)
    tip = document_at(repository, tried.tip, path)
    if tried.files is None or lines is None or tip is None:
        return text
    return replace(text, lines=follow(changes(now.lines, tip.lines), lines))


def _expectation(
    edit: AnyEdit, path: str, reads: Sequence[Read], tip: Document | None
) -> Expectation:
    """What an edit says that it expects, itself or by the reads given with it."""
    if isinstance(edit, ReplaceRange | InsertAfter):
        is_insertion = isinstance(edit, InsertAfter)
        lines = hashed_lines(stated_lines(edit), tip or Document(b""), is_insertion=is_insertion)
        return Expectation(path, edit.expected_hash, lines)
    said = getattr(edit, "expected_hash", None)
    if said is None:
        for read in reads:
            if read.path == path and read.kind == "hash":
                return Expectation(path, read.range_hash, _lines_of(read))
    count = len(edit.old_text.splitlines()) if isinstance(edit, Edit) else None
    return Expectation(path, said, count=count)


def _lines_of(read: Read) -> Lines | None:
    if read.start_line is None or read.end_line is None:
        return None
    return read.start_line, read.end_line


def _carried(before: Document, tip: Document | None, lines: Lines) -> Lines | None:
    """Where lines that have been changed stand now."""
    if tip is None:
        return None
    first, last = follow(changes(before.lines, tip.lines), lines)
    last = min(last, tip.line_count)
    return (max(min(first, last), 1), last) if last > 0 else None


def _text(document: Document, lines: Lines | None) -> Text:
    first, last = lines if lines is not None else (1, document.line_count)
    shown = document.lines[first - 1 : last]
    text = b"".join(line + b"\n" for line in shown).decode("utf-8", "replace")
    is_inside = 1 <= first <= last + 1 <= document.line_count + 1
    return Text(
        lines,
        document.range_hash(first, last) if is_inside else None,
        text if len(shown) <= LONGEST else None,
    )


def _joined(repository: Repository, met: Conflict, known: Sequence[Conflict]) -> Conflict:
    """A conflict, or the next try of one that is known."""
    earlier = next((each for each in known if is_same_place(repository, each, met.agent, met.path,
                                                            met.lines, met.tip)), None)  # fmt: skip
    if earlier is None:
        return met
    causes = tuple(dict.fromkeys((*earlier.causes, *met.causes)))
    tries = (*earlier.tries, *met.tries)[-MOST_TRIES:]
    return replace(met, id=earlier.id, causes=causes, tries=tries)


def is_same_place(
    repository: Repository, known: Conflict, agent: str, path: str, lines: Lines | None, tip: str
) -> bool:
    """Whether lines of a file at a commit are those that a known conflict is about."""
    if (known.agent, known.path) != (agent, path):
        return False
    if known.lines is None or lines is None:
        return True
    first, last = known.lines
    if known.tip != tip:
        old, new = (document_at(repository, commit, path) for commit in (known.tip, tip))
        if old is not None and new is not None:
            first, last = follow(changes(old.lines, new.lines), known.lines)
    return first - NEAR <= lines[1] and lines[0] <= last + NEAR


def _id(tried: Tried, outcome: EditOutcome) -> str:
    """A name for the first try: no two of them are the same in the same second."""
    said = (tried.agent, tried.tip, outcome.path, tried.spec.blocks[outcome.number - 1])
    parts = [*said, str(time.time_ns())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _shown(text: str) -> str:
    return shown_text(text) or ""

"""noting.py: write down edits that were refused as stale."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.operations.ranges import is_inside, lines_of_edit, lines_of_hash
from hkgit.applying.outcome import EditOutcome
from hkgit.edits import (
    AnyEdit,
    Edit,
    InsertAfter,
    Read,
    ReplaceRange,
    Snapshot,
    Spec,
    TagEdit,
    encode_text,
)
from hkgit.gate.conflicts.history import (
    Expectation,
    document_at,
    document_in,
    find_last_held,
    list_changing_commits,
    read_causes,
)
from hkgit.gate.conflicts.records import ConflictRecord, ConflictTry, Text
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.gate.conflicts.tries import join_tries
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes, follow
from hkgit.text.document import Document
from hkgit.text.edit_parts import expected_hash_of
from hkgit.text.escaping import to_json_text
from hkgit.values import dataclass, replace

STATUSES = ("stale", "conflict")
"""The refusals that are conflicts with what others did."""

LONGEST = 200
"""Lines of a text that is kept; of a longer one only the hash is."""


@dataclass(frozen=True, slots=True)
class RefusedSpec:
    """A spec that was refused: by whom, on which commit, and with what outcomes.

    `files` are those of a checkout where it was refused on these, not on the commit's; `earlier`
    gives the versions of a file that are known beside those of commits.
    """

    spec: Spec
    outcomes: Sequence[EditOutcome]
    reads: Sequence[Read]
    agent: str
    base: str | None
    tip: str
    files: Snapshot | None = None
    earlier: Callable[[str], Iterable[bytes]] = lambda path: ()

    def document(self, repository: Repository, path: str) -> Document | None:
        """Read a file as lines, as the spec found it; None where there was none."""
        if self.files is None:
            return document_at(repository, self.tip, path)
        return document_in(self.files, path)


def note(repository: Repository, tried: RefusedSpec) -> list[ConflictRecord]:
    """Record every edit of a spec that is in conflict with a change; count repeated tries as one.

    An edit that expects what never was is simply wrong and is not recorded. Raises OSError where
    the git directory cannot be written.
    """
    store = ConflictStore.of(repository.common_dir)
    store.drop_older(int(time.time()))
    refused = (outcome for outcome in tried.outcomes if outcome.status in STATUSES)
    met = [each for outcome in refused if (each := _conflict(repository, tried, outcome))]
    known, kept = [*store], list[ConflictRecord]()
    for each in met:
        joined = join_tries(repository, each, known)
        known = [other for other in known if other.id != joined.id]
        kept.append(joined)
    for conflict in kept:
        store.keep(conflict)
    return kept


def _conflict(
    repository: Repository, tried: RefusedSpec, outcome: EditOutcome
) -> ConflictRecord | None:
    """The conflict that an edit met; None where the edit is wrong by itself."""
    edit = tried.spec.edits[outcome.number - 1]
    now = tried.document(repository, outcome.path)
    expectation = _expectation(edit, outcome.path, tried.reads, now)
    held = _find_held(repository, tried, expectation)
    if not _is_met(repository, tried, expectation, now, is_held=held is not None):
        return None
    expected = Text(expectation.lines, expectation.range_hash, None)
    ended: Sequence[str] = ()
    lines = expectation.lines
    if held is not None:
        ended = held.ended_by
        expected = _text(held.document, held.lines)
        lines = _carry_lines(held.document, now, held.lines)
    elif tried.base is not None:
        ended = list_changing_commits(repository, outcome.path, tried.tip, since=tried.base)
    reason = "" if outcome.error is None else outcome.error.what
    return ConflictRecord(
        id=_id(tried, outcome),
        path=_show_text(outcome.path),
        agent=tried.agent,
        dialect=tried.spec.dialect,
        edit=_show_text(tried.spec.blocks[outcome.number - 1]),
        base=tried.base,
        expected=expected,
        found=_find_present(repository, tried, outcome.path, now, lines),
        causes=tuple(read_causes(repository, ended)),
        tries=(ConflictTry(int(time.time()), tried.tip, _show_text(reason)),),
    )


def _is_met(
    repository: Repository,
    tried: RefusedSpec,
    expected: Expectation,
    now: Document | None,
    *,
    is_held: bool,
) -> bool:
    """Whether what an edit expected was there once and is no longer, as far as can be told."""
    if not expected.is_known:
        return True
    earlier = [Document(data) for data in tried.earlier(expected.path)]
    if now is not None and expected.find_lines(now) is not None:
        holds = expected.find_stated_lines
        is_moved = any(holds(each) is not None for each in earlier)
        return is_moved or find_last_held(repository, expected.path, holds, tried.tip) is not None
    if is_held or any(expected.find_lines(each) is not None for each in earlier):
        return True
    if now is None:
        return bool(list_changing_commits(repository, expected.path, tried.tip))
    if expected.range_hash is not None:  # of a version, perhaps, that nobody has committed
        return expected.lines is None or is_inside(now, expected.lines)
    tip = document_at(repository, tried.tip, expected.path)
    return tried.files is not None and (tip is None or tip.data != now.data)


@dataclass(frozen=True, slots=True)
class _Held:
    """A file in which an expectation held, at which lines, and the commits that ended it."""

    document: Document
    lines: Lines
    ended_by: tuple[str, ...]


def _find_held(
    repository: Repository, tried: RefusedSpec, expectation: Expectation
) -> _Held | None:
    """Find where an expectation held last: in a commit, which only the checkout may have left."""
    tip = document_at(repository, tried.tip, expectation.path)
    lines = None if tip is None or tried.files is None else expectation.find_lines(tip)
    if tip is not None and lines is not None:
        return _Held(tip, lines, ())
    found = find_last_held(repository, expectation.path, expectation.find_lines, tried.tip)
    if found is None:
        return None
    ended, before, lines = found
    document = document_at(repository, before, expectation.path) or Document(b"")
    return _Held(document, lines, (ended,))


def _find_present(
    repository: Repository, tried: RefusedSpec, path: str, now: Document | None, lines: Lines | None
) -> Text:
    """Read the present text, numbered as in the commit, so that tries can be compared."""
    if now is None:
        return Text(None, None, None)
    text = _text(now, lines)
    tip = document_at(repository, tried.tip, path)
    if tried.files is None or lines is None or tip is None:
        return text
    return replace(text, lines=follow(find_changes(now.lines, tip.lines), lines))


def _expectation(
    edit: AnyEdit, path: str, reads: Sequence[Read], tip: Document | None
) -> Expectation:
    """What an edit says that it expects, itself or by the reads given with it."""
    if isinstance(edit, ReplaceRange | InsertAfter):
        is_insertion = isinstance(edit, InsertAfter)
        lines = lines_of_hash(lines_of_edit(edit), tip or Document(b""), is_insertion=is_insertion)
        return Expectation(path, edit.expected_hash, lines)
    expected = expected_hash_of(edit)
    if expected is None:
        for read in reads:
            if read.path == path and read.kind == "hash":
                return Expectation(path, read.range_hash, _lines_of(read))
    if isinstance(edit, TagEdit):
        tags = edit.start_tag, edit.stop_tag or edit.start_tag
        return Expectation(path, expected, tags=tags)
    if not isinstance(edit, Edit):
        return Expectation(path, expected)
    old = tuple(line.strip() for line in Document(encode_text(edit.old_text)).lines)
    return Expectation(path, expected, count=len(edit.old_text.splitlines()), old=old)


def _lines_of(read: Read) -> Lines | None:
    if read.start_line is None or read.end_line is None:
        return None
    return read.start_line, read.end_line


def _carry_lines(before: Document, tip: Document | None, lines: Lines) -> Lines | None:
    """Where lines that have been changed stand now."""
    if tip is None:
        return None
    first, last = follow(find_changes(before.lines, tip.lines), lines)
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


def _id(tried: RefusedSpec, outcome: EditOutcome) -> str:
    """A name for the first try: no two of them are the same in the same second."""
    fields = (tried.agent, tried.tip, outcome.path, tried.spec.blocks[outcome.number - 1])
    parts = [*fields, str(time.time_ns())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _show_text(text: str) -> str:
    return to_json_text(text) or ""

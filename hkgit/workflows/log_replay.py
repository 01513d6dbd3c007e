"""Replay a log on the files as they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from hkgit.applying.evidence import RECOVERED
from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import tell_changes
from hkgit.applying.planner import Options
from hkgit.edits import (
    CreateFile,
    DeleteFile,
    File,
    MappingSnapshot,
    RenameFile,
    Snapshot,
    WriteFile,
    encode_text,
    new_text_of,
    old_text_of,
)
from hkgit.errors import HkgitError, InvalidInput, Unverifiable
from hkgit.evidence.entry import RecordedFile
from hkgit.git.repository import Repository
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.call_plan import CallPlan, plan_call
from hkgit.sessions.knowledge import FileKnowledge
from hkgit.text.diff import find_common
from hkgit.text.document import BOM, Lines
from hkgit.text.shown_lines import (
    find_shown_files,
    find_shown_lines,
    split_answer,
    split_lines,
)
from hkgit.values import dataclass, field, replace
from hkgit.workflows.log_steps import LineHunk, LoggedEdit, LoggedReading, Step, Texts, Told


def find_after(told: Told, before: Texts, words: Texts) -> Texts | None:
    """Find what a call has left, with the line ends that the file has; None where nothing tells.

    `words` is what its words make of its files, where they make anything. Raises InvalidInput where
    what is told does not fit the files as they were.
    """
    after = {
        path: None if data is None else with_ends(data, before.get(path))
        for path, data in (told.after or {}).items()
    }
    for path, hunks in (told.hunks or {}).items():
        if path in after:
            continue
        data, made = before.get(path), words.get(path)
        is_moved = path not in (told.before or {}) and not do_hunks_fit(data, hunks)
        if made is not None and is_moved and told.is_final:  # others have moved its lines
            after[path] = made
        else:
            after[path] = apply_hunks(data, hunks, made)
    return after or None


def may_be_made_on(edit: LoggedEdit, path: str, data: bytes) -> bool:
    """Whether a call may have been made on a version: its old texts are there, unless chained."""
    hunks = (edit.told.hunks or {}).get(path)
    if hunks is not None:
        return do_hunks_fit(data, hunks)
    text = show_text(data)
    for each in edit.spec.edits if edit.spec is not None else ():
        if each.path == path:
            if show_text(encode_text(old_text_of(each))) not in text:
                return False
            text += show_text(encode_text(new_text_of(each)))
    return True


def needs_text(edit: LoggedEdit, path: str) -> bool:
    """Whether a call could be made on one text of a file and not on another."""
    if edit.spec is None:
        told = edit.told
        return path in (told.hunks or {}) or (told.after or {}).get(path) is not None
    own = [each for each in edit.spec.edits if each.path == path]
    return not own or not all(isinstance(each, WriteFile | DeleteFile | RenameFile) for each in own)


def makes_file(edit: LoggedEdit, path: str, *, is_here: bool) -> bool:
    """Whether a call makes a new file."""
    edits = () if edit.spec is None else edit.spec.edits
    own = [each for each in edits if each.path == path]
    if any(isinstance(each, CreateFile) for each in own):
        return True
    return not own and path not in (edit.told.hunks or {}) and not is_here


def name_change(change: RecordedFile) -> tuple[str, str | None, str | None]:
    """Name a change of a file: its path, and what it said before and after by SHA-256."""
    before, after = (None if x is None else x.sha256 for x in (change.before, change.after))
    return change.name, before, after


_VERSIONS = 30
"""So many versions of a file are looked up in its history."""


class FileVersions:
    """The versions of files: those before the changes, then those of the history, newest first."""

    def __init__(self, repository: Repository, before: Snapshot) -> None:
        self._repository = repository
        self._before = before
        self._known = cache(self._list)

    def __call__(self, path: str) -> Iterator[bytes]:
        file = self._before.get(path)
        if file is not None:
            yield file.data
        for blob in self._known(path):
            try:
                yield self._repository.blob(blob)
            except Unverifiable:
                return

    def _list(self, path: str) -> tuple[str, ...]:
        if self._repository.head().commit is None:
            return ()
        options = (f"-{_VERSIONS}", "--no-renames", "--no-ext-diff", "--format=", "--raw")
        asked = ("log", *options, "--no-abbrev", "HEAD", "--", f":(top,literal){path}")
        listed = self._repository.git(*asked)
        blobs = (line.split()[3:1:-1] for line in listed.text.splitlines() if line[:1] == ":")
        named = (blob for pair in blobs for blob in pair if blob.strip("0"))
        return tuple(dict.fromkeys(named))


_LEADING = re.compile(rb"^\t+", re.MULTILINE)


def show_tabs(text: bytes) -> bytes:
    """Write a text with two spaces for each tab that its lines begin with."""
    return _LEADING.sub(lambda tabs: b"  " * len(tabs[0]), text)


def restore_tabs(shown: bytes, before: bytes) -> bytes:
    """Restore what a text was that is shown so: with the tabs of what was there before.

    Raises InvalidInput where a new line may have been indented by either.
    """
    old, lines = before.split(b"\n"), shown.split(b"\n")
    kept = {j: old[i] for i, j in find_common([*map(show_tabs, old)], lines)}
    if any(at not in kept and line.startswith(b" ") for at, line in enumerate(lines)):
        raise InvalidInput("the log", "its diff does not distinguish tabs from spaces")
    return b"\n".join(kept.get(at, line) for at, line in enumerate(lines))


def show_text(data: bytes) -> bytes:
    """Write a text as tools show it."""
    return data.removeprefix(BOM).replace(b"\r\n", b"\n")


def is_shown_as(data: bytes | None, text: bytes) -> bool:
    """Whether a file reads like a text that a log holds."""
    return data is not None and (data == text or show_text(data) == show_text(text))


def with_ends(text: bytes, before: bytes | None) -> bytes:
    """Give a text the mark and line ends of what was there before."""
    if before is None:
        return text
    head = before.partition(b"\n")[0]
    if head.endswith(b"\r") and b"\r\n" not in text:
        text = text.replace(b"\n", b"\r\n")
    return BOM + text if before.startswith(BOM) and not text.startswith(BOM) else text


def apply_hunks(data: bytes | None, hunks: Sequence[LineHunk], words: bytes | None = None) -> bytes:
    """Apply hunks to a file, with its own line ends. Raises InvalidInput where they do not fit.

    A log may show tabs as spaces (Claude Code does); `words` is what the words of the call make of
    the file, where they make anything: that is it, if it is shown so.
    """
    text = show_text(data or b"")
    shown = show_tabs(text)
    if any(each.has_tabs for each in hunks) or shown == text:
        return with_ends(_apply(text, hunks), data)
    made = _apply(shown, hunks)
    if words is not None and show_tabs(show_text(words)) == made:
        return words
    return with_ends(restore_tabs(made, text), data)


def _apply(text: bytes, hunks: Sequence[LineHunk]) -> bytes:
    lines = text.split(b"\n")
    is_ended = lines[-1] == b""
    if is_ended:
        lines.pop()
    for hunk in reversed(hunks):
        # One that only adds names the line above.
        is_below = not hunk.old and hunk.start_line
        start = hunk.start_line if is_below else max(hunk.start_line - 1, 0)
        stop = start + len(hunk.old)
        if tuple(lines[start:stop]) != hunk.old:
            raise InvalidInput("the log", "its diff does not match the file as it was")
        is_ended = hunk.is_ended if stop >= len(lines) else is_ended
        lines[start:stop] = hunk.new
    return b"\n".join(lines) + (b"\n" if lines and is_ended else b"")


def do_hunks_fit(data: bytes | None, hunks: Sequence[LineHunk]) -> bool:
    """Whether a file has the old lines of all hunks at their numbers."""
    text = show_text(data or b"")
    try:
        _apply(text if any(each.has_tabs for each in hunks) else show_tabs(text), hunks)
    except InvalidInput:
        return False
    return True


Versions = Callable[[str], Iterator[bytes]]
"""Versions of a file that a repository has, those that are likeliest first."""


class FollowedFiles:
    """The files as the log tells them, else as its calls left them, else as a repository has them.

    Every version goes into `blobs`.
    """

    def __init__(self, versions: Versions, blobs: Blobs) -> None:
        self._versions = versions
        self._blobs = blobs
        self._files: dict[str, bytes | None] = {}
        self._history: dict[str, list[str]] = {}

    def read(self, path: str) -> bytes | None:
        """Read what a file says now, as far as that is known."""
        return self._files.get(path)

    def arrive(self, path: str, data: bytes | None) -> None:
        """Note what a file says from now on."""
        self._files[path] = data
        if data is not None:
            name = self._blobs.put(data)
            history = self._history.setdefault(path, [])
            if name not in history[-1:]:
                history.append(name)

    def lose(self, paths: Iterable[str]) -> None:
        """Forget files that a call has changed in a way that cannot be told."""
        for path in paths:
            self._files.pop(path, None)

    def list_past(self, path: str, count: int) -> Iterator[bytes]:
        """List the last versions of a file, the newest first."""
        for name in reversed(self._history.get(path, [])[-count:]):
            kept = self._blobs.get(name)
            if kept is not None:
                yield kept

    def restore(self, path: str, text: bytes) -> bytes:
        """Give a text of a log the line ends and the mark that its file has.

        Tools show files without a byte order mark, and lines without their carriage returns.
        """
        here = self._files.get(path)
        if here is None:
            here = next(self._versions(path), None)
        return here if here is not None and is_shown_as(here, text) else with_ends(text, here)

    def find_before(self, path: str, edit: LoggedEdit) -> bytes | None:
        """Find what a file said before a call. Raises InvalidInput where nothing tells it."""
        if edit.told.before is not None and path in edit.told.before:
            content = edit.told.before[path]
            return None if content is None else self.restore(path, content)
        is_here = path in self._files
        if not needs_text(edit, path):
            return self._files[path] if is_here else next(self._versions(path), None)
        if makes_file(edit, path, is_here=is_here):
            return None
        found = self._find_version(path, edit)
        if found is None and edit.spec is not None and edit.told.hunks:
            # Others have moved its lines: the words of the call still name its place.
            found = self._find_version(path, replace(edit, told=replace(edit.told, hunks=None)))
        if found is None and edit.spec is not None:
            found = self._files.get(path)  # its words may be quoted loosely, as some tools allow
        if found is None:
            raise InvalidInput(path, "nothing shows what was in the file before the call")
        return found

    def _find_version(self, path: str, edit: LoggedEdit) -> bytes | None:
        found = chain([self._files.get(path)], self._versions(path))
        versions = (data for data in found if data is not None)
        return next((data for data in versions if may_be_made_on(edit, path, data)), None)


def _take_snapshot(texts: Texts) -> MappingSnapshot:
    return MappingSnapshot({path: File(data) for path, data in texts.items() if data is not None})


_REMEMBERED = 40
"""So many versions of a file are asked whether they say what was read."""


@dataclass
class Replayed:
    """The journals of all conversations by name, and the step behind each call of each.

    `skipped` are the steps of edits that cannot be replayed, each with the reason.
    """

    journals: dict[str, SessionJournal] = field(default_factory=dict)
    steps: dict[tuple[str, int], Step] = field(default_factory=dict)
    skipped: list[tuple[Step, str]] = field(default_factory=list)


class TranscriptReplay:
    """Replays steps, oldest first, into journals below `home`; `recorded` are known changes.

    A change (path, SHA-256 before and after) that a session of the checkout has recorded already
    is followed, and not journalled again.
    """

    def __init__(
        self,
        home: Path,
        versions: Versions,
        recorded: frozenset[tuple[str, str | None, str | None]] = frozenset(),
    ) -> None:
        self.made = Replayed()
        self._home = home
        self._recorded = recorded
        self._blobs = Blobs(home / "versions")
        self._files = FollowedFiles(versions, self._blobs)
        self._unplaced: dict[tuple[str, str], list[tuple[Step, LoggedReading]]] = {}
        self._time = 0

    def take(self, steps: Iterable[Step]) -> Replayed:
        """Replay steps; what cannot be is said in `skipped`. Raises GitRefused."""
        for step in steps:
            # What earlier answers of the model have read it has seen by now.
            self._open(step).begin_turn(step.turn)
            match step.did:
                case LoggedReading() as reading:
                    self._read(step, reading)
                case LoggedEdit() as edit:
                    try:
                        self._edit(step, edit)
                    except HkgitError as error:
                        self._files.lose(edit.paths)
                        self.made.skipped.append((step, error.what))
        return self.made

    def _open(self, step: Step) -> SessionJournal:
        """Open the journal of a conversation; they share their versions of files."""
        journal = self.made.journals.get(step.session)
        if journal is None:
            journal = self.made.journals[step.session] = SessionJournal(self._home / step.session)
            journal.blobs = self._blobs
        return journal

    def _read(self, step: Step, reading: LoggedReading) -> None:
        """Learn what was shown, at once where the file is known, else when it comes to be."""
        path, whole = reading.path, reading.whole
        if whole is not None and not is_shown_as(self._files.read(path), whole):
            self._files.arrive(path, self._files.restore(path, whole))
        data = self._files.read(path)
        if data is None or not self._learn(step, reading, data, data):
            self._unplaced.setdefault((step.session, path), []).append((step, reading))

    def _settle(self, session: str, path: str, data: bytes) -> None:
        """Learn what was shown of a file before any version of it was known."""
        for step, reading in self._unplaced.pop((session, path), ()):
            versions = chain([data], self._files.list_past(path, _REMEMBERED))
            any(self._learn(step, reading, each, data) for each in versions)

    def _learn(self, step: Step, reading: LoggedReading, then: bytes, now: bytes) -> bool:
        """Learn what a version of a file showed, as far as it is there now; False for nothing."""
        shown = self._find(reading, then)
        journal, kept = self._open(step), self._blobs.get
        known = journal.knowledge
        seen = FileKnowledge.of(then, shown).carry(now, kept).lines
        if seen:
            # Other calls of its answer have not seen what it reads.
            turn = step.turn if step.turn == known.turn else ""
            journal.knowledge = known.learn(reading.path, seen, now, kept, turn)
        return bool(shown)

    def _find(self, reading: LoggedReading, data: bytes) -> list[Lines]:
        """Find the lines of a file that a reading shows."""
        if reading.asked is None:
            return find_shown_lines(split_lines(data) or [], reading.answer, reading.start_line)
        told = ((path, self._files.read(path)) for path in reading.named)
        files = {path: lines for path, each in told if each and (lines := split_lines(each))}
        files[reading.path] = split_lines(data) or []
        answer = split_answer(reading.answer)
        found = find_shown_files(files, answer, reading.said, reading.asked)
        return found.get(reading.path, [])

    def _edit(self, step: Step, edit: LoggedEdit) -> None:
        before = {path: self._files.find_before(path, edit) for path in edit.paths}
        for path, data in before.items():
            self._files.arrive(path, data)
            if data is not None:
                self._settle(step.session, path, data)
        journal = self._open(step)
        plan = self._plan(journal.knowledge.known, edit, before)
        plan.keep_versions(self._blobs)
        call = JournaledCall(step.agent, plan.make_entries(Options().threshold), origin=RECOVERED)
        if {*map(name_change, call.changes)} <= self._recorded:
            journal.follow(call, plan.known)
        else:
            # Calls are put in order by their time, so no two may have the same.
            self._time = max(step.time, self._time + 1)
            call = journal.begin(replace(call, time=self._time))
            journal.end(call, plan.known)
            self.made.steps[step.session, call.id] = step
        for path, file in plan.changed.items():
            self._files.arrive(path, None if file is None else file.data)

    def _plan(
        self,
        known: Mapping[str, FileKnowledge],
        edit: LoggedEdit,
        before: Mapping[str, bytes | None],
    ) -> CallPlan:
        """The call as a plan on its files; as a diff where its words do not make the result."""
        files, words = _take_snapshot(before), dict[str, bytes | None]()
        specs = [] if edit.spec is None or not edit.told.is_final else [edit.spec]
        plan = plan_call(specs, files, Options(), (), known, self._blobs.get)
        if specs and plan.is_ok:
            changed = plan.changed.items()
            words = {**before, **{path: None if x is None else x.data for path, x in changed}}
        after = find_after(edit.told, before, words)
        if words and words | dict(after or {}) == words:
            return plan
        where = ", ".join(edit.paths)
        if after is None:
            raise InvalidInput(where, "the log does not show the result of the call")
        changes = compare_files(files.get, _take_snapshot(after).get, after)
        if not changes:
            raise InvalidInput(where, "the call changed nothing")
        plan = plan_call([tell_changes(changes)], files, Options(), (), known, self._blobs.get)
        if not plan.is_ok:
            raise InvalidInput(where, "what the log says of the call cannot be replayed")
        return plan

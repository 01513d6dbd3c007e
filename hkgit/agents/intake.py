"""Take in what an agent's tools have done: an edit by its words, all else as a difference.

An edit is taken in as its words say where these, planned again on its files as they were, lead to
exactly what is there now. Where they do not (a formatter ran, a tool reads its own way), the
difference is taken in as a diff; but where other sessions may have changed the file meanwhile,
nothing is, and that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import BegunCall, Files, find_call, list_calls, note_left, note_lost
from hkgit.agents.events import LateEdit, PendingToolEdit
from hkgit.agents.parallel_work import find_own_work, find_rival, find_start
from hkgit.agents.specs import paths_of
from hkgit.edits import REGULAR, File, Spec, encode_text
from hkgit.errors import Conflict, HkgitError, Stale
from hkgit.evidence.claims import mark
from hkgit.sessions.answers import EditReport
from hkgit.sessions.call_journal import list_recorded
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.shell_changes import ShellWork

_AROUND = (0, 3, 30, 10**9)
"""So many lines around a change are told until it has one place: one of equal blank lines may have
none but in its whole file."""

_UNRECORDED = "It is not recorded in any session; the gate will say so at the commit."


def adopt_difference(session: EditSession, before: Files, time: int = 0) -> EditReport | None:
    """Record what has become of files; None where nothing has.

    The lines around a change need not have been read; where it has no place without them, more
    and more of them are told as well, in the end the whole file. `time` is when it was done, in
    milliseconds since 1970, but not before what the session has done; 0 for now. Raises
    HkgitError.
    """
    # Most edits lead to what is there.
    from hkgit.applying.file_diff import compare_files
    from hkgit.applying.net import tell_changes

    if time:
        last = session.journal.load().effective[-1:]
        time = max([time, *(call.time for call in last)])
    changes = compare_files(before.get, Checkout(session.root).get, before)
    refusal: HkgitError | None = None
    for around in _AROUND if changes else ():
        try:
            answer = session.adopt(tell_changes(changes, around), before, time)
        except Stale as error:  # it has led somewhere else
            refusal = error
            continue
        if answer.ok:
            return answer
        refusal = answer.error
    if refusal is not None:
        raise refusal
    return None


def adopt_edit(session: EditSession, spec: Spec, before: Files) -> EditReport | None:
    """Record an edit if it leads from files to what is there now, else nothing."""
    with suppress(Stale):
        answer = session.adopt(spec, before)
        return answer if answer.ok else None
    return None


class Intake:
    """Takes what calls have done into a session."""

    def __init__(self, session: EditSession) -> None:
        self._session = session
        self._root, self._folder = session.root, session.journal.folder
        self._checkout = Checkout(session.root)

    def take_edit(
        self, spec: Spec, begun: BegunCall, original: bytes | None = None
    ) -> EditReport | None:
        """Take in an edit whose call was seen to begin. Raises HkgitError.

        `original` is how the tool has found the one file that it edits, if that is told: somebody
        may have changed it since the call began.
        """
        before, since = find_start(self._root, begun, paths_of(spec))
        guesses = [before]
        # What is there already, another hook has told.
        if original is not None and len(before) == 1 and before != self._read(before):
            [(path, file)] = before.items()
            mode = REGULAR if file is None else file.mode
            guesses.append({path: File(original, mode)})
        for files in guesses:
            if (answer := adopt_edit(self._session, spec, files)) is not None:
                return self._leave(answer, files, begun)
        return self._take_rest(before, since, begun)

    def take_unseen(self, spec: Spec, late: LateEdit | None = None) -> EditReport | None:
        """Take in an edit on a version that it fits, from which it leads to what is there now.

        Where a `late` one leads elsewhere a formatter has run, or the next edit is made as well:
        then the difference is taken in. None where it is recorded already. Raises Stale where it
        fits none.
        """
        paths = paths_of(spec)
        if holds_already(paths, self._root, [self._folder]):
            return None
        begun = None if late is None else find_call(self._folder, PendingToolEdit(paths[0]))
        replaced = () if late is None else late.replaced
        for file, is_sure in self._find_versions(paths[0], replaced) if len(paths) == 1 else ():
            before = {paths[0]: file}
            try:
                answer = self._session.adopt(spec, before)
            except Stale:
                if late is not None and is_sure:
                    return self._take_rest(before, 0 if begun is None else begun.begun, begun)
                continue
            if answer.ok:
                return self._leave(answer, before, begun)
        if late is not None and late.is_asked and begun is not None:
            return self._take_rest(*find_start(self._root, begun, paths), begun)
        what = "was changed before hkgit could see how it was"
        raise Stale(", ".join(paths), what, _UNRECORDED)

    def take_untold(self, path: str) -> EditReport | None:
        """Take in what a call has made of a file whose tool does not say it. Raises HkgitError."""
        begun = find_call(self._folder, PendingToolEdit(path))
        if begun is None:
            fix = "Only a call that is seen before and after it is made can be recorded."
            raise Stale(path, "was not saved before the call", fix)
        return self._take_rest(*find_start(self._root, begun, [path]), begun)

    def _find_versions(
        self, path: str, replaced: Iterable[tuple[str, str]]
    ) -> Iterator[tuple[File | None, bool]]:
        """Find what a file may have been, the likeliest first; at last once more to be sure of.

        Each with whether, if the edit fits it, it surely was that.
        """
        now = self._checkout.get(path)
        own = find_call(self._folder, PendingToolEdit(path))
        calls = list_calls(self._folder, "open", "untold", "file", "shell")
        others = (each for each in calls if path in each.files)
        if (call := own or next(others, None)) is not None:
            with suppress(Stale):
                kept = call.restore(path)
                if kept is not None and kept.data and kept != now:  # it may be half written
                    yield kept, True
        guesses = [file for file in self._guess(path, replaced, now) if file != now]
        yield from ((file, False) for file in guesses)
        yield from ((file, True) for file in guesses)

    def _guess(
        self, path: str, replaced: Iterable[tuple[str, str]], now: File | None
    ) -> Iterator[File | None]:
        # Most edits are told before they are made.
        from hkgit.agents.shell_changes import find_head

        back = None if now is None else _take_back(now.data, replaced)
        if now is not None and back is not None:
            yield File(back, now.mode)
        known = self._session.journal.load().knowledge.known.get(path)
        data = None if known is None else self._session.journal.blobs.get(known.version)
        if data is not None:
            yield File(data) if now is None else File(data, now.mode)
        head = find_head(self._root)
        yield None if head is None else head.get(path)

    def take_command(self, call: BegunCall, work: ShellWork) -> EditReport | None:
        """Take in what a command has done. Raises Conflict if another session may have done it."""
        work, lost = find_own_work(self._root, work, call)
        if lost:
            note_lost(self._folder, lost)
        committed = self._take_files(work.committed, work.time)
        answer = self._take_files(work.changed) or committed
        if lost:
            names = ", ".join(dict.fromkeys(lost.values()))
            what = f"changed while this command ran and one of another session, {names}"
            why = "It is not known which of the two changed it, so no session has recorded it."
            raise Conflict(", ".join(lost), what, f"{why} {_say_how([*lost], self._root)}")
        return answer

    def _take_files(self, before: Files, time: int = 0) -> EditReport | None:
        """Take in files at once, and each by itself where that cannot be. Raises HkgitError."""
        try:
            return self._take_difference(before, None, time) if before else None
        except HkgitError:
            for path, file in before.items() if len(before) > 1 else ():
                with suppress(HkgitError):
                    self._take_difference({path: file}, None, time)
            raise

    def _take_rest(self, before: Files, since: int, begun: BegunCall | None) -> EditReport | None:
        """Take in what an untold call has done. Raises Conflict where others may have done it."""
        if self._read(before) != before and (
            rival := find_rival(self._root, self._folder, before, since)
        ):
            note_lost(self._folder, before)
            what = f"was changed by another session in the meantime: {rival}"
            why = "It is not known exactly what this call did to it, so none of it is recorded."
            how = _say_how([*before], self._root)
            raise Conflict(", ".join(before), what, f"{why} {how}")
        return self._take_difference(before, begun)

    def _take_difference(
        self, before: Files, begun: BegunCall | None, time: int = 0
    ) -> EditReport | None:
        """Take in what has become of files, as a diff; None for nothing, as after a failure."""
        return self._leave(adopt_difference(self._session, before, time), before, begun)

    def _leave(
        self, answer: EditReport | None, paths: Iterable[str], begun: BegunCall | None
    ) -> EditReport | None:
        """Note that a call is over, and how it has left files: a formatter may come behind it."""
        if begun is not None:
            begun.end()
        if answer is not None:
            note_left(self._root, self._folder, paths)
        return answer

    def _read(self, paths: Iterable[str]) -> dict[str, File | None]:
        return {path: self._checkout.get(path) for path in paths}


def _take_back(data: bytes, replaced: Iterable[tuple[str, str]]) -> bytes | None:
    """Find a file with old texts in place of the new ones; None where that is no single place."""
    for old, new in reversed([*replaced]):
        if data.count(encode_text(new)) != 1:
            return None
        data = data.replace(encode_text(new), encode_text(old))
    return data


def holds_already(paths: Iterable[str], root: Path, folders: Iterable[Path]) -> bool:
    """Whether what is in the checkout is what sessions have recorded last of each path."""
    checkout, last = Checkout(root), {x.path: x.after for x in list_recorded(folders)}
    return all(path in last and last[path] == mark(checkout.get(path)) for path in paths)


def _say_how(paths: Sequence[str], root: Path) -> str:
    """How files that no session has recorded are committed, wherever the agent is.

    Evidence made after the change is `late`, which the policy may not accept.
    """
    if not _may_be_late(paths, root):
        return (
            "Look at the change. What is read afterwards is not evidence that the policy accepts:"
            " make the change again in a session that reads first, or let a person commit it."
        )
    gone = [path for path in paths if not (root / path).exists()]
    steps = (
        ("git add --", [path for path in paths if path not in gone]),
        ("git rm -q --cached --ignore-unmatch --", gone),
        ("hkgit redo -m MESSAGE", paths),
    )
    import shlex  # few files are changed by two at once

    words = (f"{step} {shlex.join(f':/{x}' for x in some)}" for step, some in steps if some)
    return f"Look at the change; to commit it with evidence, run: {' && '.join(words)}"


def _may_be_late(paths: Iterable[str], root: Path) -> bool:
    """Whether the policy of the checkout accepts evidence that is made after a change."""
    # Few files are changed by two at once.
    from hkgit.gate.trusted_policy import read_own_policy
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
        policy = read_own_policy(repository, repository.head().commit)
    except HkgitError:
        return False
    return all(policy.accepts_late(path) for path in paths)

"""Record what an agent's own tools read and edit, as receipts and journalled edits.

Before an edit its files are put aside; after it, the call is planned again on them. Where the
plan comes to exactly what is in the checkout now, the call is what was done, and the session
takes it in. Where it does not (a formatter ran, a tool reads its own way), the difference is
taken in as a diff; but where other sessions have changed the file meanwhile, only what the words
of the call explain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import (
    LASTS,
    BegunCall,
    find_running,
    forget_begun,
    list_begun,
    note_begun,
)
from hkgit.agents.events import (
    Did,
    Editing,
    LateEdit,
    Looks,
    NotebookReading,
    PendingToolEdit,
    Shell,
    Told,
    ToolEvent,
    ToolReading,
    UnshownShell,
    UntoldEdit,
)
from hkgit.agents.files_before import PutAside, begin_call
from hkgit.agents.shown_readings import find_readings
from hkgit.agents.specs import (
    find_commands,
    paths_of,
    relative_to_root,
    spec_of,
)
from hkgit.edits import Spec
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.blobs import load_written
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import list_candidates
from hkgit.values import cached_property, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.intake import EditAdopter
    from hkgit.agents.logged_call import LoggedCall
    from hkgit.agents.shell_changes import ShellSnapshots

FindOutput = Callable[[Path, str], str | None]
"""Finds in a transcript what a call has shown; None where it does not say it (yet)."""


class Recorder:
    """The session of an agent's conversation in one checkout; it works in `directory`."""

    def __init__(self, session: EditSession, directory: Path) -> None:
        self._session = session
        self._directory = directory
        self._checkout = Checkout(session.root)
        self._aside = PutAside(session.journal.folder, session.journal.blobs)

    @cached_property
    def _snapshots(self) -> ShellSnapshots:
        from hkgit.agents.shell_changes import ShellSnapshots  # most calls run no command

        return ShellSnapshots(self._session.root, self._session.journal.folder)

    @cached_property
    def _edits(self) -> EditAdopter:
        from hkgit.agents.intake import EditAdopter  # before a call nothing is taken in

        return EditAdopter(self._session, self._aside)

    def before(self, did: Did) -> None:
        """Put aside what is about to be changed. Raises HkgitError."""
        begin_call(self._session.root, self._session.journal.folder, did, self._directory)

    def settle(self, transcript: Path | None, find_output: FindOutput | None) -> None:
        """Take in what earlier events have left open, as far as it is known. Raises HkgitError.

        `find_output` finds in the transcript what a call has shown.
        """
        for call in [*list_begun(self._session.journal.folder)]:
            try:
                is_over = self._end_begun(call, transcript, find_output)
            except BaseException:
                call.note.unlink(missing_ok=True)  # it is not tried again
                raise
            if is_over or call.age > LASTS:
                call.note.unlink(missing_ok=True)

    def _end_begun(
        self, call: BegunCall, transcript: Path | None, find_output: FindOutput | None
    ) -> bool:
        """Take in what came of a call; False where that is not known yet."""
        match call.did:
            case UntoldEdit(edit):
                return self._end_edit(edit, call.directory)
            case UnshownShell(shell, name) if transcript is not None and find_output is not None:
                output = find_output(transcript, name)
                if output is None:
                    return False
                recorder = Recorder(replace(self._session, turn=""), call.directory)
                recorder._look(find_readings(Shell(shell.command, output), call.directory))
                return True
        return False

    def learn_attached(self, attached: Iterable[ToolReading]) -> None:
        """Learn what the model was shown of files with its prompt."""
        recorder = Recorder(replace(self._session, turn=""), self._directory)
        for each in attached:
            recorder._look(find_readings(each, self._directory))

    def learn_earlier(self, calls: Iterable[LoggedCall]) -> None:
        """Learn what earlier calls have shown of files that have not changed since."""
        for call in calls:
            if isinstance(call.did, ToolReading | Shell):
                recorder = Recorder(replace(self._session, turn=""), Path(call.directory))
                recorder._look(find_readings(call.did, Path(call.directory)))

    def awaits(self, did: Did) -> bool:
        """Whether it is known how files were before the commands of a call."""
        commands = find_commands(did)
        return bool(commands) and self._snapshots.has("\n".join(commands))

    def settle_formatters(self) -> None:
        """Take in what formatters have made of files since their edits. Raises HkgitError."""
        if load_written(self._session.journal.folder):
            from hkgit.agents.late_work import settle_written

            settle_written(self._session)

    def _end_edit(self, edit: Editing, directory: Path) -> bool:
        recorder = Recorder(self._session, directory)
        spec = recorder._spec(edit)
        before = {path: self._aside.get(path, edit.text) for path in paths_of(spec)}
        if all(self._checkout.get(path) == file for path, file in before.items()):
            return False
        recorder._edits.take(spec, edit.text)
        return True

    def after(self, event: ToolEvent) -> EditReport | None:
        """Take in what has been done. Raises HkgitError where that cannot be."""
        if not self.awaits(event.did):
            return self._end(event, event.did)
        words = "\n".join(find_commands(event.did))
        did = replace(event.did, told=None) if isinstance(event.did, Shell) else event.did
        try:  # what commands show may be what they have written
            return self._take_work(words)
        finally:
            self._end(event, did)

    def _take_work(self, words: str) -> EditReport | None:
        """Take in what a command has done; hooks that run at once do so one after the other."""
        with self._aside.lock():
            try:
                return self._edits.take_own_work(self._snapshots.find_work(words))
            finally:
                self._snapshots.end(words)

    def take_running(self) -> None:
        """Take in what a command has changed that is committing now. Raises HkgitError."""
        with self._aside.lock():
            self._edits.take_own_work(self._snapshots.find_running_work())

    def _end(self, event: ToolEvent, did: Did) -> EditReport | None:
        match did:
            case Editing() as edit:
                forget_begun(self._session.journal.folder, edit)
                try:
                    with self._aside.lock():
                        answer = self._edits.take(self._spec(edit), edit.text, _find_original(edit))
                except Stale:
                    # Few hooks are stopped before a call.
                    from hkgit.agents.late_work import take_unseen_edit

                    return take_unseen_edit(edit, self._session, self._directory)
                if edit.shown is not None:
                    self._look(find_readings(edit.shown, self._directory))
                return answer
            case PendingToolEdit(path):
                place = relative_to_root(path, self._session.root, self._directory)
                with self._aside.lock():
                    return self._edits.take_untold(place)
            case LateEdit() as late:
                return self._edits.take_late(self._spec(late.edit), late)
            case NotebookReading() as notebook:
                # Few files are notebooks.
                from hkgit.agents.tool_answers import find_cells

                self._look(find_cells(notebook, self._directory))
            case UnshownShell() as unshown:
                note_begun(self._session.journal.folder, unshown, self._directory)
            case ToolReading() as read:
                self._look(find_readings(read, self._directory))
            case Looks(parts):
                for part in parts:
                    self._look(find_readings(part, self._directory))
            case Shell() as shell:
                answer = None if shell.told is None else self._take_told(shell.told)
                self._look(find_readings(shell, self._directory))
                return answer
        return None

    def _spec(self, did: Editing) -> Spec:
        return spec_of(did, self._session.root, self._directory)

    def _look(self, reads: Iterable[ToolReading]) -> None:
        for read in reads:
            # A command may show files of other places too, which are no evidence here.
            with suppress(InvalidInput):
                path = relative_to_root(read.path, self._session.root, self._directory)
                self._session.read(path, read.start_line, read.end_line)

    def _take_told(self, told: Told) -> EditReport | None:
        """Take in what a command has changed, as its answer tells. Raises HkgitError."""
        # Few commands change files.
        from hkgit.agents.shell_changes import find_files_before

        before = find_files_before(told, self._session, self._directory)
        return self._edits.take_difference(before) if before else None


def _find_original(edit: Editing) -> str | None:
    """Find how the tool has found the file that it edits, if its answer tells."""
    before = {} if edit.told is None else (edit.told.before or {})
    return next(iter(before.values()), None)


def record_running_command(root: Path, shell: str) -> None:
    """Take in what the latest command of the agent with that `shell` has changed so far.

    It commits that itself, so the hook that tells its end has not run yet.

    That it cannot be recorded stops no commit: whether it must, the gate knows.
    """
    agent = shell.split()[0].lower()
    folders = [each for home in list_candidates(root) for each in home.glob(f"{agent}-*")]
    started = {place.stat().st_mtime_ns: each for each in folders for place in find_running(each)}
    if not started:
        return
    session = started[max(started)].name
    with suppress(HkgitError, OSError):
        Recorder(EditSession.open(root, session, agent=agent), root).take_running()

"""Record what an agent's own tools read and edit, as receipts and journalled edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import (
    LASTS,
    BegunCall,
    begin_call,
    find_call,
    find_command,
    has_overdue,
    list_calls,
    lock_hooks,
    note_unshown,
)
from hkgit.agents.events import (
    Did,
    Editing,
    LateEdit,
    Looks,
    NotebookReading,
    PendingToolEdit,
    Shell,
    ToolEvent,
    ToolReading,
)
from hkgit.agents.shown_readings import Shown, find_readings
from hkgit.agents.specs import paths_of, relative_to_root, spec_of
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.sessions.homes import choose_folder, find_notes, list_candidates
from hkgit.values import cached_property, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.intake import Intake
    from hkgit.agents.logged_call import LoggedCall
    from hkgit.sessions.answers import EditReport
    from hkgit.sessions.edit_session import EditSession

FindOutput = Callable[[Path, str], str | None]
"""Finds in a transcript what a call has shown; None where it does not say it (yet)."""


class Recorder:
    """Records what an agent's conversation does in one checkout; it works in `directory`.

    Its session is opened where there is something to record: most commands change no file.
    """

    def __init__(
        self, root: Path, name: str, directory: Path, *, agent: str, turn: str = ""
    ) -> None:
        self.folder = choose_folder(root, name)
        self._root, self._name, self._directory = root, name, directory
        self._agent, self._turn = agent, turn

    @cached_property
    def session(self) -> EditSession:
        """The session of the conversation. Raises InvalidInput."""
        from hkgit.sessions.edit_session import EditSession

        return EditSession.open(self._root, self._name, agent=self._agent, turn=self._turn)

    @cached_property
    def _intake(self) -> Intake:
        from hkgit.agents.intake import Intake  # before a call nothing is taken in

        return Intake(self.session)

    def before(self, did: Did) -> None:
        """Put aside what is about to be changed. Raises HkgitError."""
        begin_call(self._root, self.folder, did, self._directory)

    def settle(
        self, transcript: Path | None, find_output: FindOutput | None, *, is_look: bool
    ) -> None:
        """Take in what earlier events have left open, as far as it is known. Raises HkgitError.

        `find_output` finds in the transcript what a call has shown. Where nothing has been done but
        to look, what has changed since an edit was a formatter's work.
        """
        if has_overdue(self.folder):
            from hkgit.agents.late_work import settle_missed_edits  # few hooks are stopped

            settle_missed_edits(self.session)
        for call in list_calls(self.folder, "untold", "unshown"):
            is_over = True  # what fails is not tried again
            try:
                is_over = self._end_begun(call, transcript, find_output)
            finally:
                if is_over or call.age > LASTS:
                    call.end()
        if is_look and find_notes(self.folder, "left"):
            from hkgit.agents.late_work import settle_left  # most calls edit nothing

            settle_left(self.session)

    def _end_begun(
        self, call: BegunCall, transcript: Path | None, find_output: FindOutput | None
    ) -> bool:
        """Take in what came of a call; False where that is not known yet."""
        match call.did:
            case Editing() as edit:
                from hkgit.agents.parallel_work import has_changed  # most edits are told

                if not has_changed(self._root, call):
                    return False
                self._intake.take_edit(spec_of(edit, self._root, call.directory), call)
                return True
            case Shell(command, call=name) if transcript is not None and find_output is not None:
                output = find_output(transcript, str(name))
                if output is not None:
                    self._look(Shell(command, output), call.directory, is_earlier=True)
                return output is not None
        return False

    def learn_attached(self, attached: Iterable[ToolReading]) -> None:
        """Learn what the model was shown of files with its prompt."""
        for each in attached:
            self._look(each, self._directory, is_earlier=True)

    def learn_earlier(self, calls: Iterable[LoggedCall]) -> None:
        """Learn what earlier calls have shown of files that have not changed since."""
        for call in calls:
            if isinstance(call.did, ToolReading | Shell):
                self._look(call.did, Path(call.directory), is_earlier=True)

    def awaits(self, did: Did) -> bool:
        """Whether it is known how files were before the commands of a call."""
        return find_command(self.folder, did) is not None

    def after(self, event: ToolEvent) -> EditReport | None:
        """Take in what has been done. Raises HkgitError where that cannot be."""
        call = find_command(self.folder, event.did)
        if call is None:
            return self._end(event.did)
        try:  # what commands show may be what they have written
            return self._take_command(call)
        finally:
            call.end()
            self._end(event.did)

    def _take_command(self, call: BegunCall) -> EditReport | None:
        """Take in what a command has done; hooks that run at once do so one after the other."""
        from hkgit.agents.shell_changes import find_work  # few calls run a command

        with lock_hooks(self.folder):
            work = find_work(self._root, call)
            if not work.changed and not work.committed:
                return None
            return self._intake.take_command(call, work)

    def take_running(self) -> None:
        """Take in what the command started last has changed so far. Raises HkgitError."""
        for call in list_calls(self.folder, "shell")[-1:]:
            self._take_command(call)

    def _end(self, did: Did) -> EditReport | None:
        match did:
            case Editing() as edit:
                answer = self._end_edit(edit)
                if edit.shown is not None:
                    self._look(edit.shown, self._directory)
                return answer
            case PendingToolEdit(path):
                place = relative_to_root(path, self._root, self._directory)
                with lock_hooks(self.folder):
                    return self._intake.take_untold(place)
            case LateEdit(edit) as late:
                spec = spec_of(edit, self._root, self._directory)
                return self._intake.take_unseen(spec, late)
            case Shell(call=str()) as unshown:
                note_unshown(self.folder, unshown, self._directory)
            case ToolReading() | NotebookReading() | Shell() as look:
                self._look(look, self._directory)
            case Looks(parts):
                for part in parts:
                    self._look(part, self._directory)
        return None

    def _end_edit(self, edit: Editing) -> EditReport | None:
        spec = spec_of(edit, self._root, self._directory)
        told = {} if edit.told is None else (edit.told.before or {})
        with lock_hooks(self.folder):
            # Only now: a hook that ended meanwhile may have taken in all that both have done.
            begun = find_call(self.folder, edit, paths_of(spec))
            if begun is None:
                return self._intake.take_unseen(spec)
            try:
                return self._intake.take_edit(spec, begun, next(iter(told.values()), None))
            except Stale:
                return self._intake.take_unseen(spec)
            finally:
                begun.end()

    def _look(self, did: Shown, directory: Path, *, is_earlier: bool = False) -> None:
        """Learn what a call has shown; if it `is_earlier`, before the answer that is given now."""
        for read in find_readings(did, directory):
            session = replace(self.session, turn="") if is_earlier else self.session
            # A command may show files of other places too, which are no evidence here.
            with suppress(InvalidInput):
                path = relative_to_root(read.path, self._root, directory)
                session.read(path, read.start_line, read.end_line)


def record_running_command(root: Path, shell: str) -> None:
    """Take in what the latest command of the agent with that `shell` has changed so far.

    It commits that itself, so the hook that tells its end has not run yet. That it cannot be
    recorded stops no commit: whether it must, the gate knows.
    """
    agent = shell.split()[0].lower()
    folders = [each for home in list_candidates(root) for each in home.glob(f"{agent}-*")]
    running = [call for folder in folders for call in list_calls(folder, "shell")]
    if running:
        session = max(running, key=lambda call: call.begun).folder.name
        with suppress(HkgitError, OSError):
            Recorder(root, session, root, agent=agent).take_running()

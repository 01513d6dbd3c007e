"""Pass the lines of an editor and an agent on, unchanged, and record what they say.

Nothing that goes wrong in recording changes or holds up a message: it is reported, and the edit
stays unrecorded, which the gate will say at the commit.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hkgit.agents import HOOKED
from hkgit.agents.acp.messages import AGENT, EDITOR, NAME, Watch, find_answers
from hkgit.agents.events import ToolEvent, UntoldLook
from hkgit.agents.intake import holds_already
from hkgit.agents.recorder import Recorder
from hkgit.agents.specs import find_touched_paths
from hkgit.errors import InvalidInput
from hkgit.sessions.homes import find_checkout, find_folders

_UNTELLING = "gemini-cli"
"""What the agent calls itself that does not tell what it has shown."""

Report = Callable[[str], None]
"""Takes what went wrong, or what the person is to know."""


class Relay:
    """One connection, and the sessions of the conversations in it."""

    def __init__(self, directory: Path, agent: str, report: Report) -> None:
        self._watch = Watch(directory)
        self._agent = agent
        self._report = report
        self._lock = threading.Lock()
        self._untold: dict[str, list[str]] = {}
        """Calls by sessions, of which it is not told what they have shown."""

    def run(self, command: Sequence[str], incoming: BinaryIO, outgoing: BinaryIO) -> int:
        """Start the agent and serve it until it ends; its exit code as a shell tells it.

        Raises InvalidInput.
        """
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            what = f"cannot be started: {error.strerror}"
            raise InvalidInput(command[0], what, "Name the agent as a shell would.") from error
        assert process.stdin is not None
        assert process.stdout is not None
        # A daemon: it waits for the editor's next line, also when the agent is gone.
        listen = (incoming, process.stdin, EDITOR)
        threading.Thread(target=self._pass_and_close, args=listen, daemon=True).start()
        self._pass(process.stdout, outgoing, AGENT)
        code = process.wait()
        return code if code >= 0 else 128 - code

    def _pass_and_close(self, source: BinaryIO, target: BinaryIO, side: str) -> None:
        self._pass(source, target, side)
        with suppress(OSError):  # the agent is gone: there is nothing left to end
            target.close()

    def _pass(self, source: Iterable[bytes], target: BinaryIO, side: str) -> None:
        with suppress(OSError):  # the other side is gone; this one ends when its own stream does
            for line in source:
                self._record(line, side)
                target.write(line)
                target.flush()

    def _record(self, line: bytes, side: str) -> None:
        with self._lock:
            events: list[ToolEvent] = []
            with self._report_faults():
                message = json.loads(line)
                events += self._watch.hear(side, message) if isinstance(message, dict) else ()
            for event in events:
                with self._report_faults():  # what cannot be recorded takes no other with it
                    self._take(event)

    @contextmanager
    def _report_faults(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - no fault of hkgit may stop an agent
            self._report(f"not recorded: {error}")

    def _take(self, event: ToolEvent) -> None:
        root = find_checkout(event.directory)
        if not (root / ".git").exists():
            return
        if isinstance(event.did, UntoldLook):
            self._untold.setdefault(event.session, []).append(event.did.call)
            return
        name = self._watch.agent or self._agent
        shared = find_sessions_of_hooks(root, event.session)
        session = shared[0].name if shared else event.session
        recorder = Recorder(root, session, event.directory, agent=name)
        if event.is_before:
            self._settle_untold(event, recorder)
            recorder.before(event.did)
            return
        paths = find_touched_paths(event.did, root, event.directory) if shared else []
        if paths and holds_already(paths, root, shared):
            return
        answer = recorder.after(event)
        for blind in [] if answer is None else answer.blind:
            place = f"{blind.path}:{blind.lines[0]}-{blind.lines[1]}"
            mend = f"so that its commit passes, run {blind.command} and then make the edit again"
            self._report(f"a blind edit: {place} was not read before it; {mend}")

    def _settle_untold(self, event: ToolEvent, recorder: Recorder) -> None:
        """Take in what was shown before an edit, as far as a transcript tells."""
        calls = self._untold.get(event.session, [])
        if not calls or not self._watch.agent.startswith(_UNTELLING):
            return  # all others tell
        conversation = event.session.removeprefix(f"{NAME}-")
        told, shown = find_answers(conversation, event.directory, calls, os.environ)
        self._untold[event.session] = [each for each in calls if each not in told]
        recorder.learn_earlier(shown)


def find_sessions_of_hooks(root: Path, session: str) -> list[Path]:
    """Find the sessions in which the agent's own hooks record this conversation, main one first.

    Hooks see more: what is recorded there already is not recorded again.
    """
    conversation = session.removeprefix(f"{NAME}-")
    names = tuple(f"{agent}-{conversation}" for agent in HOOKED)
    return [folder for folder in find_folders(root) if folder.name.startswith(names)]

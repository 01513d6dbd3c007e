"""Record what an agent's shell command has changed that commits it itself.

The hook that tells its end has not run yet, so the commit would be judged without its evidence.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import find_running
from hkgit.agents.recorder import Recorder
from hkgit.errors import HkgitError
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.homes import list_candidates


def record_running_command(root: Path, shell: str) -> None:
    """Take in what the latest command of the agent with that `shell` has changed so far.

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

"""Hooks that run at the same moment take in what was done once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hkgit.agents.begun_calls import lock_hooks
from hkgit.agents.events import HOOK_SECONDS
from hkgit.git.transaction import locks
from tests.agents.test_shell_snapshots import recorded
from tests.agents.two_sessions import ONE, TWO, added, change, tell
from tests.support.commands import loaded_path
from tests.support.repos import Repo


def end_at_once(repo: Repo, calls: list[tuple[str, str]]) -> None:
    """Run the hooks after commands of sessions, all of them at once."""
    hooks = [
        subprocess.Popen(
            [sys.executable, "-m", "hkgit", "hook", "claude"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env=os.environ | loaded_path(),
            cwd=repo.path,
        )
        for _ in calls
    ]
    for hook, (name, command) in zip(hooks, calls, strict=True):
        call = {
            "session_id": name,
            "cwd": str(repo.path),
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"{name}-{command}",
            "tool_response": {"stdout": ""},
        }
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(call))
    for hook in hooks:
        assert hook.stdin is not None
        hook.stdin.close()
    for hook in hooks:
        hook.wait()


def test_commands_of_one_session_that_end_together_are_recorded_once(shared: Repo) -> None:
    calls = [("one", f"./{number}") for number in range(4)]
    for name, command in calls:
        tell(shared, name, "Pre", command)
    change(shared, ONE)
    change(shared, TWO, "y.py")
    end_at_once(shared, calls)
    assert added(shared) == {"claude-one": {"a = 10", "g = 60"}}
    paths = [path for each in recorded(shared, "claude-one") for path in each]
    assert sorted(paths) == ["x.py", "y.py"]


def test_a_hook_waits_for_another_as_long_as_its_agent_waits_for_it(
    shared: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared.path / ".git" / "hkgit" / "sessions" / "one"
    folder.mkdir(parents=True)
    place, clock = folder.parent / "recording.lock", [0]
    held = locks.wait_for(place, 0)
    assert held is not None

    def pause(_: float) -> None:
        clock[0] += 1
        if clock[0] == HOOK_SECONDS - 1:
            locks.remove(place, held)

    monkeypatch.setattr("time.sleep", pause)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    with lock_hooks(folder):
        assert clock[0] == HOOK_SECONDS - 1

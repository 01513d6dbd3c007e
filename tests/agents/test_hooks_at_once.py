"""Hooks that run at the same moment take in what was done once."""

import json
import subprocess
from collections.abc import Sequence

import pytest

from hkgit.agents.begun_calls import lock_hooks
from hkgit.agents.events import HOOK_SECONDS
from hkgit.git.transaction import locks
from tests.agents.streaming import Talk, change, session
from tests.agents.test_shell_snapshots import recorded
from tests.agents.two_sessions import ONE, TWO, added
from tests.support.forks import loaded_program
from tests.support.repos import Repo


def end_at_once(*payloads: object) -> Sequence[int]:
    """Run the hooks after calls, all of them at once; their exit codes."""
    command = [str(loaded_program()), "hook", "claude"]
    hooks = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for _ in payloads
    ]
    for hook, payload in zip(hooks, payloads, strict=True):
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(payload).encode())
    for hook in hooks:
        assert hook.stdin is not None
        hook.stdin.close()
    return [hook.wait(60) for hook in hooks]


def test_commands_of_one_session_that_end_together_are_recorded_once(shared: Repo) -> None:
    talk, commands = Talk(shared.path, "one"), [f"./{number}" for number in range(4)]
    for command in commands:
        talk.begin("Bash", command=command)
    change(shared.path / "x.py", ONE)
    change(shared.path / "y.py", TWO)
    end_at_once(*(talk.payload("after", "Bash", command=command) for command in commands))
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


def test_two_edits_of_one_file_are_both_recorded(shared: Repo) -> None:
    talk = Talk(shared.path, "one")
    path = str(shared.path / "x.py")
    edits = [{"file_path": path, "old_string": old, "new_string": new} for old, new in (ONE, TWO)]
    talk.read("x.py")
    for edit in edits:
        talk.begin("Edit", **edit)
    change(shared.path / "x.py", ONE, TWO)
    assert end_at_once(*(talk.payload("after", "Edit", **edit) for edit in edits)) == [0, 0]
    assert added(shared) == {"claude-one": {"a = 10", "g = 60"}}
    status = session(shared)
    assert (sum(call.edits for call in status.calls), status.blind) == (2, 0)

"""Hooks record in every kind of checkout, and two conversations at once in one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.homes import find_folders
from tests.agents.streaming import told
from tests.agents.two_sessions import begin_edit, name_call, read, write
from tests.support.forks import loaded_program
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


def _start_hook(call: dict[str, Any]) -> subprocess.Popen[bytes]:
    hook = subprocess.Popen(
        [loaded_program(), "hook", "claude"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert hook.stdin is not None
    hook.stdin.write(json.dumps(call).encode())
    hook.stdin.close()
    return hook


def _in_worktree(repo: Repo) -> Path:
    repo.commit({"x.py": TEXT.encode()})
    repo.git("worktree", "add", "-q", str(repo.path.parent / "linked"))
    return repo.path.parent / "linked"


def _in_submodule(repo: Repo) -> Path:
    inner = Repo.init(repo.path.parent / "inner")
    inner.commit({"x.py": TEXT.encode()})
    allowed = ("-c", "protocol.file.allow=always")
    repo.git(*allowed, "submodule", "--quiet", "add", str(inner.path), "module")
    return repo.path / "module"


def _without_commits(repo: Repo) -> Path:
    repo.write("x.py", TEXT.encode())
    return repo.path


def _at_odd_path(repo: Repo) -> Path:
    odd = Repo.init(repo.path.parent / "a b\nc 'd\" é$x")
    odd.commit({"x.py": TEXT.encode()})
    return odd.path


@pytest.mark.parametrize("make", [_in_worktree, _in_submodule, _without_commits, _at_odd_path])
def test_an_edit_is_recorded_with_evidence(make: Callable[[Repo], Path], repo: Repo) -> None:
    root = make(repo)
    read(root, "s")
    after = begin_edit(root, "s", "b = 2", "b = 20")
    write(root, ("b = 2", "b = 20"))
    assert told("claude", after) == {}
    status = EditSession.open(root, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 0)


def _next_door(repo: Repo) -> Path:
    other = Repo.init(repo.path.parent / "next door")
    other.commit({"x.py": TEXT.encode()})
    return other.path


@pytest.mark.parametrize("is_steered", [False, True], ids=["recording", "steering"])
@pytest.mark.parametrize("make", [_in_worktree, _in_submodule, _next_door])
def test_an_edit_of_another_guarded_checkout_is_recorded_there(
    make: Callable[[Repo], Path], is_steered: bool, repo: Repo
) -> None:
    """The agent was started in one checkout, and names files of another."""
    other = make(repo)
    run("init", cwd=other)
    options = ["--steer"] if is_steered else []
    at_home = {"cwd": str(repo.path)}
    _read_from(repo.path, other)
    call = name_call(other, "s", "Edit", old_string="b = 2", new_string="b = 20") | at_home
    assert told("claude", call | {"hook_event_name": "PreToolUse"}, *options) == {}
    write(other, ("b = 2", "b = 20"))
    after = call | {"hook_event_name": "PostToolUse", "tool_response": {}}
    assert told("claude", after, *options) == {}
    assert find_folders(repo.path) == []
    status = EditSession.open(other, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 0)


def test_a_commit_of_it_is_judged_there(repo: Repo) -> None:
    other = Repo(_next_door(repo))
    run("init", cwd=other.path)
    preload_hooks(other)
    other.git("add", "-A")
    other.git("commit", "-qm", "Set up")
    _read_from(repo.path, other.path)
    given = {"old_string": "b = 2", "new_string": "b = 20"}
    call = name_call(other.path, "s", "Edit", **given) | {"cwd": str(repo.path)}
    told("claude", call | {"hook_event_name": "PreToolUse"})
    write(other.path, ("b = 2", "b = 20"))
    told("claude", call | {"hook_event_name": "PostToolUse", "tool_response": {}})
    other.git("commit", "-qam", "Work")
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=other.path)
    assert "verdict strict" in judged.out


@pytest.mark.parametrize("command", ["cd {} && sed -i s/2/20/ x.py", "sed -i s/2/20/ '{}/x.py'"])
@pytest.mark.parametrize("make", [_in_worktree, _in_submodule])
def test_what_a_command_changes_in_another_guarded_checkout_is_recorded_there(
    make: Callable[[Repo], Path], command: str, repo: Repo
) -> None:
    """Nobody has read it there, which the agent is told."""
    other = make(repo)
    run("init", cwd=other)
    call = {
        "session_id": "s",
        "cwd": str(repo.path),
        "tool_name": "Bash",
        "tool_use_id": "1",
        "tool_input": {"command": command.format(other)},
    }
    assert told("claude", call | {"hook_event_name": "PreToolUse"}) == {}
    write(other, ("b = 2", "b = 20"))
    ended = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": ""}}
    assert "x.py:2-2" in json.dumps(told("claude", call | ended))
    status = EditSession.open(other, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 1)


def test_of_a_checkout_without_hkgit_nothing_is_kept(repo: Repo) -> None:
    other = _next_door(repo)
    _read_from(repo.path, other)
    assert find_folders(other) == []
    assert not (other / ".git/hkgit").exists()


def _read_from(home: Path, root: Path) -> None:
    file = {"filePath": str(root / "x.py"), "content": TEXT, "startLine": 1}
    shown = {"hook_event_name": "PostToolUse", "tool_response": {"type": "text", "file": file}}
    told("claude", name_call(root, "s", "Read") | shown | {"cwd": str(home)})


def test_in_a_bare_repository_nothing_is_recorded_and_nothing_stopped(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare.git", bare=True)
    before = sorted(each.name for each in bare.path.iterdir())
    (bare.path / "x.py").write_text(TEXT)
    read(bare.path, "s")
    assert told("claude", begin_edit(bare.path, "s", "b = 2", "b = 20")) == {}
    assert sorted(each.name for each in bare.path.iterdir()) == sorted([*before, "x.py"])


def test_conversations_with_long_names_are_told_apart(repo: Repo) -> None:
    """What one has read the other has not: the names differ at their ends."""
    repo.commit({"x.py": TEXT.encode()})
    names = ("c" * 90 + "1", "c" * 90 + "2")
    for name in names:
        read(repo.path, name)
    assert len({each.name for each in find_folders(repo.path)}) == 2
    assert all(len(each.name) <= 64 for each in find_folders(repo.path))


def test_two_edits_of_one_file_at_once_are_both_recorded(repo: Repo) -> None:
    """Of one conversation, which may make several calls at once."""
    run("init", cwd=repo.path)
    preload_hooks(repo)
    repo.commit({"x.py": TEXT.encode()})
    read(repo.path, "one")
    first = begin_edit(repo.path, "one", "a = 1", "a = 10")
    other = begin_edit(repo.path, "one", "d = 4", "d = 40")
    write(repo.path, ("a = 1", "a = 10"))
    write(repo.path, ("d = 4", "d = 40"))
    hooks = [_start_hook(call) for call in (first, other)]
    assert [hook.wait(60) for hook in hooks] == [0, 0]
    repo.git("commit", "-qam", "Both")
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=repo.path)
    assert judged.code == 0, judged.out
    assert "verdict strict" in judged.out


def test_of_two_agents_whose_edits_overlap_each_is_recorded_with_its_own(repo: Repo) -> None:
    repo.commit({"x.py": TEXT.encode()})
    for name in ("one", "two"):
        read(repo.path, name)
    first = begin_edit(repo.path, "one", "a = 1", "a = 10")
    second = begin_edit(repo.path, "two", "d = 4", "d = 40")
    write(repo.path, ("a = 1", "a = 10"))
    told("claude", first)
    write(repo.path, ("d = 4", "d = 40"))
    told("claude", second)
    for name in ("one", "two"):
        [call] = EditSession.open(repo.path, f"claude-{name}").status().calls
        assert (call.edits, call.blind) == (1, 0)

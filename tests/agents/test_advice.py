"""What an agent is told to do mends what it is told of, wherever it stands when it does it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from tests.agents.streaming import told
from tests.support.commands import loaded_path
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def below(repo: Repo) -> Repo:
    """A repository with hkgit's hooks, and a file in a directory whose name has a blank."""
    run("init", cwd=repo.path)
    preload_hooks(repo)
    repo.commit({"a dir/x.py": b"a = 1\nb = 2\nc = 3\n", "gone.txt": b"x\n", "kept.txt": b"k\n"})
    return repo


def _edit_unread(repo: Repo, old: str, new: str) -> str:
    """What Claude Code's model is told of an edit of lines that it was not shown."""
    path = repo.path / "a dir/x.py"
    given = {"file_path": str(path), "old_string": old, "new_string": new}
    call = {"session_id": "s", "cwd": str(path.parent), "tool_name": "Edit", "tool_input": given}
    told("claude", call | {"hook_event_name": "PreToolUse"})
    path.write_text(path.read_text().replace(old, new), newline="")
    answer = told("claude", call | {"hook_event_name": "PostToolUse", "tool_response": {}})
    return str(answer["hookSpecificOutput"]["additionalContext"])


def _run_as_agent(command: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in the shell of Claude Code."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=directory,
        env=os.environ | AGENT | loaded_path(),
        capture_output=True,
        text=True,
        check=False,
    )


def _follow(command: str, directory: Path) -> None:
    """Do as one is told."""
    done = _run_as_agent(command, directory)
    assert done.returncode == 0, done.stderr


def _verdict(repo: Repo) -> str:
    shown = run("show", "HEAD", "--json", cwd=repo.path)
    return str(json.loads(shown.stdout)["verdict"])


@pytest.mark.parametrize("directory", [".", "a dir"])
def test_what_a_hook_says_of_a_blind_edit_mends_it(directory: str, below: Repo) -> None:
    said = _edit_unread(below, "b = 2", "b = 20")
    _follow(said.rpartition(" run: ")[2], below.path / directory)
    below.git("commit", "-qam", "Say twenty")
    assert _verdict(below) == "strict"


@pytest.mark.parametrize("directory", [".", "a dir"])
def test_what_the_gate_says_of_a_blind_edit_mends_it(directory: str, below: Repo) -> None:
    _edit_unread(below, "b = 2", "b = 20")
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / directory)
    below.git("commit", "-qm", "Say twenty")
    assert _verdict(below) == "strict"


def test_what_the_gate_says_of_a_change_nobody_recorded_mends_it(below: Repo) -> None:
    """In an agent's shell: all of what is staged, and nothing of what is not."""
    below.write("a dir/x.py", b"a = 1\nb = 20\nc = 3\n")
    below.write('new "q".txt', b"new\n")
    (below.path / "gone.txt").unlink()
    below.git("add", "-A")
    below.write("kept.txt", b"not staged\n")
    _follow(_find_mend(below), below.path / "a dir")
    assert _verdict(below) == "strict"
    assert below.git("status", "--porcelain") == " M kept.txt"
    [path] = below.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    assert json.loads(below.git("show", f"HEAD:{path}"))["claims"]["agent"] == "claude-code"


def test_what_nobody_recorded_beside_a_blind_edit_is_mended_by_the_same_line(below: Repo) -> None:
    _edit_unread(below, "b = 2", "b = 20")
    (below.path / "gone.txt").unlink()
    below.write("kept.txt", b"by nobody\n")
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / "a dir")
    below.git("commit", "-qm", "Say twenty")
    assert _verdict(below) == "strict"
    judged = run("gate", "--range", "HEAD~2..HEAD", cwd=below.path)
    assert (judged.code, below.git("status", "--porcelain")) == (0, "")


def test_lines_nobody_recorded_in_a_file_of_a_session_are_mended(below: Repo) -> None:
    _edit_unread(below, "b = 2", "b = 20")
    text = (below.path / "a dir/x.py").read_bytes()
    below.write("a dir/x.py", text.replace(b"a = 1", b"a = 7"))
    later = time.time() + 60  # what comes at once is a formatter's, and the agent's
    os.utime(below.path / "a dir/x.py", (later, later))
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / "a dir")
    assert _verdict(below) == "strict"
    assert below.git("status", "--porcelain") == ""


def _ask_doctor(repo: Repo) -> str:
    """What doctor says of agents."""
    lines = run("doctor", cwd=repo.path).out.splitlines()
    return "\n".join(line for line in lines if line.startswith("agents "))


@pytest.mark.sampled
@pytest.mark.parametrize("mode", ["record", "steer"])
@pytest.mark.parametrize("agent", ["claude", "pi", "qwen"])
def test_what_doctor_says_of_outdated_hooks_mends_them(agent: str, mode: str, repo: Repo) -> None:
    repo.commit({"a.txt": b"a\n"})
    run("init", "--agent", agent, "--mode", mode, cwd=repo.path)
    hooks = {"claude": ".claude/settings.json", "qwen": ".qwen/settings.json"}
    place = repo.path / hooks.get(agent, ".pi/extensions/hkgit.js")
    place.write_text(place.read_text().replace(" || true", "").replace("// ", "//  "))
    told = _ask_doctor(repo)
    if "move it away" in told:
        place.rename(place.with_suffix(".old"))
    _follow(told.splitlines()[0].replace(", then ", ": ").rpartition(": ")[2], repo.path)
    assert "hkgit writes it" not in _ask_doctor(repo)
    assert "another version" not in _ask_doctor(repo)


def test_what_doctor_says_of_missing_hooks_of_the_user_sets_them_up(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.txt": b"a\n"})
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    run("init", "--agent", "gemini", cwd=repo.path)
    told = _ask_doctor(repo)
    assert "gemini runs its hooks only where it is started in the root" in told
    [hkgit, *words] = shlex.split(told.rpartition(": ")[2])
    assert (hkgit, run(*words, cwd=repo.path).code) == ("hkgit", 0)
    assert (tmp_path / ".gemini/settings.json").exists()
    assert _ask_doctor(repo) == "agents       gemini runs hooks of yours in every directory"


def _find_mend(repo: Repo) -> str:
    """The command that the gate names when an agent commits."""
    refused = _run_as_agent("git commit -qm Work", repo.path)
    assert refused.returncode != 0
    lines = (refused.stdout + refused.stderr).splitlines()
    [line] = [each for each in lines if each.lstrip().startswith("mend: ")]
    return line.partition("mend: ")[2]

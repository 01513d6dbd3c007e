"""`hkgit init --agent --user`: an agent's hooks for all of a user's repositories that use hkgit."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import find_agent
from hkgit.agents.events import Editing, PendingToolEdit
from hkgit.agents.setup.installer import (
    find_folder,
    find_user_hooks,
    install,
    list_user_wide,
    remove,
)
from hkgit.agents.setup.settings import USER
from tests.agents.streaming import list_calls, list_commands, told
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of nobody."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    return home


def _texts(home: Path) -> dict[str, str]:
    paths = [each for each in sorted(home.rglob("*")) if each.is_file()]
    return {each.relative_to(home).as_posix(): each.read_text() for each in paths}


@pytest.mark.parametrize("agent", list_user_wide())
def test_hooks_come_and_go_and_nothing_else(agent: str, home: Path) -> None:
    install(find_folder(agent, {}), agent, USER)
    texts = _texts(home)
    assert any(f"hkgit hook {agent} --user" in text for text in texts.values()) or agent == "pi"
    assert not any("mcpServers" in text for text in texts.values())
    assert find_user_hooks(agent, {}) is True
    install(find_folder(agent, {}), agent, USER)
    assert _texts(home) == texts
    remove(find_folder(agent, {}), agent, [USER])
    assert _texts(home) == {}
    assert find_user_hooks(agent, {}) is None


def test_a_users_own_settings_stay(home: Path) -> None:
    own = '{\n  // mine\n  "model": "m",\n  "hooks": {"Stop": []}\n}\n'
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(own)
    install(find_folder("claude", {}), "claude", USER)
    assert "// mine" in _texts(home)[".claude/settings.json"]
    remove(find_folder("claude", {}), "claude", [USER])
    assert _texts(home) == {".claude/settings.json": own}


@pytest.mark.parametrize(
    ("agent", "variable"),
    [
        ("claude", "CLAUDE_CONFIG_DIR"),
        ("copilot", "COPILOT_HOME"),
        ("gemini", "GEMINI_CLI_HOME"),
        ("pi", "PI_CODING_AGENT_DIR"),
        ("qwen", "QWEN_HOME"),
    ],
)
def test_settings_that_a_user_keeps_elsewhere_are_found(
    agent: str, variable: str, home: Path, tmp_path: Path
) -> None:
    install(find_folder(agent, {variable: str(tmp_path / "else")}), agent, USER)
    assert _texts(home) == {}
    assert find_folder(agent, {variable: str(tmp_path / "else")}).is_relative_to(tmp_path / "else")
    assert _texts(tmp_path / "else")


@pytest.mark.sampled
@pytest.mark.parametrize("agent", list_user_wide())
def test_hooks_of_the_user_record_below_the_root(agent: str, greeting: Repo) -> None:
    """The project's own hooks do not run there."""
    run("init", "--agent", agent, cwd=greeting.path)
    (greeting.path / "sub").mkdir()
    told(agent, _first(agent, greeting, "sub"), "--user")
    [folder] = (greeting.path / ".git/hkgit/sessions").glob("[!.]*")
    assert folder.name.startswith(f"{agent}-")


@pytest.mark.parametrize("agent", list_user_wide())
def test_a_call_is_recorded_once_where_the_project_has_hooks(agent: str, greeting: Repo) -> None:
    run("init", "--agent", agent, cwd=greeting.path)
    told(agent, _first(agent, greeting), "--user")
    assert not (greeting.path / ".git/hkgit/sessions").exists()


def test_where_the_shell_has_gone_the_projects_hooks_still_run(
    greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init", "--agent", "claude", cwd=greeting.path)
    (greeting.path / "sub").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(greeting.path))
    told("claude", _first("claude", greeting, "sub"), "--user")
    assert not (greeting.path / ".git/hkgit/sessions").exists()


def _first(agent: str, repo: Repo, directory: str = ".") -> dict[str, Any]:
    """The first edit that is about to be made, by an agent that works in a directory."""
    known = list_calls(agent, repo)
    is_edit = (Editing, PendingToolEdit)
    first = next(x["input"] for x, event in known if event and isinstance(event.did, is_edit))
    payload: dict[str, Any] = first | {find_agent(agent).keys.directory: str(repo.path / directory)}
    return payload


@pytest.mark.parametrize("agent", [each for each in list_user_wide() if each != "pi"])
def test_a_repository_without_hkgit_is_none_of_its_business(
    agent: str, home: Path, repo: Repo, tmp_path: Path
) -> None:
    """The command asks that before it starts Python: it runs before each call of a tool."""
    log = tmp_path / "log"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/hkgit").write_text(f"#!/bin/sh\necho run >>{log}\necho {{}}\n")
    (tmp_path / "bin/hkgit").chmod(0o755)
    install(find_folder(agent, {}), agent, USER)
    [command, *_] = list_commands(
        json.loads(next(x for x in _texts(home).values() if "--user" in x))
    )
    (repo.path / "sub").mkdir()
    for place, count in ((tmp_path, 0), (repo.path / "sub", 0), (repo.path / "sub", 1)):
        if count:
            (repo.path / ".hkgit").mkdir()
        answer = subprocess.run(
            ["sh", "-c", command],
            cwd=place,
            env={"PATH": f"{tmp_path / 'bin'}:{Path(str(shutil.which('git'))).parent}:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(answer.stdout or "{}") == {}
        assert (log.read_text().count("run") if log.exists() else 0) == count


def test_the_command_needs_no_repository_and_says_what_it_wrote(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = run("init", "--agent", "claude", "--user", cwd=tmp_path, env=env)
    assert done.code == 0
    assert b".claude/settings.json" in done.stdout
    assert run("init", "--agent", "claude", "--user", "--remove", cwd=tmp_path, env=env).code == 0
    assert _texts(tmp_path) == {}


@cases(
    "words, said",
    {
        "reads them above": (["--agent", "codex", "--user"], "one of these: claude"),
        "no agent": (["--user"], "needs --agent"),
        "steering": (["--agent", "claude", "--user", "--mode", "steer"], "only records"),
    },
)
def test_what_does_not_go_together_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    done = run("init", *words, cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert (done.code, said in done.err) == (64, True)
    assert [*tmp_path.iterdir()] == []

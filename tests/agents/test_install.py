"""`hkgit init --agent`: writes an agent's settings, once, and takes out only what it wrote.

Hooks that another version of hkgit wrote give way; what somebody changed stays.
"""

import json
import subprocess
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import HOOKED, MODES, PLAIN
from hkgit.agents.events import HOOK_SECONDS
from hkgit.agents.setup.installer import find_outdated, install, list_remaining_steps, remove
from hkgit.agents.setup.settings import FilePart, list_parts
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.workflows.setup import Action
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

AGENTS = (*HOOKED, *PLAIN)


def _files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_written_is_kept_and_taken_out_again(agent: str, tmp_path: Path) -> None:
    install(tmp_path, agent, "record")
    before = _files(tmp_path)
    assert before
    assert {step.action for step in install(tmp_path, agent, "record")} == {Action.KEPT}
    assert _files(tmp_path) == before
    assert [*find_outdated(tmp_path)] == []
    remove(tmp_path, agent)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_the_last_mode_holds(agent: str, tmp_path: Path) -> None:
    install(tmp_path / "direct", agent, "steer")
    for mode in MODES:
        install(tmp_path / "changed", agent, mode)
        assert [*find_outdated(tmp_path / "changed")] == []
    assert _files(tmp_path / "changed") == _files(tmp_path / "direct")


OWN = {
    ".mcp.json": '{"mcpServers": {"mine": {"command": "mine"}}}\n',
    ".claude/settings.json": '{\n  // mine\n  "hooks": {"PreToolUse": [{"matcher": "Bash"}]}\n}',
    ".codex/config.toml": 'model = "m"  # mine\n\n[mcp_servers.mine]\ncommand = "mine"',
    ".codex/hooks.json": '{\n\t"hooks": {}\n}\n',
    ".cursor/mcp.json": '{ "mcpServers": { "mine": { "url": "http://x" } } }',
    ".windsurf/hooks.json": '{"hooks": {"post_write_code": [{"command": "x"}]}}\n',
    ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "x"}]}\n}\n',
    ".gemini/settings.json": '{\r\n  "theme": "Mine",\r\n}\r\n',
    ".vscode/mcp.json": '{\n    "servers": {\n        "mine": {}\n    },\n    "inputs": []\n}\n',
    "opencode.json": '{\n  "$schema": "https://opencode.ai/config.json",\n  "theme": "mine"\n}\n',
    "AGENTS.md": "# Mine\n\nBe kind.",
}
EMPTY = {".codex/hooks.json", "AGENTS.md", ".codex/config.toml"}
"""Where an object was empty, or a last line had no end, that is not put back to the byte."""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A checkout in which somebody has settings of everything."""
    for name, text in OWN.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, newline="")
    return tmp_path


@pytest.mark.parametrize("agent", AGENTS)
def test_the_users_own_settings_keep_every_byte(agent: str, own: Path) -> None:
    before = _files(own)
    install(own, agent, "steer")
    assert _files(own) != before
    remove(own, agent)
    exact = {name: data for name, data in _files(own).items() if name not in EMPTY}
    assert exact == {name: data for name, data in before.items() if name not in EMPTY}


def test_what_somebody_wrote_since_is_kept(own: Path) -> None:
    install(own, "codex", "record")
    config = own / ".codex/config.toml"
    config.write_text(f"# since\n{config.read_text()}")
    remove(own, "codex")
    assert config.read_text() == f"# since\n{OWN['.codex/config.toml']}\n"


def test_words_behind_a_last_line_without_an_end_leave_one(own: Path) -> None:
    install(own, "other", "record")
    remove(own, "other")
    assert (own / "AGENTS.md").read_text() == "# Mine\n\nBe kind.\n"


def test_the_servers_table_of_codex_can_be_read(own: Path) -> None:
    install(own, "codex", "record")
    servers = tomllib.loads((own / ".codex/config.toml").read_text())["mcp_servers"]
    assert servers == {"mine": {"command": "mine"}, "hkgit": {"command": "hkgit", "args": ["mcp"]}}


def test_another_server_of_that_name_blocks(tmp_path: Path) -> None:
    text = '{"mcpServers": {"hkgit": {"command": "other"}}}'
    (tmp_path / ".mcp.json").write_text(text)
    steps = {step.path.name: step.action for step in install(tmp_path, "claude", "record")}
    assert steps == {".mcp.json": Action.BLOCKED, "settings.json": Action.WROTE}
    assert (tmp_path / ".mcp.json").read_text() == text


def test_settings_that_are_no_json_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text("{")
    steps = {step.path.name: step.action for step in install(tmp_path, "claude", "record")}
    remove(tmp_path, "claude")
    assert steps[".mcp.json"] == Action.BLOCKED
    assert (tmp_path / ".mcp.json").read_text() == "{"


def test_the_command_says_what_it_wrote_and_what_is_left(repo: Repo) -> None:
    (repo.path / "inner").mkdir()
    result = run("init", "--agent", "claude", "--json", cwd=repo.path / "inner").json()
    assert [step["action"] for step in result["steps"]] == ["wrote", "wrote"]
    assert "hkgit init" in " ".join(result["next"])
    settings = json.loads((repo.path / ".claude/settings.json").read_text())
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "hkgit hook claude || true"


def test_what_is_there_is_not_among_the_next_steps(repo: Repo) -> None:
    assert run("init", cwd=repo.path).code == 0
    following = " ".join(run("init", "--agent", "codex", "--json", cwd=repo.path).json()["next"])
    assert "trust this project" in following
    assert "hkgit init" not in following


def test_an_agent_and_git_hooks_at_once_are_wrong_usage(repo: Repo) -> None:
    asked = ("init", "--agent", "claude", "--hook", "pre-push")
    assert run(*asked, cwd=repo.path).code == 64


@cases(
    "text, action",
    {
        "inline table": ('mcp_servers = {x = {command = "x"}}\n', Action.BLOCKED),
        "another server": ('[mcp_servers.hkgit]\nurl = "x"\n', Action.BLOCKED),
        "no TOML": ("model =\n", Action.BLOCKED),
        "there": ('mcp_servers = {hkgit = {command = "hkgit", args = ["mcp"]}}\n', Action.KEPT),
    },
)
def test_settings_of_codex_that_a_table_would_break_are_left_alone(
    text: str, action: Action, tmp_path: Path
) -> None:
    (tmp_path / ".codex").mkdir()
    config = tmp_path / ".codex/config.toml"
    config.write_text(text)
    steps = {step.path.name: step.action for step in install(tmp_path, "codex", "record")}
    remove(tmp_path, "codex")
    assert steps["config.toml"] == action
    assert config.read_text() == text


def _hooks(folder: Path, agent: str) -> dict[str, Any]:
    name = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json"}[agent]
    hooks: dict[str, Any] = json.loads((folder / name).read_text())["hooks"]
    return hooks


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("script", [None, "exit 1", "echo broken >&2; exit 2", "exit 127"])
def test_a_hook_that_is_missing_or_breaks_stops_no_call(
    agent: str, script: str | None, tmp_path: Path
) -> None:
    install(tmp_path, agent, "steer")
    if script is not None:
        _write_program(tmp_path, script)
    groups = [group for groups in _hooks(tmp_path, agent).values() for group in groups]
    hooks = [hook for group in groups for hook in group["hooks"]]
    assert {hook["timeout"] for hook in hooks} == {HOOK_SECONDS}
    for command in {hook["command"] for hook in hooks}:
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(words, env={"PATH": str(tmp_path)}, capture_output=True)
        assert (done.returncode, done.stdout) == (0, b"")


def _write_program(folder: Path, script: str) -> None:
    """An hkgit of a few words."""
    (folder / "hkgit").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "hkgit").chmod(0o755)


def _run_windsurf(tmp_path: Path, mode: str, said: str) -> subprocess.CompletedProcess[bytes]:
    install(tmp_path, "windsurf", mode)
    _write_program(tmp_path, said)
    hooks = json.loads((tmp_path / ".windsurf/hooks.json").read_text())["hooks"]
    [hook] = hooks["pre_write_code"]
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    return subprocess.run(["/bin/sh", "-c", hook["command"]], env=path, capture_output=True)


DENIAL = """printf '%s\\n' '{"deny": "Call its tool"}'"""


def test_windsurf_is_stopped_by_an_exit_code_and_reads_why(tmp_path: Path) -> None:
    done = _run_windsurf(tmp_path, "steer", DENIAL)
    assert (done.returncode, done.stderr) == (2, b'{"deny": "Call its tool"}\n')


@cases(
    "mode, said",
    {
        "never when it records": ("record", DENIAL),
        "nothing to say": ("steer", "printf '{}\\n'"),
        "it fails": ("steer", f"{DENIAL}; exit 2"),
        "a wrong use of an older hkgit": ("steer", "echo broken >&2; exit 2"),
    },
)
def test_windsurf_is_stopped_by_nothing_else(mode: str, said: str, tmp_path: Path) -> None:
    assert _run_windsurf(tmp_path, mode, said).returncode == 0


def test_hooks_of_another_version_give_way(tmp_path: Path) -> None:
    mine = {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
    old = {"matcher": "Edit", "hooks": [{"type": "command", "command": "hkgit hook claude"}]}
    (tmp_path / ".claude").mkdir()
    settings = {"hooks": {"PreToolUse": [mine, old], "PostToolUse": [old]}}
    (tmp_path / ".claude/settings.json").write_text(json.dumps(settings))
    install(tmp_path, "claude", "record")
    hooks = _hooks(tmp_path, "claude")
    assert (mine in hooks["PreToolUse"], old in hooks["PreToolUse"]) == (True, False)
    assert (len(hooks["PreToolUse"]), len(hooks["PostToolUse"])) == (2, 1)
    remove(tmp_path, "claude")
    assert _hooks(tmp_path, "claude") == {"PreToolUse": [mine]}


def test_steering_approves_the_tools_that_it_names(tmp_path: Path) -> None:
    install(tmp_path, "claude", "steer")
    install(tmp_path, "codex", "steer")
    settings = json.loads((tmp_path / ".claude/settings.json").read_text())
    assert settings["permissions"] == {"allow": ["mcp__hkgit"]}
    servers = tomllib.loads((tmp_path / ".codex/config.toml").read_text())["mcp_servers"]
    assert servers["hkgit"]["default_tools_approval_mode"] == "approve"


def test_recording_approves_nothing(tmp_path: Path) -> None:
    install(tmp_path, "claude", "steer")
    install(tmp_path, "claude", "record")
    install(tmp_path, "codex", "record")
    assert "permissions" not in (tmp_path / ".claude/settings.json").read_text()
    assert "approval" not in (tmp_path / ".codex/config.toml").read_text()


def test_what_claude_reads_only_in_a_trusted_root_is_said() -> None:
    """Seen with Claude Code 2.1.330: below the root it loads neither its hooks nor its server."""
    said = " ".join(list_remaining_steps("claude", has_git_hooks=True))
    assert "trust this folder" in said
    assert "hkgit init --agent claude --user" in said


def test_what_is_set_already_is_written_when_its_line_is_gone_as_the_advice_says(
    tmp_path: Path,
) -> None:
    settings = tmp_path / ".aider.conf.yml"
    settings.write_text("model: x\nauto-commits: false\n")
    [step] = install(tmp_path, "aider", "record")
    assert step.action is Action.BLOCKED
    assert step.note.endswith("Remove that line: hkgit writes auto-commits: false")
    settings.write_text("model: x\n")
    assert [step.action for step in install(tmp_path, "aider", "record")] == [Action.WROTE]


OLD = (
    "// Written by `hkgit init --agent pi`; `--remove` deletes it.\n",
    "// an extension of an earlier version\n",
)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A file that an earlier version wrote into a checkout."""
    (tmp_path / ".git").mkdir()
    extension = tmp_path / ".pi/extensions/hkgit.js"
    extension.parent.mkdir(parents=True)
    extension.write_text(add_stamp("".join(OLD), "//"))
    return extension


def test_a_file_of_an_earlier_version_gives_way(earlier: Path, tmp_path: Path) -> None:
    advice = "was written by another version of hkgit: hkgit init --agent pi"
    assert [*find_outdated(tmp_path)] == [(earlier, advice)]
    assert [step.action for step in install(tmp_path, "pi", "record")] == [Action.WROTE]
    assert [*find_outdated(tmp_path)] == []


def test_a_file_of_an_earlier_version_is_taken_away(earlier: Path, tmp_path: Path) -> None:
    remove(tmp_path, "pi")
    assert not earlier.exists()


def test_a_file_of_an_earlier_version_that_somebody_changed_stays(
    earlier: Path, tmp_path: Path
) -> None:
    earlier.write_text(f"{earlier.read_text()}// mine\n")
    [(path, advice)] = find_outdated(tmp_path)
    assert path == earlier
    assert advice.endswith("Move it away. Then: hkgit init --agent pi")
    [step] = install(tmp_path, "pi", "record")
    remove(tmp_path, "pi")
    assert step.action == Action.BLOCKED
    assert "is not as hkgit wrote it" in step.note
    assert earlier.read_text().endswith("// mine\n")


def test_a_written_file_says_its_own_hash() -> None:
    parts = [part for agent, mode in product(HOOKED, MODES) for part in list_parts(agent, mode)]
    files = [part for part in parts if isinstance(part, FilePart)]
    assert files
    for part in files:
        assert is_stamped(part.text), part.path
        assert not is_stamped(part.text.replace("hkgit", "hkgit ", 2)), part.path
        assert not is_stamped(f"{part.text} "), part.path


def test_hooks_in_settings_are_outdated_where_their_command_is_another(tmp_path: Path) -> None:
    install(tmp_path, "claude", "steer")
    settings = tmp_path / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(" --steer || true", " --steer"))
    advice = "was written by another version of hkgit: hkgit init --agent claude --mode steer"
    assert [*find_outdated(tmp_path)] == [(settings, advice)]
    install(tmp_path, "claude", "steer")
    assert [*find_outdated(tmp_path)] == []

"""Claude Code's sessions as its `--output-format stream-json` prints them, and nested lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.adopting import APP, NEW, adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("streams"), {"app.py": APP}, {"app.py": NEW})


@pytest.fixture
def log(repo: Repo) -> ClaudeLog:
    log = ClaudeLog(repo.path)
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    return log


def stream(log: ClaudeLog, parent: str | None = None) -> list[dict[str, Any]]:
    """The lines of a log as the program prints them: without times, the directory said once."""
    about = {"cwd": log.root, "claude_code_version": "2.1.330", "tools": []}
    lines: list[dict[str, Any]] = [{"type": "system", "subtype": "init"} | about]
    for line in map(json.loads, log.lines):
        printed = {"type": line["type"], "message": line["message"], "uuid": line["uuid"]}
        result = {"tool_use_result": line["toolUseResult"]} if "toolUseResult" in line else {}
        lines.append(printed | {"parent_tool_use_id": parent} | result)
    return [line | {"session_id": "5945-5d2e"} for line in [*lines, {"type": "result"}]]


def nest(log: ClaudeLog) -> list[dict[str, Any]]:
    """The lines of a sub-agent, as some versions repeat them in the log of its agent."""
    common = {"type": "progress", "sessionId": "5945-5d2e", "cwd": log.root, "version": "2.1.4"}
    moment = {"timestamp": "2024-05-06T10:00:00Z", "uuid": "x"}
    return [
        common
        | moment
        | {"data": {"type": "agent_progress", "agentId": "a1", "message": json.loads(line)}}
        for line in log.lines
    ]


def save(lines: list[dict[str, Any]], place: Path) -> Path:
    text = json.dumps(lines, indent=1) if place.suffix == ".json" else None
    place.write_text(text or "".join(f"{json.dumps(line)}\n" for line in lines))
    return place


def explain(repo: Repo, place: Path) -> list[tuple[Any, ...]]:
    answer = adopt(repo, place, "--working-tree", "-n")
    assert answer["changes"][0]["skipped"] == []
    return explained(answer, "agent")


@cases(
    "parent, name",
    {
        "a stream": (None, "printed.jsonl"),
        "a list": (None, "claude-execution-output.json"),
        "a sub-agent": ("toolu_01", "sub-agent.jsonl"),
    },
)
def test_what_the_program_printed_is_read_as_its_log(
    repo: Repo, log: ClaudeLog, tmp_path: Path, parent: str | None, name: str
) -> None:
    place = save(stream(log, parent), tmp_path / name)
    assert explain(repo, place) == [("app.py", [5, 5], "receipt", "claude-code/2.1.330")]


def test_a_sub_agent_without_a_log_of_its_own_is_read_from_its_agents(
    repo: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    place = save(nest(log), tmp_path / "log.jsonl")
    assert explain(repo, place) == [("app.py", [5, 5], "receipt", "claude-code/2.0.76")]


def test_a_sub_agent_that_two_logs_tell_of_counts_once(
    repo: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    save(nest(log), tmp_path / "logs.jsonl")
    own = [json.loads(line) | {"agentId": "a1", "isSidechain": True} for line in log.lines]
    later = [line | {"timestamp": "2024-05-06T10:00:09Z"} for line in own]
    save(later, tmp_path / "agent-a1.jsonl")
    assert len(explain(repo, tmp_path)) == 1

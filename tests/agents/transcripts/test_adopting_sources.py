"""Transcripts of other places, in odd states, of several agents: what is taken of them."""

import os
from pathlib import Path

import pytest

from tests.support.adopting import APP, NEW, adopt, commit, explained, mend, verdict
from tests.support.cases import cases
from tests.support.commands import AGENT
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import ClaudeLog

SECRET = "sk-live-0123456789abcdef"


def test_a_transcript_of_another_repository_explains_nothing(hooked: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    log = ClaudeLog(other.path)
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert answer["other_repositories"] == [str(other.path)]


@pytest.mark.parametrize("root", ["/Users/soph/Work/devenv/cli", f"/{'out of reach ' * 30}"])
def test_a_transcript_of_another_machine_is_told_by_its_paths(root: str, hooked: Repo) -> None:
    log = ClaudeLog(root, cwd=f"{root}/notes")
    log.read("notes/plan.md", "# Plan\n\n- one\n- two\n")
    log.edit("notes/plan.md", "- two", "- three")
    hooked.write("notes/plan.md", b"# Plan\n\n- one\n- three\n")
    assert explained(adopt(hooked, log)) == [("notes/plan.md", [4, 4], "receipt")]


@cases(
    "line",
    {
        "a time without end": '{"type": "user", "uuid": "x", "timestamp": Infinity}',
        "a call that is no name": '{"type": "session.start", "data": {"producer": "copilot-agent",'
        ' "toolRequests": [{"toolCallId": []}]}}',
        "a message that is no name": '{"info": {"directory": "/x"}, "messages": [{"parts":'
        ' [{"synthetic": true, "messageID": []}]}]}',
    },
)
def test_what_no_agent_writes_breaks_nothing(line: str, hooked: Repo, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(f"{line}\n")
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, tmp_path / "x.jsonl", code=6)
    assert answer["transcripts"][0]["form"] is not None


def test_a_log_may_begin_with_lines_of_nobody(hooked: Repo, log: ClaudeLog) -> None:
    log.lines[:0] = ['{"telemetry": 1}'] * 450
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    assert [each[:2] for each in explained(adopt(hooked, log))] == [("app.py", [5, 5])]


def test_a_log_in_no_known_form_is_said(hooked: Repo, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"hello": 1}\n')
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, tmp_path / "x.jsonl", code=6)
    assert answer["transcripts"][0]["form"] is None


def test_secrets_of_the_transcript_are_copied_nowhere(hooked: Repo, log: ClaudeLog) -> None:
    log.line("user", f"use the key {SECRET}")
    log.call("Bash", {"command": "cat .env"}, SECRET, {"stdout": SECRET})
    log.read(".env", f"KEY={SECRET}\n")
    mend(hooked, log)
    adopt(hooked, log)
    assert verdict(commit(hooked)) == (0, "strict")
    kept = [path for path in (hooked.path / ".git").rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert SECRET not in hooked.git("log", "-p", "--all", "--text")


def test_two_agents_at_once_each_explain_their_lines(hooked: Repo, tmp_path: Path) -> None:
    logs = [ClaudeLog(hooked.path, session) for session in ("first-1", "second-2")]
    plan = "# Plan\n\n- one\n- two\n"
    logs[0].read("notes/plan.md", plan)
    logs[1].time += 1
    logs[1].read("notes/plan.md", plan)
    logs[0].time += 10
    logs[0].edit("notes/plan.md", "- one", "- 1")
    logs[1].time += 30
    logs[1].edit("notes/plan.md", "- two", "- 2")
    for number, log in enumerate(logs):
        log.save(tmp_path / "logs" / f"{number}.jsonl")
    hooked.write("notes/plan.md", b"# Plan\n\n- 1\n- 2\n")
    answer = adopt(hooked, tmp_path / "logs")
    told = {(each["session"], *each["lines"]) for each in answer["changes"][0]["explained"]}
    assert told == {("recovered-first-1", 3, 3), ("recovered-second-2", 4, 4)}
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_session_that_was_resumed_counts_once(hooked: Repo, tmp_path: Path) -> None:
    log = ClaudeLog(hooked.path)
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    log.save(tmp_path / "logs" / "a.jsonl")
    log.edit("app.py", "sys.argv[1]", "sys.argv[2]")
    log.save(tmp_path / "logs" / "b.jsonl")
    hooked.write("app.py", NEW.replace("[1]", "[2]").encode())
    answer = adopt(hooked, tmp_path / "logs")
    assert answer["changes"][0]["entries"] == 2
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_sub_agent_has_readings_of_its_own(hooked: Repo, tmp_path: Path) -> None:
    helper = ClaudeLog(hooked.path, isSidechain=True, agentId="a1b2")
    helper.read("app.py", APP)
    helper.save(tmp_path / "logs" / "agent-a1b2.jsonl")
    log = ClaudeLog(hooked.path)
    log.time += 5
    log.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)", APP)
    log.save(tmp_path / "logs" / "main.jsonl")
    hooked.write("app.py", NEW.encode())
    assert explained(adopt(hooked, tmp_path / "logs")) == [("app.py", [5, 5], "none")]


def _work_unrecorded(repo: Repo, log: ClaudeLog, home: Path) -> dict[str, str]:
    """Change a file as a transcript in that home directory says; return where to find it."""
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    slug = "".join(c if c.isalnum() else "-" for c in str(repo.path))
    log.save(home / ".claude" / "projects" / slug / "5945-5d2e.jsonl")
    repo.write("app.py", NEW.encode())
    return {"HOME": str(home)}


def test_transcripts_of_this_checkout_are_found(
    hooked: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    home = _work_unrecorded(hooked, log, tmp_path / "home")
    found = run("adopt", "--working-tree", cwd=hooked.path, env=home)
    assert found.code == 0
    assert "1 of 1 changed line explained" in found.out
    none = run("adopt", "--from", "codex", cwd=hooked.path, env=home)
    assert none.code == 4
    assert "no agent logged work" in none.err


def test_they_are_looked_for_where_the_name_of_the_checkout_is_not_utf_8(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.commit({"app.py": APP.encode()})
    repo.write("app.py", NEW.encode())
    sessions = tmp_path / "home/.codex/sessions"
    sessions.mkdir(parents=True)
    (sessions / "rollout-1.jsonl").write_text('{"type": "session_meta", "payload": {}}\n')
    none = run("adopt", cwd=repo.path, env={"HOME": str(tmp_path / "home")})
    assert (none.code, "no agent logged work" in none.err) == (4, True)


def test_the_gate_names_adopt_where_a_transcript_explains_the_change(
    hooked: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    home = AGENT | _work_unrecorded(hooked, log, tmp_path / "home")
    hooked.git("add", "-A")
    refused = run("gate", "--staged", cwd=hooked.path, env=home)
    assert refused.code == 6
    assert "fix: hkgit adopt --staged" in refused.out
    assert run("adopt", "--staged", cwd=hooked.path, env=home).code == 0
    assert verdict(commit(hooked)) == (0, "strict")

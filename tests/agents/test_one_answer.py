"""A model that asks for a reading and an edit in one answer wrote the edit without having seen.

Agents make the calls of one answer one after the other, so hooks see the same as of two answers.
Which answer asked for a call the agent's transcript says, or the hook itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents import find_agent
from hkgit.agents.events import Editing
from hkgit.agents.live_transcript import find_last_turn, find_turn
from hkgit.agents.programs import claude, codex, gemini
from tests.agents.streaming import GREETING, replay, session, stream, told
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import ClaudeLog, CodexLog

Answers = Sequence[Sequence[str]]
"""The names of the calls that each answer of the model asks for."""


def _claude(answers: Answers) -> list[object]:
    """Each call is a line of its own, with the message that it is of."""
    return [
        {"type": "assistant", "message": {"id": f"msg_{number}", "content": [_use(call)]}}
        for number, calls in enumerate(answers)
        for call in calls
    ]


def _use(call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Tool", "input": {}}


def _qwen(answers: Answers) -> list[object]:
    return [
        {"type": "assistant", "uuid": f"u{number}", "message": {"parts": [*map(_function, calls)]}}
        for number, calls in enumerate(answers)
    ]


def _function(call: str) -> dict[str, Any]:
    return {"functionCall": {"id": call, "name": "tool"}}


def _codex(answers: Answers) -> list[object]:
    """The calls of an answer, then what came of them."""
    kinds = ("custom_tool_call", "custom_tool_call_output")
    return [
        {"type": "response_item", "payload": {"type": kind, "call_id": call}}
        for calls in answers
        for kind in kinds
        for call in calls
    ]


def _gemini(answers: Answers) -> list[object]:
    """The calls of an answer are written down once all of them are made."""
    return [{"type": "gemini", "id": f"m{number}"} for number, _ in enumerate(answers)]


def _copilot(answers: Answers) -> list[object]:
    return [
        {"type": "assistant.message", "data": {"messageId": f"m{number}"}}
        for number, _ in enumerate(answers)
    ]


TRANSCRIPTS: dict[str, Callable[[Answers], list[object]]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "qwen": _qwen,
}
TOLD = {"cline": "iteration", "kilo": "turn", "opencode": "turn", "pi": "turn"}
"""Where the hook is told which answer it is."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "copilot"))


def _play(agent: str, repo: Repo, tmp_path: Path, answers: Answers) -> None:
    """Give the hooks what they were given of a reading and an edit, in as many answers."""
    lines = _find_reading_and_edit(agent, repo)
    done: list[list[str]] = []
    calls = [(number, call) for number, calls in enumerate(answers) for call in calls]
    inputs = [line for line in lines if "input" in line]
    for line in lines:
        if "input" in line:
            number, call = calls[0 if line is inputs[0] else 1]
            done = [[*each] for each in answers[: number + 1]]
            _name(agent, line["input"], call, number, _save(agent, done, line["input"], tmp_path))
        replay(agent, repo, lines=[line])


def _find_reading_and_edit(agent: str, repo: Repo) -> list[dict[str, Any]]:
    """The hook after the first reading, and those around the first edit, with what it writes."""
    module = find_agent(agent)
    kept: list[dict[str, Any]] = []
    for line in stream(agent, repo):
        event = module.read_event(line["input"]) if "input" in line else None
        if event is None:
            kept += [line] if "disk" in line else []
        elif isinstance(event.did, Editing):
            kept.append(line)
            if not event.is_before:
                return kept
        elif not event.is_before:
            kept = [line]
    raise AssertionError(f"the stream of {agent} has no edit")


def _save(agent: str, answers: Answers, payload: dict[str, Any], folder: Path) -> Path:
    """Write the transcript as far as the program has got."""
    place = folder / "transcript.jsonl"
    if agent == "copilot":
        place = folder / "copilot/session-state" / payload["sessionId"] / "events.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
    if agent in TRANSCRIPTS:
        lines = [json.dumps(each) for each in TRANSCRIPTS[agent](answers)]
        place.write_text("\n".join(lines) + "\n")
    return place


def _name(agent: str, payload: dict[str, Any], call: str, number: int, place: Path) -> None:
    payload |= {"tool_use_id": call, "tool_call_id": call, "transcript_path": str(place)}
    if agent in TOLD:
        payload[TOLD[agent]] = f"{number + 1}"


@pytest.mark.parametrize("agent", sorted({*TRANSCRIPTS, *TOLD}))
def test_what_an_answer_reads_its_own_edit_has_not_seen(
    agent: str, greeting: Repo, tmp_path: Path
) -> None:
    _play(agent, greeting, tmp_path, [["call_read", "call_edit"]])
    assert session(greeting).blind == 1


@pytest.mark.parametrize("agent", sorted({*TRANSCRIPTS, *TOLD}))
def test_what_an_answer_reads_the_edit_of_the_next_has_seen(
    agent: str, greeting: Repo, tmp_path: Path
) -> None:
    _play(agent, greeting, tmp_path, [["call_read"], ["call_edit"]])
    status = session(greeting)
    assert (status.uncommitted, status.blind) == (1, 0)


def test_a_sub_agent_is_looked_for_in_a_transcript_of_its_own(
    greeting: Repo, tmp_path: Path
) -> None:
    """In its agent's the last answer is the one that has started it."""
    started = tmp_path / "c0ffee.jsonl"
    started.write_text(json.dumps(_claude([["call_agent"]])[0]) + "\n")
    own = tmp_path / "c0ffee/subagents/agent-a1.jsonl"
    own.parent.mkdir(parents=True)
    lines = _find_reading_and_edit("claude", greeting)
    for line in lines:
        if "input" in line:
            call = "call_read" if line is lines[0] else "call_edit"
            about = {"agent_id": "a1", "transcript_path": str(started), "tool_use_id": call}
            line["input"] |= about
            asked = [["call_read", "call_edit"]]
            own.write_text("\n".join(map(json.dumps, _claude(asked))) + "\n")
        replay("claude", greeting, lines=[line])
    assert session(greeting).blind == 1


@pytest.mark.parametrize("size", [0, 2**18 - 40, 2**18, 3 * 2**18 + 7])
def test_an_answer_is_found_behind_a_long_line(size: int, tmp_path: Path) -> None:
    place = tmp_path / "transcript.jsonl"
    asked = json.dumps(_claude([["call_1"]])[0])
    place.write_text(f"{asked}\n{json.dumps({'said': 'x' * size})}\n{{cut off")
    [log] = claude.AGENT.logs
    assert find_turn(log, place, "call_1") == "msg_0"
    assert find_turn(log, place, "call_2") == ""


def test_a_change_that_codex_tells_before_its_call_has_ended_is_of_the_same_answer(
    tmp_path: Path,
) -> None:
    """Its line has the id of the call, and stands behind what other calls have answered."""
    read, edit, shown, _ = _codex([["call_read", "call_edit"]])
    change = {"type": "add", "content": "a\n"}
    item = {"type": "FileChange", "id": "call_edit", "status": "completed"}
    made = {"type": "item_completed", "item": item | {"changes": {"a.py": change}}}
    place = tmp_path / "transcript.jsonl"
    lines = [read, edit, shown, {"type": "event_msg", "payload": made}]
    place.write_text("\n".join(map(json.dumps, lines)))
    [log] = codex.AGENT.logs
    assert find_turn(log, place, "call_edit") == "first"


@pytest.mark.parametrize("text", ["", "[1]\n", '"gemini"\n{"type": 7}\n', "\0\n" * 9])
def test_a_transcript_that_says_nothing_names_no_answer(text: str, tmp_path: Path) -> None:
    place = tmp_path / "transcript.jsonl"
    place.write_text(text)
    assert find_turn(gemini.LOG, place, "gemini") == ""
    assert find_last_turn(gemini.LOG, place) == ""
    assert find_last_turn(gemini.LOG, tmp_path / "missing") == ""


def test_an_edit_that_its_own_answer_has_read_is_told_to_be_blind(
    greeting: Repo, tmp_path: Path
) -> None:
    place = tmp_path / "transcript.jsonl"
    place.write_text("\n".join(map(json.dumps, _claude([["call_read", "call_edit"]]))))
    answers = []
    for line in _find_reading_and_edit("claude", greeting):
        for name, content in line.get("disk", {}).items():
            greeting.write(name, content.encode())
        if "input" in line:
            is_edit = line["input"]["tool_name"] == "Edit"
            line["input"]["transcript_path"] = str(place)
            line["input"]["tool_use_id"] = "call_edit" if is_edit else "call_read"
            answers.append(str(told("claude", line["input"])))
    assert "greet.py:2-2 was not read before it" in answers[-1]


class TestInTranscripts:
    """`hkgit adopt` reads the same of logs."""

    NEW = GREETING.decode().replace("Helo", "Hello")

    @pytest.mark.parametrize(("is_one", "evidence"), [(True, "quote"), (False, "receipt")])
    def test_of_claude_code(
        self, is_one: bool, evidence: str, greeting: Repo, tmp_path: Path
    ) -> None:
        log = ClaudeLog(greeting.path)
        log.read("greet.py", GREETING.decode())
        line = '    print("{}, " + name)\n'
        log.edit("greet.py", line.format("Helo"), line.format("Hello"), GREETING.decode())
        records = [json.loads(line) for line in log.lines]
        for number, record in enumerate(records):
            record["message"]["id"] = "msg_0" if is_one else f"msg_{number // 2}"
        log.lines = [json.dumps(each) for each in records]
        assert _find_evidence(greeting, log.save(tmp_path / "log.jsonl"), self.NEW) == [evidence]

    @pytest.mark.parametrize(("is_one", "evidence"), [(True, "quote"), (False, "receipt")])
    def test_of_codex(self, is_one: bool, evidence: str, greeting: Repo, tmp_path: Path) -> None:
        log = CodexLog(greeting.path)
        log.shell("cat greet.py", GREETING.decode())
        line = '    print("{}, " + name)\n'
        change = f"-{line.format('Helo')}+{line.format('Hello')}"
        head = f"*** Begin Patch\n*** Update File: greet.py\n@@\n{change}"
        log.patch(f"{head}*** End Patch\n")
        if is_one:  # both calls stand before what came of the first
            about, asked, shown, *rest = log.lines
            log.lines = [about, asked, rest[0], shown, *rest[1:]]
        assert _find_evidence(greeting, log.save(tmp_path / "log.jsonl"), self.NEW) == [evidence]


def _find_evidence(repo: Repo, log: Path, new: str) -> list[str]:
    repo.write("greet.py", new.encode())
    result = run("adopt", "-n", "--from", log, "--json", cwd=repo.path)
    [change] = result.json()["changes"]
    return [each["evidence"] for each in change["explained"]]

"""A model that asks for a reading and an edit in one answer wrote the edit without having seen.

Agents make the calls of one answer one after the other, so hooks see the same as of two answers.
Which answer asked for a call the agent's transcript says, or the hook itself.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from hkgit.agents.events import Editing
from hkgit.agents.log_files import find_last_turn, find_turn, wait_for_turn
from hkgit.agents.programs import claude, codex, copilot, gemini
from tests.agents.streaming import GREETING, list_calls, replay, session
from tests.support.adopting import adopt, explained
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog, CodexLog

OLD, NEW = (f'    print("{word}, " + name)\n' for word in ("Helo", "Hello"))

Answers = Sequence[Sequence[str]]
"""The names of the calls that each answer of the model asks for."""


def _use(call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Tool", "input": {}}


def _claude(answers: Answers) -> list[object]:
    """Each call is a line of its own, with the message that it is of."""
    return [
        {"type": "assistant", "message": {"id": f"msg_{number}", "content": [_use(call)]}}
        for number, calls in enumerate(answers)
        for call in calls
    ]


def _qwen(answers: Answers) -> list[object]:
    parts = [[{"functionCall": {"id": call, "name": "tool"}} for call in x] for x in answers]
    return [
        {"type": "assistant", "uuid": f"u{number}", "message": {"parts": each}}
        for number, each in enumerate(parts)
    ]


def _codex(answers: Answers) -> list[object]:
    """The calls of an answer, then what came of them."""
    kinds = ("custom_tool_call", "custom_tool_call_output")
    return [
        {"type": "response_item", "payload": {"type": kind, "call_id": call}}
        for calls in answers
        for kind in kinds
        for call in calls
    ]


TRANSCRIPTS: dict[str, Callable[[Answers], list[object]]] = {
    "claude": _claude,
    "codex": _codex,
    # The calls of an answer are written down once all of them are made.
    "gemini": lambda answers: [{"type": "gemini", "id": f"m{at}"} for at in range(len(answers))],
    "qwen": _qwen,
}


def _copilot(answers: Answers, payloads: Mapping[str, Mapping[str, Any]]) -> list[object]:
    """Its hook is told the words of a call, not which one it is."""
    asked = {
        call: {"name": each["toolName"], "arguments": each["toolArgs"]}
        for call, each in payloads.items()
    }
    return [
        {"type": "assistant.message", "data": {"messageId": f"m{at}", "toolRequests": requests}}
        for at, requests in enumerate([asked[call] for call in calls] for calls in answers)
    ]


TOLD = {"cline": "iteration", "kilo": "turn", "opencode": "turn", "pi": "turn"}
"""Where the hook is told which answer it is."""


def _find_reading_and_edit(agent: str, repo: Repo) -> list[dict[str, Any]]:
    """The hook after the first reading, and those around the first edit, with what it writes."""
    kept: list[dict[str, Any]] = []
    for line, event in list_calls(agent, repo):
        if event is None:
            kept += [line] if "disk" in line else []
        elif isinstance(event.did, Editing):
            kept.append(line)
            if not event.is_before:
                return kept
        elif not event.is_before:
            kept = [line]
    raise AssertionError(f"the stream of {agent} has no edit")


def _write(place: Path, lines: Sequence[object]) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return place


@pytest.mark.parametrize("is_one", [True, False], ids=["one answer", "two answers"])
@pytest.mark.parametrize("agent", sorted({*TRANSCRIPTS, *TOLD}))
def test_only_what_an_earlier_answer_has_read_an_edit_has_seen(
    agent: str, is_one: bool, greeting: Repo, tmp_path: Path
) -> None:
    """Before each hook the transcript is written as far as the program has got."""
    answers = [["call_read", "call_edit"]] if is_one else [["call_read"], ["call_edit"]]
    reading, *edit = _find_reading_and_edit(agent, greeting)
    for line in (reading, *edit):
        number = 0 if line is reading else len(answers) - 1
        if (payload := line.get("input")) is not None:
            place = tmp_path / "transcript.jsonl"
            call = "call_read" if line is reading else "call_edit"
            payload |= {"tool_use_id": call, "tool_call_id": call, "transcript_path": str(place)}
            if agent in TOLD:
                payload[TOLD[agent]] = f"{number + 1}"
            else:
                _write(place, TRANSCRIPTS[agent](answers[: number + 1]))
        replay(agent, greeting, lines=[line])
    status = session(greeting)
    assert (status.uncommitted, status.blind) == (1, is_one)


@pytest.mark.parametrize("is_one", [True, False], ids=["one answer", "two answers"])
def test_the_log_of_copilot_may_come_after_the_hook(
    is_one: bool, greeting: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes its log beside its hooks, on a busy machine a moment later."""
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "copilot"))
    answers = [["call_read", "call_edit"]] if is_one else [["call_read"], ["call_edit"]]
    lines = _find_reading_and_edit("copilot", greeting)
    told = [line["input"] for line in lines if "input" in line]
    log = _copilot(answers, {"call_read": told[0], "call_edit": told[-1]})
    place = tmp_path / "copilot/session-state" / told[0]["sessionId"] / "events.jsonl"
    _write(place, [{"type": "session.start", "data": {}}])
    for number, line in enumerate(lines):
        late = Timer(0.2, _write, (place, log if number else log[:1]))
        late.start()
        replay("copilot", greeting, lines=[line])
        late.join()
    status = session(greeting)
    assert (status.uncommitted, status.blind) == (1, is_one)


def test_a_log_that_is_not_there_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks of Copilot also run outside of the terminal, whose log this is."""
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits"))
    place = tmp_path / "events.jsonl"
    assert wait_for_turn(place, lambda: find_last_turn(copilot.LOG, place)) == ""


def test_a_sub_agent_is_looked_for_in_a_transcript_of_its_own(
    greeting: Repo, tmp_path: Path
) -> None:
    """In its agent's the last answer is the one that has started it."""
    started = _write(tmp_path / "c0ffee.jsonl", _claude([["call_agent"]]))
    asked = _claude([["call_read", "call_edit"]])
    _write(tmp_path / "c0ffee/subagents/agent-a1.jsonl", asked)
    lines = _find_reading_and_edit("claude", greeting)
    about = {"agent_id": "a1", "transcript_path": str(started), "tool_use_id": "call_edit"}
    for line in lines:
        if "input" in line:
            line["input"] |= about
    lines[0]["input"]["tool_use_id"] = "call_read"
    replay("claude", greeting, lines=lines)
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
    lines = [read, edit, shown, {"type": "event_msg", "payload": made}]
    place = _write(tmp_path / "transcript.jsonl", lines)
    [log] = codex.AGENT.logs
    assert find_turn(log, place, "call_edit") == "first"


@pytest.mark.parametrize("text", ["", "[1]\n", '"gemini"\n{"type": 7}\n', "\0\n" * 9])
def test_a_transcript_that_says_nothing_names_no_answer(text: str, tmp_path: Path) -> None:
    place = tmp_path / "transcript.jsonl"
    place.write_text(text)
    assert find_turn(gemini.LOG, place, "gemini") == ""
    assert find_last_turn(gemini.LOG, place) == ""
    assert find_last_turn(gemini.LOG, tmp_path / "missing") == ""


def _log_of_claude(repo: Repo, is_one: bool) -> ClaudeLog:
    log = ClaudeLog(repo.path)
    log.read("greet.py", GREETING.decode())
    log.edit("greet.py", OLD, NEW, GREETING.decode())
    records = [json.loads(line) for line in log.lines]
    for number, record in enumerate(records):
        record["message"]["id"] = "msg_0" if is_one else f"msg_{number // 2}"
    log.lines = [json.dumps(each) for each in records]
    return log


def _log_of_codex(repo: Repo, is_one: bool) -> CodexLog:
    log = CodexLog(repo.path)
    log.shell("cat greet.py", GREETING.decode())
    head = f"*** Begin Patch\n*** Update File: greet.py\n@@\n-{OLD}+{NEW}"
    log.patch(f"{head}*** End Patch\n")
    if is_one:  # both calls stand before what came of the first
        about, asked, shown, *rest = log.lines
        log.lines = [about, asked, rest[0], shown, *rest[1:]]
    return log


@pytest.mark.parametrize("is_one", [True, False], ids=["one answer", "two answers"])
@pytest.mark.parametrize("make_log", [_log_of_claude, _log_of_codex])
def test_adopt_reads_the_same_of_logs(
    make_log: Callable[[Repo, bool], ClaudeLog | CodexLog], is_one: bool, greeting: Repo
) -> None:
    log = make_log(greeting, is_one)
    greeting.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    evidence = "quote" if is_one else "receipt"
    assert explained(adopt(greeting, log, "-n")) == [("greet.py", [2, 2], evidence)]

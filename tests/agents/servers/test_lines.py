"""`hkgit serve --stdio`: JSON-RPC 2.0, one message a line, whatever comes."""

import json
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.json_rpc import Lines, serve
from hkgit.cli.schema import find_schema
from hkgit.evidence.refusal_log import RefusalLog
from tests.agents.servers.clients import MEND, request, wired
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run, script


def spoken(root: Path, *lines: str | bytes | dict[str, Any]) -> list[Any]:
    """What is answered to some lines, in the order of the answers."""
    said = (json.dumps(line) if isinstance(line, dict) else line for line in lines)
    given = b"\n".join(line.encode() if isinstance(line, str) else line for line in said)
    outgoing = BytesIO()
    serve(Connection(root, None), Lines(BytesIO(given), outgoing))
    return [json.loads(line) for line in outgoing.getvalue().splitlines()]


def in_turn(cwd: Path, *lines: dict[str, Any]) -> list[Any]:
    """What is answered to lines, each sent when the one before it has been answered."""
    with wired(cwd, "serve", "--stdio", "--agent", "robot/1") as wire:
        return [wire.ask(line) for line in lines]


def test_a_server_that_is_killed_while_it_commits_breaks_nothing(greeting: Repo) -> None:
    started, killed = (greeting.path.parent / name for name in ("started", "killed"))
    greeting.write_hook(
        "pre-commit",
        f"[ -e '{started.as_posix()}' ] && exit 0\n"
        f"touch '{started.as_posix()}'\n"
        f"until [ -e '{killed.as_posix()}' ]; do sleep 0.05; done\n",
    )
    with wired(greeting.path, "serve", program=script("hkgit")) as wire:
        wire.send(request(1, "apply", text=MEND))
        while not started.exists():
            time.sleep(0.02)
        wire.process.kill()
    killed.touch()
    [answer] = spoken(greeting.path, request(1, "apply", text=MEND))
    assert answer["result"]["status"] == "applied"
    assert greeting.status() == []


def test_each_call_answers_with_its_published_document(greeting: Repo) -> None:
    """To a server of its own; its commit names the agent and the evidence."""
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("read", "read", {"path": "greet.py", "hashline": True}),
        ("edit", "answer", {"text": MEND}),
        ("undo", "undo", {}),
        ("read", "read", {"path": "greet.py"}),
        ("apply", "answer", {"text": MEND}),
        ("status", "status", {}),
    ]
    lines = [request(number, name, **given) for number, (name, _, given) in enumerate(calls)]
    ping, *answers = in_turn(greeting.path, request("ping", "ping"), *lines)
    for (_, schema, _), answer in zip(calls, answers, strict=True):
        Draft202012Validator(find_schema(schema)).validate(answer["result"])
    assert ping["result"]["session"] == answers[-1]["result"]["session"]
    message = greeting.git("log", "-1", "--format=%B")
    assert "Hkgit-Agent: robot/1" in message
    assert "receipt=1" in message


def test_a_refusal_is_an_error_with_the_answer_in_it(greeting: Repo) -> None:
    text = json.dumps({"file": "greet.py", "old_text": "nothing like it", "new_text": "x"})
    [answer] = spoken(greeting.path, request("a", "edit", text=text))
    Draft202012Validator(find_schema("answer")).validate(answer["error"]["data"])
    assert answer["id"] == "a"
    assert answer["error"]["code"] == -32000


@cases(
    "line, code",
    {
        "no JSON": ("{", -32700),
        "brackets without end": ("[" * 100_000, -32700),
        "no UTF-8": (b"\xff", -32700),
        "an empty batch": ("[]", -32600),
        "a number": ("7", -32600),
        "no method": ('{"id": 1}', -32600),
        "an id that is none": ('{"id": {}, "method": "ping"}', -32600),
        "an unknown method": (request(1, "format"), -32601),
        "params in order": ('{"id": 1, "method": "read", "params": [1]}', -32602),
        "a path above": (request(1, "read", path="../x"), -32000),
        "half a character": ('{"id": 1, "method": "read", "params": {"path": "\\ud800"}}', -32602),
        "half a character in a spec": (
            r'{"id": 1, "method": "edit", "params": {"text": {"a": "\ud800"}}}',
            -32602,
        ),
        "half a character in a name": (
            r'{"id": 1, "method": "undo", "params": {"call": "\ud800"}}',
            -32602,
        ),
        "an id without end": ('{"id": 1e400, "method": "ping"}', -32600),
        "an id that JSON does not know": ('{"id": NaN, "method": "ping"}', -32700),
    },
)
def test_what_cannot_be_done_is_an_error_and_the_next_line_is_answered(
    repo: Repo, line: str | bytes | dict[str, Any], code: int
) -> None:
    answers = spoken(repo.path, line, request("next", "ping"))
    codes = {str(each.get("id")): each.get("error", {}).get("code") for each in answers}
    faults = [each for each in answers if "fault" in str(each)]
    assert codes.pop("next") is None
    assert list(codes.values()) == [code]
    assert faults == []


def test_a_request_that_cannot_be_answered_is_not_done(greeting: Repo) -> None:
    before = greeting.read("greet.py")
    text = {"file_path": "greet.py", "content": "pass\n"}
    done = request({"a": 1}, "edit", text=text)
    [answer] = spoken(greeting.path, done)
    assert answer["error"]["code"] == -32600
    assert greeting.read("greet.py") == before
    spoken(greeting.path, {**done, "id": 1})
    assert greeting.read("greet.py") != before


def test_a_refused_commit_is_kept_in_the_record(greeting: Repo) -> None:
    text = json.dumps({**json.loads(MEND), "expected_hash": "0" * 12})
    [answer] = spoken(greeting.path, request(1, "apply", text=text))
    kept = RefusalLog.of(greeting.path / ".git").read()
    assert answer["error"]["data"]["status"] == "stale"
    assert len(kept) == 1


def test_a_hook_neither_takes_a_request_nor_prints_between_the_answers(greeting: Repo) -> None:
    greeting.write_hook("pre-commit", "cat\necho noise\n")
    lines = request(1, "apply", text=MEND), request(2, "ping")
    assert [answer["id"] for answer in in_turn(greeting.path, *lines)] == [1, 2]


def test_a_notification_is_not_answered(repo: Repo) -> None:
    line = '{"jsonrpc": "2.0", "method": "status"}'
    assert [each["id"] for each in spoken(repo.path, line, request(1, "ping"))] == [1]


@pytest.mark.parametrize("answer", ['"result": {}', '"error": {"code": 1, "message": "no"}'])
def test_an_answer_that_nobody_waits_for_is_not_answered(answer: str, repo: Repo) -> None:
    line = f'{{"jsonrpc": "2.0", "id": "hkgit-9", {answer}}}'
    assert [each["id"] for each in spoken(repo.path, line, request(1, "ping"))] == [1]


def test_a_fault_is_an_error_and_the_next_line_is_answered(repo: Repo) -> None:
    outgoing = BytesIO()
    lines = "".join(f"{json.dumps(request(id, 'x'))}\n" for id in (1, 2)).encode()

    def fail(method: str, params: object) -> None:
        raise KeyError(method)

    Lines(BytesIO(lines), outgoing).serve(fail)
    answers = map(json.loads, outgoing.getvalue().splitlines())
    assert [each["error"]["code"] for each in answers] == [-32603, -32603]


def test_a_batch_is_answered_as_one(repo: Repo) -> None:
    [answers] = spoken(repo.path, json.dumps([request(1, "ping"), request(2, "status")]))
    assert [each["id"] for each in answers] == [1, 2]


def test_many_requests_at_once_all_land(repo: Repo) -> None:
    count = 20
    repo.commit({"list.txt": "".join(f"line {n} here\n" for n in range(count))})
    edits = [
        {"file": "list.txt", "old_text": f"line {n} here", "new_text": f"line {n} done"}
        for n in range(count)
    ]
    lines = [request(n, "edit", text=json.dumps(edit)) for n, edit in enumerate(edits)]
    answers = spoken(repo.path, *lines)
    assert {each["id"] for each in answers if "result" in each} == set(range(count))
    assert repo.read("list.txt").count(b"done") == count


def test_the_command_line_and_the_server_read_alike(greeting: Repo) -> None:
    [answer] = spoken(greeting.path, request(1, "read", path="greet.py"))
    printed = run("read", "greet.py", "--json", "--session", "s", cwd=greeting.path).json()
    assert printed == answer["result"]


@pytest.mark.parametrize("flags", [(), ("--stdio",)], ids=["no flag", "--stdio"])
def test_serve_has_one_mode_and_needs_no_flag(tmp_path: Path, flags: tuple[str, ...]) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    done = run("serve", *flags, cwd=tmp_path, stdin=f"{ping}\n".encode())
    assert done.code == 0
    assert done.json()["id"] == 1
    assert "result" in done.json()

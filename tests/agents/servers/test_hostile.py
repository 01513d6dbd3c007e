"""Arguments that no tool takes, and paths that lead elsewhere: refused, one by one, and no harm."""

import json
import signal
import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.replies import Reply
from hkgit.cli.schema import find_schema
from tests.agents.servers.clients import request, wired
from tests.support.repos import Repo
from tests.support.running import script

EDIT = {"file": "a.txt", "old_text": "one", "new_text": "two"}


def _edit(**changed: Any) -> dict[str, Any]:
    return {"text": json.dumps(EDIT | changed)}


CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown tool": ("format", {}, "is not a tool"),
    "no path": ("read", {}, "argument path: is missing"),
    "a path that is null": ("read", {"path": None}, "argument path: is missing"),
    "a path that is a number": ("read", {"path": 7}, "expected a string, found 7"),
    "a path above": ("read", {"path": "../outside.txt"}, "outside"),
    "an absolute path": ("read", {"path": "/etc/passwd"}, "is outside the roots"),
    "a path of git's own": ("read", {"path": ".git/config"}, ".git"),
    "a path of git's own in capitals": ("read", {"path": ".GIT/config"}, ".GIT"),
    "a NUL in a path": ("read", {"path": "a.txt\0b"}, "holds a NUL"),
    "an empty path": ("read", {"path": ""}, "path"),
    "a path that is too long": ("read", {"path": "a/" * 5000 + "a"}, "long"),
    "a link that leads outside": ("read", {"path": "link"}, "symbolic link"),
    "a file that is not there": ("read", {"path": "none.txt"}, "there is no such file"),
    "a directory": ("read", {"path": "folder"}, "is a directory"),
    "line 0": ("read", {"path": "a.txt", "start_line": 0}, "expected an integer from 1, found 0"),
    "a line past the end": ("read", {"path": "a.txt", "start_line": 9}, "past the last line"),
    "a huge line": ("read", {"path": "a.txt", "start_line": 10**30}, "past the last line"),
    "a line that is true": (
        "read",
        {"path": "a.txt", "start_line": True},
        "expected an integer from 1, found True",
    ),
    "an argument of another tool": ("read", {"path": "a.txt", "text": "x"}, "argument text"),
    "text that is no text": ("edit", {"text": 7}, "expected a string, found 7"),
    "text without edits": ("edit", {"text": ""}, "unknown dialect"),
    "an unknown notation": ("edit", _edit() | {"format": "sed"}, "expected one of auto"),
    "a threshold above 1": ("edit", _edit() | {"threshold": 1.5}, "expected a number from 0 to 1"),
    "an expectation that is none": ("edit", _edit() | {"expect": ["a.txt"]}, "--expect"),
    "expectations that are numbers": (
        "edit",
        _edit() | {"expect": [1]},
        "argument expect[0]: expected a string",
    ),
    "an edit outside": ("edit", _edit(file="../outside.txt"), "outside"),
    "an edit of git's own": ("edit", _edit(file=".git/config"), ".git"),
    "an edit through a link": ("edit", _edit(file="link"), "link"),
    "a NUL in an edit's path": ("edit", _edit(file="a\0b"), "control"),
    "a commit outside": ("apply", _edit(file="../outside.txt"), "outside"),
    "a message with a trailer": ("apply", _edit() | {"message": "x\n\nHkgit-Entry: y"}, "Hkgit-"),
    "an option as a branch": ("apply", _edit() | {"branch": "--force"}, "--force"),
    "an option as a base": ("apply", _edit() | {"base": "--all"}, "--all"),
    "an unknown call to undo": ("undo", {"call": "99"}, "99"),
    "a call that is no number": ("undo", {"call": "../.."}, "../.."),
    "a root that is another": ("status", {"root": "/"}, "not one of the roots"),
    "a session that leads elsewhere": ("status", {"session": "../x"}, "not a valid session name"),
    "a NUL in a root": ("status", {"root": "/\0"}, "not one of the roots"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reply]:
    """What one connection answers to all of them, the last call being an honest one."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "outside.txt").write_text("one\n")
    repo = Repo.init(folder / "repo")
    (repo.path / "link").symlink_to("../outside.txt")
    repo.commit({"a.txt": "one\n", "folder/b.txt": "b\n"})
    connection = Connection(repo.path, None)
    found = {name: connection.answer(tool, asked) for name, (tool, asked, _) in CASES.items()}
    found[""] = connection.answer("edit", _edit())
    assert (folder / "outside.txt").read_text() == "one\n"
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_with_what_is_wrong(name: str, answers: dict[str, Reply]) -> None:
    answer = answers[name]
    assert answer.is_error is True, answer.text
    assert CASES[name][2] in answer.text, answer.text
    Draft202012Validator(find_schema("refusal")).validate(answer.document)
    assert answer.document["status"] != "fault"


def test_an_honest_call_still_works_after_them(answers: dict[str, Reply]) -> None:
    assert answers[""].document["status"] == "applied"


def test_lines_that_are_no_messages_end_nothing(repo: Repo) -> None:
    client = {"name": "x", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    call = request(0, "tools/call", name="status", arguments=[])
    with wired(repo.path, "mcp") as wire:
        for line in (b"nonsense", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"", call):
            wire.send(line)
        wire.send(request(1, "initialize", **hello))
        wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        wire.send(request(2, "tools/call", name="status"))
        answers = {each.get("id"): each for each in (wire.hear() for _ in range(6))}
    assert answers[0]["result"]["isError"] is True
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert "receipts" in answers[2]["result"]["structuredContent"]


ROOTS = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}


def test_a_client_that_does_not_tell_its_roots_is_asked_again_when_they_change(repo: Repo) -> None:
    (repo.path / "sub").mkdir()
    status = request(1, "tools/call", name="read", arguments={"path": "a.txt"})
    repo.commit({"a.txt": "one\n"})
    found = []
    with wired(repo.path, "mcp") as wire:
        wire.ask(request(0, "initialize", capabilities={"roots": {}}))
        outside = {"roots": [{"uri": (repo.path / "sub").as_uri()}]}
        for told in ({"error": {"code": -32601, "message": "no"}}, {"result": outside}):
            asked = wire.ask(status)
            answer = wire.ask({"jsonrpc": "2.0", "id": asked["id"], **told})
            found.append((asked["method"], answer["result"]["isError"]))
            wire.send(ROOTS)
    assert found == [("roots/list", False), ("roots/list", True)]


CALLS: dict[str, dict[str, Any]] = {
    "mcp": request(1, "tools/call", name="apply", arguments=_edit()),
    "serve": request(1, "apply", **_edit()),
}


@pytest.mark.parametrize("command", CALLS)
def test_a_server_that_is_told_to_end_does_so_once_its_calls_have(command: str, repo: Repo) -> None:
    """It does not wait for its client, which goes on listening."""
    begun, told = (repo.path.parent / name for name in ("begun", "told"))
    repo.commit({"a.txt": "one\n"})
    repo.write_hook("pre-commit", f"touch '{begun}'\nuntil [ -e '{told}' ]; do sleep 0.05; done\n")
    with wired(repo.path, command, program=script("hkgit")) as wire:
        wire.send(CALLS[command])
        while not begun.exists():
            time.sleep(0.02)
        wire.process.terminate()
        told.touch()
        assert "applied" in str(wire.hear())
        assert wire.process.wait(timeout=60) == 128 + signal.SIGTERM
    assert repo.git("show", "HEAD:a.txt") == "two"

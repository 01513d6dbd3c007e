"""Edits that an agent tells when they may be made already, and those that its hooks tell too."""

import json
from pathlib import Path
from typing import Any

from hkgit.agents.acp.messages import AGENT, EDITOR
from hkgit.agents.acp.relay import Relay
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import Status
from tests.agents.streaming import GREETING, replay, stream, told
from tests.support.repos import Repo

MENDED = GREETING.replace(b"Helo", b"Hello")
LINE, NEW = '    print("Helo, " + name)', '    print("Hello, " + name)'


class Conversation:
    """What an agent tells an editor of a checkout, through the proxy."""

    def __init__(self, repo: Repo, name: str = "s") -> None:
        self.repo = repo
        self.reports: list[str] = []
        self._name = name
        self._relay = Relay(repo.path, "agent", self.reports.append)
        asked = {"id": 1, "method": "session/new", "params": self._named(cwd=str(repo.path))}
        self._say(asked, EDITOR)
        self._say({"id": 1, "result": {"sessionId": name}})

    def _named(self, **more: object) -> dict[str, object]:
        return {"sessionId": self._name, **more}

    def _say(self, message: object, side: str = AGENT) -> None:
        self._relay._record(json.dumps(message).encode(), side)

    def tell(self, kind: str, status: str, name: str = "t", **more: object) -> None:
        """A message about a call of a tool."""
        update = {"toolCallId": name, "kind": kind, "status": status, **more}
        self._say({"method": "session/update", "params": self._named(update=update)})

    def at(self, path: str = "greet.py") -> list[dict[str, str]]:
        return [{"path": str(self.repo.path / path)}]

    def diff(self, old: str, new: str, path: str = "greet.py") -> list[dict[str, Any]]:
        place = str(self.repo.path / path)
        return [{"type": "diff", "path": place, "oldText": old, "newText": new}]

    def read(self, data: bytes) -> None:
        self.tell("read", "completed", "r", locations=self.at(), rawOutput=data.decode())

    def status(self, session: str) -> Status:
        return EditSession.open(self.repo.path, session).status()


def test_an_edit_that_is_made_before_it_is_told_is_recorded(greeting: Repo) -> None:
    talk = Conversation(greeting)
    talk.read(GREETING)
    greeting.write("greet.py", MENDED)
    talk.tell("edit", "in_progress", locations=talk.at())
    talk.tell("edit", "completed", content=talk.diff(LINE, NEW))
    [call] = talk.status("acp-s").calls
    assert (call.files, call.blind, talk.reports) == (("greet.py",), 0, [])


def test_a_deleted_line_is_found_in_what_was_read(greeting: Repo) -> None:
    talk = Conversation(greeting)
    talk.read(GREETING)
    greeting.write("greet.py", GREETING.replace(b'greet("you")\n', b""))
    talk.tell("edit", "completed", locations=talk.at(), content=talk.diff('greet("you")\n', ""))
    [call] = talk.status("acp-s").calls
    assert (call.files, call.blind) == (("greet.py",), 0)


def test_a_file_that_is_written_anew_is_the_one_of_the_last_commit(greeting: Repo) -> None:
    talk = Conversation(greeting)
    greeting.write("greet.py", MENDED)
    given = {"file_path": str(greeting.path / "greet.py"), "content": MENDED.decode()}
    talk.tell("edit", "completed", locations=talk.at(), rawInput=given)
    [call] = talk.status("acp-s").calls
    assert (call.files, call.blind) == (("greet.py",), 1)


def test_two_edits_told_after_both_are_made_are_recorded_once_each(greeting: Repo) -> None:
    talk = Conversation(greeting)
    talk.read(GREETING)
    talk.tell("edit", "in_progress", "a", locations=talk.at())
    greeting.write("greet.py", MENDED.replace(b"you", b"me"))
    talk.tell("edit", "completed", "a", content=talk.diff(LINE, NEW))
    talk.tell("edit", "in_progress", "b", locations=talk.at())
    talk.tell("edit", "completed", "b", content=talk.diff('greet("you")', 'greet("me")'))
    status = talk.status("acp-s")
    assert ([call.edits for call in status.calls], status.blind) == ([2], 0)


def test_an_edit_that_fits_no_version_is_said(greeting: Repo) -> None:
    talk = Conversation(greeting)
    greeting.write("greet.py", b"else\n")
    talk.tell("edit", "completed", locations=talk.at(), content=talk.diff("nowhere", "there"))
    assert talk.status("acp-s").calls == ()
    assert "greet.py: was changed before hkgit could see how it was" in talk.reports[0]


def test_an_edit_that_cannot_be_recorded_takes_no_other_with_it(greeting: Repo) -> None:
    talk = Conversation(greeting)
    talk.read(GREETING)
    greeting.write("greet.py", MENDED)
    diffs = talk.diff("a", "b", "../outside.py") + talk.diff(LINE, NEW)
    talk.tell("edit", "completed", content=diffs)
    assert [call.files for call in talk.status("acp-s").calls] == [("greet.py",)]
    [report] = talk.reports
    assert "is outside the checkout" in report


def test_an_edit_that_hooks_have_recorded_is_not_recorded_again(greeting: Repo) -> None:
    replay("claude", greeting)
    [folder] = places.find_folders(greeting.path)
    talk = Conversation(greeting, folder.name.removeprefix("claude-"))
    talk.tell("edit", "completed", locations=talk.at(), content=talk.diff(LINE, NEW))
    assert [each.name for each in places.find_folders(greeting.path)] == [folder.name]
    files = [call.files for call in talk.status(folder.name).calls]
    assert files == [("greet.py",), ("notes.txt",)]


def test_an_edit_that_hooks_have_missed_is_recorded_in_their_session(greeting: Repo) -> None:
    replay("claude", greeting)
    [folder] = places.find_folders(greeting.path)
    talk = Conversation(greeting, folder.name.removeprefix("claude-"))
    greeting.write("greet.py", MENDED.replace(b"you", b"me"))
    diff = talk.diff('greet("you")', 'greet("me")')
    talk.tell("edit", "completed", locations=talk.at(), content=diff)
    status = talk.status(folder.name)
    assert ([call.files for call in status.calls][-1], status.blind) == (("greet.py",), 0)


def test_hooks_do_not_record_again_what_the_editor_has_written(greeting: Repo) -> None:
    """As with an agent that writes through the editor and calls its hooks around that."""
    lines = [*stream("claude", greeting)]
    conversation = next(each["input"]["session_id"] for each in lines if "input" in each)
    talk = Conversation(greeting, conversation)
    where = str(greeting.path / "greet.py")
    params = {"sessionId": conversation, "path": where, "content": MENDED.decode()}
    for line in lines:
        payload = line.get("input", {})
        is_edit = payload.get("tool_name") == "Edit"
        if is_edit and payload["hook_event_name"] == "PostToolUse":
            talk._say({"id": 7, "method": "fs/write_text_file", "params": params})
            greeting.write("greet.py", MENDED)
            talk._say({"id": 7, "result": None}, EDITOR)
        if payload:
            told("claude", payload)
        if is_edit and payload["hook_event_name"] == "PostToolUse":
            break
    [folder] = places.find_folders(greeting.path)
    status = talk.status(folder.name)
    assert ([call.files for call in status.calls], status.blind) == ([("greet.py",)], 0)


def test_outside_a_checkout_nothing_is_recorded(tmp_path: Path) -> None:
    reports: list[str] = []
    relay = Relay(tmp_path, "agent", reports.append)
    update = {"toolCallId": "t", "kind": "read", "status": "completed", "rawOutput": "x"}
    line = {"method": "session/update", "params": {"sessionId": "s", "update": update}}
    relay._record(json.dumps(line).encode(), AGENT)
    assert (reports, [*tmp_path.iterdir()]) == ([], [])

"""The calls of an agent's server are of the same session as its hooks, where it says which."""

from __future__ import annotations

from pathlib import Path

import mcp_types as types
import pytest

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.replies import Reply
from hkgit.agents.servers.roots import session_of_call
from tests.agents.servers.clients import Agent, talk
from tests.support.cases import cases
from tests.support.repos import Repo

CODEX = {"callId": "call_1", "x-codex-turn-metadata": {"session_id": "01a2", "thread_id": "01a2"}}
"""As Codex 0.169.0 sends it beside each call."""


@cases(
    "meta, session",
    {
        "codex": (CODEX, "codex-01a2"),
        "a sub-agent of it": (
            {"x-codex-turn-metadata": {"session_id": "01a2", "thread_id": "b7"}},
            "codex-01a2-b7",
        ),
        "claude": ({"claudecode/toolUseId": "toolu_1"}, None),
        "a number": ({"x-codex-turn-metadata": {"session_id": 7}}, None),
        "a text": ({"x-codex-turn-metadata": "x"}, None),
        "nothing": (None, None),
    },
)
def test_a_call_tells_its_session(meta: object, session: str | None) -> None:
    assert session_of_call(meta) == session


def test_a_call_over_the_wire_is_in_the_session_that_it_tells(repo: Repo) -> None:
    async def said(agent: Agent) -> object:
        meta = types.RequestParamsMeta(**CODEX)  # type: ignore[typeddict-item]  # an agent's own key
        result = await agent.client.call_tool("status", {}, meta=meta)
        assert isinstance(result, types.CallToolResult)
        return (result.structured_content or {})["session"]

    assert talk(repo.path, said) == "codex-01a2"
    assert talk(repo.path, said, "--session", "mine") == "mine"


def _status(connection: Connection, **arguments: str) -> str:
    name: str = connection.answer("status", arguments, "codex-01a2").document["session"]
    return name


def test_a_session_that_is_named_comes_before_one_that_is_told(repo: Repo) -> None:
    assert _status(Connection(repo.path, None), session="mine") == "mine"
    assert _status(Connection(repo.path, "mine")) == "mine"
    assert _status(Connection(repo.path, None)) == "codex-01a2"


@pytest.fixture
def blind(repo: Repo) -> tuple[Connection, Reply]:
    """An edit of what was not read, in a session that a hook has named."""
    repo.commit({"a.txt": b"one\n"})
    connection = Connection(repo.path, None)
    text = {"file": "a.txt", "old_text": "one", "new_text": "two"}
    return connection, connection.answer("edit", {"text": text, "session": "codex-01a2"})


def test_the_next_call_keeps_the_session(blind: tuple[Connection, Reply]) -> None:
    connection, reply = blind
    following = reply.document["next"]
    assert following["arguments"]["session"] == "codex-01a2"
    assert '"session": "codex-01a2"' in reply.text.splitlines()[-1]
    connection.answer(following["tool"], following["arguments"])
    status = connection.answer("status", {"session": "codex-01a2"}).document
    assert status["blind"] == 0


def test_the_next_edit_names_the_session(repo: Repo) -> None:
    repo.commit({"a.txt": b"one two three four\n"})
    connection = Connection(repo.path, None)
    text = {"file": "a.txt", "old_text": "one two three fours five", "new_text": "x"}
    reply = connection.answer("edit", {"text": text, "session": "codex-01a2"})
    assert reply.document["next"]["arguments"]["session"] == "codex-01a2"


def test_a_text_may_be_an_object(tmp_path: Path) -> None:
    from hkgit.agents.servers.server_calls import CALLS
    from hkgit.workflows.arguments import schema

    allowed = schema(CALLS["edit"].arguments)["properties"]["text"]["anyOf"]
    assert [each["type"] for each in allowed] == ["string", "object", "array"]

"""clients.py: an agent at the other end, over real pipes: the SDK's own client, or bare lines."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tests.support.forks import loaded_program

if TYPE_CHECKING:  # a second of imports, in every process that collects tests
    from mcp import Client

MEND = json.dumps({"file": "greet.py", "old_text": '"Helo, "', "new_text": '"Hello, "'})
"""An edit of the greeting."""


@dataclass(frozen=True)
class Wire:
    """A server to which lines are sent as they are."""

    process: subprocess.Popen[bytes]

    def send(self, line: str | bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        text = json.dumps(line) if isinstance(line, dict) else line
        self.process.stdin.write((text.encode() if isinstance(text, str) else text) + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """The next line that it sends."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, line: dict[str, Any]) -> Any:
        self.send(line)
        return self.hear()


@contextmanager
def wired(cwd: Path, *command: str, program: Path | None = None) -> Iterator[Wire]:
    """A server of its own, started in a directory; signals reach it where it is the `program`."""
    with subprocess.Popen(
        [program or loaded_program(), *command],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield Wire(process)


def request(id: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


Value = TypeVar("Value")


@dataclass(frozen=True)
class Answer:
    """What a tool answered, as the client sees it."""

    is_error: bool
    text: str
    document: dict[str, Any]


class Agent:
    """A connected client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool; the client itself checks the answer against the tool's schema."""
        result: Any = await self.client.call_tool(tool, arguments)
        [content] = result.content
        return Answer(result.is_error, content.text, result.structured_content)


def talk(
    cwd: Path,
    said: Callable[[Agent], Awaitable[Value]],
    *,
    roots: Sequence[Path] | None = None,
    mode: str = "legacy",
) -> Value:
    """One conversation with a server that was started in a directory, from start to end."""
    import anyio
    import mcp_types as types
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters
    from pydantic import FileUrl

    parameters = StdioServerParameters(
        command=str(loaded_program()), args=["mcp"], cwd=cwd, env=dict(os.environ)
    )

    async def list_roots(context: Any) -> types.ListRootsResult:
        offered = [types.Root(uri=FileUrl(root.as_uri())) for root in roots or []]
        return types.ListRootsResult(roots=offered)

    callback = None if roots is None else list_roots

    async def whole() -> Value:
        async with Client(parameters, mode=mode, list_roots_callback=callback) as client:
            return await said(Agent(client))

    return anyio.run(whole)

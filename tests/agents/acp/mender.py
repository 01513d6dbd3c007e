"""An agent on the protocol's own SDK: it reads greet.py through the editor and writes it mended.

`mender.py blind` writes without reading.
"""

import asyncio
import sys
from typing import Any

import acp
from acp.schema import Implementation


class Mender:
    """Does one thing at every prompt."""

    def __init__(self, way: str) -> None:
        self._way = way
        self._directory = ""

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **more: Any) -> acp.InitializeResponse:
        told = Implementation(name="mender", version="1.0")
        return acp.InitializeResponse(protocol_version=protocol_version, agent_info=told)

    async def new_session(self, cwd: str, **more: Any) -> acp.NewSessionResponse:
        self._directory = cwd
        return acp.NewSessionResponse(session_id="s-1")

    async def prompt(self, session_id: str, **more: Any) -> acp.PromptResponse:
        path = f"{self._directory}/greet.py"
        if self._way != "blind":
            await self._client.read_text_file(session_id=session_id, path=path)
        text = 'def greet(name):\n    print("Hello, " + name)\n\n\ngreet("you")\n'
        await self._client.write_text_file(session_id=session_id, path=path, content=text)
        return acp.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    agent: Any = Mender(sys.argv[1] if len(sys.argv) > 1 else "read")
    asyncio.run(acp.run_agent(agent))

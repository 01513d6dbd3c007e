"""An editor without a window: prompts an agent over the Agent Client Protocol, once.

`python -m tests.agents.real.editor DIRECTORY COMMAND...` reads and writes files for it and lets it
do all that it asks for.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, FileSystemCapabilities, PermissionOption

from tests.agents.real.programs import PROMPT


class Editor:
    """Answers what an agent asks an editor."""

    def on_connect(self, conn: Any) -> None:
        """Nothing to keep: the agent asks, this answers."""

    async def session_update(self, **more: Any) -> None:
        """Nobody is looking."""

    async def read_text_file(
        self, path: str, line: int | None = None, limit: int | None = None, **more: Any
    ) -> acp.ReadTextFileResponse:
        if not Path(path).exists():
            raise acp.RequestError.resource_not_found(path)
        lines = Path(path).read_text().splitlines(keepends=True)[(line or 1) - 1 :]
        return acp.ReadTextFileResponse(content="".join(lines[:limit]))

    async def write_text_file(self, path: str, content: str, **more: Any) -> None:
        Path(path).write_text(content)

    async def request_permission(
        self, options: list[PermissionOption], **more: Any
    ) -> acp.RequestPermissionResponse:
        chosen = next(option for option in options if option.kind.startswith("allow"))
        outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return acp.RequestPermissionResponse(outcome=outcome)


async def prompt(directory: str, command: list[str]) -> None:
    editor: Any = Editor()
    files = FileSystemCapabilities(read_text_file=True, write_text_file=True)
    able = ClientCapabilities(fs=files, terminal=False)
    async with acp.spawn_agent_process(editor, *command, cwd=directory, env=os.environ) as (
        agent,
        _,
    ):
        await agent.initialize(protocol_version=1, client_capabilities=able)
        made = await agent.new_session(cwd=directory, mcp_servers=[])
        await agent.prompt(session_id=made.session_id, prompt=[acp.text_block(PROMPT)])


if __name__ == "__main__":
    asyncio.run(prompt(sys.argv[1], sys.argv[2:]))

"""The calls as tools of a Model Context Protocol server, on the official Python SDK.

Only this module needs the SDK. One connection is one session; calls run in threads, so that a
slow one holds up no other.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from hkgit import __version__
from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.replies import Reply, of_error
from hkgit.agents.servers.roots import session_of_call
from hkgit.agents.servers.server_calls import CALLS, Tool
from hkgit.errors import HkgitError
from hkgit.text.formats import describe_choice
from hkgit.workflows.arguments import schema as input_schema

INSTRUCTIONS = """\
Change files of this checkout with these tools, not with others: `read` the lines that you are
going to change, then `edit` them in any notation. What you read is kept as evidence; it goes with
the commit. A refusal changes nothing and ends with the call to make next."""

_OUTPUT = {"read": "read", "edit": "answer", "apply": "answer", "undo": "undo", "status": "status"}
_ROOTS_TIMEOUT = 10.0
"""Seconds that a client has to name its roots."""

_WORKERS = 40
_LAST_CALLS = 10.0
"""Seconds that calls have to end after the server was told to."""

_Context = ServerRequestContext[Any, Any]


def serve(session: Connection) -> None:
    """Serve one client on standard input and output until it goes."""
    anyio.run(partial(_serve, session))


async def _serve(session: Connection) -> None:
    service = _Service(session)
    server = service.server()
    async with anyio.create_task_group() as group, stdio_server() as (incoming, outgoing):
        if sys.platform != "win32":  # where a process is ended without being asked
            group.start_soon(service.leave_when_told)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


class _Service:
    """The handlers of one connection."""

    def __init__(self, session: Connection) -> None:
        self._session = session
        self._asked = False
        self._asking = anyio.Lock()
        self._workers = anyio.CapacityLimiter(_WORKERS)

    def server(self) -> Server[Any]:
        server: Server[Any] = Server(
            "hkgit",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        changed = "notifications/roots/list_changed"
        server.add_notification_handler(changed, types.NotificationParams, self._forget)
        return server

    async def leave_when_told(self) -> None:
        """End the process on SIGTERM, once the calls under way are done or have had their time.

        A thread that waits for the client's next line would keep it from ending by itself.
        """
        with anyio.open_signal_receiver(signal.SIGTERM) as told:
            async for number in told:
                with anyio.move_on_after(_LAST_CALLS):
                    await self._finish_calls()
                os._exit(128 + number)

    async def _finish_calls(self) -> None:
        while self._workers.borrowed_tokens:
            await anyio.sleep(0.01)

    async def _list(
        self, context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(call) for call in CALLS.values()])

    async def _call(
        self, context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            await self._ask_for_roots(context)
        except HkgitError as error:
            reply = of_error(error)
        else:
            known = session_of_call(params.meta)
            answer = partial(self._session.answer, params.name, params.arguments, known)
            reply = await anyio.to_thread.run_sync(answer, limiter=self._workers)
        content: list[types.ContentBlock] = [_text(reply), *_images(reply)]
        return types.CallToolResult(
            content=content,
            structured_content=json.loads(_to_utf8(json.dumps(reply.document))),
            is_error=reply.is_error,
        )

    async def _ask_for_roots(self, context: _Context) -> None:
        """Learn, once, where the client wants work to be done, if it says so at all."""
        async with self._asking:
            if self._asked:
                return
            known = context.session.client_params
            if known is not None:
                self._session.agent = f"{known.client_info.name}/{known.client_info.version}"
            self._session.offer(await _roots(context))
            self._asked = True

    async def _forget(self, context: _Context, params: types.NotificationParams) -> None:
        self._asked = False


async def _roots(context: _Context) -> Sequence[str] | None:
    """The client's roots; None where it offers none, or does not tell."""
    offered = context.session.client_capabilities
    if offered is None or offered.roots is None or not context.session.can_send_request:
        return None
    try:
        listed = await context.session.send_request(
            types.ListRootsRequest(), types.ListRootsResult, _ROOTS_TIMEOUT
        )
    except MCPError:
        return None
    return [str(root.uri) for root in listed.roots]


def _tool(call: Tool) -> types.Tool:
    return types.Tool(
        name=call.name,
        description=call.about,
        input_schema=input_schema(call.arguments),
        output_schema=describe_choice(_OUTPUT[call.name], "refusal"),
        annotations=types.ToolAnnotations(
            read_only_hint=call.reads_only,
            destructive_hint=call.is_destructive,
            open_world_hint=False,
        ),
    )


def _text(reply: Reply) -> types.TextContent:
    return types.TextContent(type="text", text=_to_utf8(reply.text))


def _images(reply: Reply) -> Iterator[types.ImageContent]:
    """The image that was read, as MCP carries it."""
    if reply.image is not None:
        data = base64.b64encode(reply.image).decode()
        yield types.ImageContent(type="image", data=data, mime_type=reply.document["mime"])


def _to_utf8(text: str) -> str:
    """Text as UTF-8 can carry it: a lone surrogate becomes a replacement character."""
    return text.encode("utf-8", "replace").decode()

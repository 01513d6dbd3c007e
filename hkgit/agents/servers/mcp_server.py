"""The calls as tools of the Model Context Protocol (modelcontextprotocol.io/specification).

Its messages are those of JSON-RPC. Clients of up to 2025-11-25 begin with `initialize`; later ones
say with each request who they are, and may ask `server/discover` what is here.
"""

from __future__ import annotations

import base64
import threading

from hkgit import __version__
from hkgit.agents.json_fields import table, tables
from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.json_rpc import METHOD_NOT_FOUND, Lines, RpcError
from hkgit.agents.servers.replies import of_error
from hkgit.agents.servers.roots import session_of_call
from hkgit.agents.servers.server_calls import CALLS, Tool
from hkgit.errors import HkgitError
from hkgit.text.formats import describe_choice
from hkgit.text.strict_json import Json, JsonObject
from hkgit.workflows.arguments import schema

_WITH_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_WITHOUT = ("2026-07-28",)
"""Versions of the protocol, with `initialize` and without."""

_ABOUT: JsonObject = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hkgit", "version": __version__},
    "instructions": """\
Change files of this checkout with these tools, not with others: `read` the lines that you are
going to change, then `edit` them in any notation. What you read is kept as evidence; it goes with
the commit. A refusal changes nothing and ends with the call to make next.""",
}
_COMPLETE: JsonObject = {"resultType": "complete"}
_UNCACHED: JsonObject = {**_COMPLETE, "ttlMs": 0, "cacheScope": "private"}

_CLIENT = "io.modelcontextprotocol/clientInfo"
_ROOTS_CHANGED = "notifications/roots/list_changed"
_ROOTS_TIMEOUT = 10.0
"""Seconds that a client has to name its roots."""

_OUTPUT = {"read": "read", "edit": "answer", "apply": "answer", "undo": "undo", "status": "status"}


def serve(session: Connection, lines: Lines) -> None:
    """Serve one client until it goes."""
    lines.serve(_Tools(session, lines).answer, ("initialize", _ROOTS_CHANGED))


class _Tools:
    """The tools of one connection, and where its client wants them to work."""

    def __init__(self, session: Connection, lines: Lines) -> None:
        self._session = session
        self._lines = lines
        self._has_roots = False
        """Whether the client has roots that are not known (any more)."""
        self._asking = threading.Lock()

    def answer(self, method: str, params: Json) -> Json:
        """Answer a request. Raises RpcError."""
        given = table(params)
        meta = table(given.get("_meta"))
        if client := table(given.get("clientInfo", meta.get(_CLIENT))):
            self._session.agent = f"{client.get('name')}/{client.get('version')}"
        match method:
            case "initialize":
                wanted = given.get("protocolVersion")
                self._has_roots = "roots" in table(given.get("capabilities"))
                version = wanted if wanted in _WITH_HANDSHAKE else _WITH_HANDSHAKE[-1]
                return {"protocolVersion": version, **_ABOUT}
            case "server/discover":
                return {"supportedVersions": _WITHOUT, **_ABOUT, **_UNCACHED}
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [*map(_describe, CALLS.values())], **_UNCACHED}
            case "tools/call":
                return self._call(str(given.get("name")), given.get("arguments"), meta) | _COMPLETE
            case "notifications/roots/list_changed":
                self._has_roots = True
        raise RpcError(METHOD_NOT_FOUND, f"unknown method {method[:80]!r}")

    def _call(self, name: str, arguments: Json, meta: JsonObject) -> JsonObject:
        try:
            self._ask_for_roots()
        except HkgitError as error:
            reply = of_error(error)
        else:
            reply = self._session.answer(name, arguments, session_of_call(meta))
        content: list[JsonObject] = [{"type": "text", "text": reply.text}]
        if reply.image is not None:
            data = base64.b64encode(reply.image).decode()
            content.append({"type": "image", "data": data, "mimeType": reply.document["mime"]})
        return {"content": content, "structuredContent": reply.document, "isError": reply.is_error}

    def _ask_for_roots(self) -> None:
        """Learn, once, where the client wants work to be done. Raises InvalidInput."""
        with self._asking:
            if self._has_roots:
                listed = self._lines.ask("roots/list", _ROOTS_TIMEOUT)
                roots = [str(root.get("uri")) for root in tables(table(listed).get("roots"))]
                self._session.offer(None if listed is None else roots)
                self._has_roots = False


def _describe(call: Tool) -> JsonObject:
    return {
        "name": call.name,
        "description": call.about,
        "inputSchema": schema(call.arguments),
        "outputSchema": describe_choice(_OUTPUT[call.name], "refusal"),
        "annotations": {
            "readOnlyHint": call.reads_only,
            "destructiveHint": call.is_destructive,
            "openWorldHint": False,
        },
    }

"""The calls over JSON-RPC 2.0 (www.jsonrpc.org/specification), one message a line.

For agents in any language, and without the start-up and the packages of an MCP server. Requests
are answered when they are done, not in the order in which they came.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, NoReturn

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.replies import Reply
from hkgit.agents.servers.server_calls import CALLS
from hkgit.text.strict_json import Json, JsonObject

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
REFUSED = -32000
"""What was asked for was understood and refused; `data` is the answer."""

LONGEST_LINE = 64 * 2**20
"""In bytes."""

_WORKERS = 8
_NO_ID = object()


class Lines:
    """One connection on a pair of streams."""

    def __init__(self, session: Connection, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._session = session
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()

    def serve(self) -> None:
        """Answer until the stream ends; what is under way then is finished."""
        with ThreadPoolExecutor(_WORKERS) as workers:
            for line in self._lines():
                workers.submit(self._take, line)

    def _lines(self) -> Iterator[bytes]:
        while line := self._incoming.readline(LONGEST_LINE):
            if line.endswith(b"\n") or len(line) < LONGEST_LINE:
                if line.strip():
                    yield line
                continue
            self._send(_failure(None, PARSE_ERROR, f"a line is longer than {LONGEST_LINE} bytes"))
            while line and not line.endswith(b"\n"):
                line = self._incoming.readline(LONGEST_LINE)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            self._send(_failure(None, PARSE_ERROR, f"is not JSON: {error}"))
            return
        if not isinstance(message, list):
            answers = [self._answer(message)]
            self._send(*answers)
            return
        batch = [answer for answer in map(self._answer, message) if answer is not None]
        if not message:
            self._send(_failure(None, INVALID_REQUEST, "an empty batch"))
        elif batch:
            self._send(batch)

    def _answer(self, message: object) -> JsonObject | None:
        """The answer to a request; None where it asks for none."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return _failure(None, INVALID_REQUEST, "not a request: it names no method")
        id, method = message.get("id", _NO_ID), message["method"]
        reply = self._reply(method, message.get("params"))
        if id is _NO_ID:
            return None
        if not isinstance(id, str | int | float | None):
            return _failure(None, INVALID_REQUEST, "an id is a string, a number or null")
        if reply is None:
            known = ", ".join(["ping", *CALLS])
            return _failure(id, METHOD_NOT_FOUND, f"unknown method {method[:80]!r}; known: {known}")
        if reply.is_error:
            code = INVALID_PARAMS if reply.is_misuse else REFUSED
            return _failure(id, code, reply.text, reply.document)
        return {"jsonrpc": "2.0", "id": id, "result": reply.document}

    def _reply(self, method: str, params: Json) -> Reply | None:
        if method == "ping":
            return Reply({"session": self._session.name}, "")
        return self._session.answer(method, params) if method in CALLS else None

    def _send(self, answer: JsonObject | list[JsonObject] | None) -> None:
        if answer is None:
            return
        data = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._writing:
            self._outgoing.write(data)
            self._outgoing.flush()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _failure(id: object, code: int, message: str, data: JsonObject | None = None) -> JsonObject:
    error: JsonObject = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": error}

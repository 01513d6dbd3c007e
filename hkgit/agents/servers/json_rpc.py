"""JSON-RPC 2.0 (www.jsonrpc.org/specification), one message a line; and the calls over it as such.

Requests are answered when they are done, not in the order in which they came.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import BinaryIO, NoReturn

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.server_calls import CALLS
from hkgit.text.strict_json import Json, JsonObject

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REFUSED = -32000
"""What was asked for was understood and refused; `data` is the answer."""

LONGEST_LINE = 64 * 2**20
"""In bytes."""

_WORKERS = 40
_NO_ID = object()


class RpcError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


Answer = Callable[[str, Json], Json]
"""Answers a request by its method and params. Raises RpcError."""


class Lines:
    """One connection on a pair of streams."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()
        self._numbers = count(1)
        self._asked: dict[str, Future[Json]] = {}

    def serve(self, answer: Answer, in_turn: tuple[str, ...] = ()) -> None:
        """Answer until the stream ends; what is under way then is finished.

        Requests `in_turn` are answered before the next line is read, all others in threads.
        """
        with ThreadPoolExecutor(_WORKERS) as workers:
            for line in self._lines():
                try:
                    message = json.loads(line, parse_constant=_refuse)
                except (ValueError, RecursionError) as error:
                    self._send(_failure(None, PARSE_ERROR, f"is not JSON: {error}"))
                    continue
                if isinstance(message, dict) and message.get("method") in in_turn:
                    self._take(answer, message)
                elif not self._settle(message):
                    workers.submit(self._take, answer, message)

    def ask(self, method: str, seconds: float) -> Json:
        """Ask the other side; None where it does not answer in time, or with an error."""
        id, answered = f"hkgit-{next(self._numbers)}", Future[Json]()
        self._asked[id] = answered
        self._send({"jsonrpc": "2.0", "id": id, "method": method})
        with suppress(TimeoutError):
            return answered.result(seconds)
        return None

    def _settle(self, message: Json) -> bool:
        """Take an answer of the other side, which may be late; whether it is one."""
        if not isinstance(message, dict) or {"result", "error"}.isdisjoint(message):
            return False
        answered = self._asked.pop(str(message.get("id")), None)
        if answered is not None:
            answered.set_result(message.get("result"))
        return True

    def _lines(self) -> Iterator[bytes]:
        while line := self._incoming.readline(LONGEST_LINE):
            if line.endswith(b"\n") or len(line) < LONGEST_LINE:
                if line.strip():
                    yield line
                continue
            self._send(_failure(None, PARSE_ERROR, f"a line is longer than {LONGEST_LINE} bytes"))
            while line and not line.endswith(b"\n"):
                line = self._incoming.readline(LONGEST_LINE)

    def _take(self, answer: Answer, message: Json) -> None:
        if message == []:
            self._send(_failure(None, INVALID_REQUEST, "an empty batch"))
        elif isinstance(message, list):
            batch = [each for each in (_answer(answer, one) for one in message) if each is not None]
            self._send(batch or None)
        else:
            self._send(_answer(answer, message))

    def _send(self, message: JsonObject | list[JsonObject] | None) -> None:
        if message is None:
            return
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._writing:
            self._outgoing.write(data)
            self._outgoing.flush()


def _answer(answer: Answer, message: Json) -> JsonObject | None:
    """The answer to a request; None where it asks for none."""
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _failure(None, INVALID_REQUEST, "not a request: it names no method")
    id = message.get("id", _NO_ID)
    if id is not _NO_ID and not _is_id(id):
        return _failure(None, INVALID_REQUEST, "an id is a string, a number or null")
    try:
        result = answer(message["method"], message.get("params"))
    except RpcError as error:
        said = _failure(id, error.code, str(error), error.data)
    except Exception as error:  # noqa: BLE001 - a fault ends one request, not the connection
        traceback.print_exc(file=sys.stderr)
        what = f"internal error in hkgit: {type(error).__name__}: {error}"
        said = _failure(id, INTERNAL_ERROR, what)
    else:
        said = {"jsonrpc": "2.0", "id": id, "result": result}
    return None if id is _NO_ID else said


def _is_id(id: object) -> bool:
    """Whether an answer can carry an id; a float too large for its type is infinite."""
    return isinstance(id, str | int | None) or (isinstance(id, float) and math.isfinite(id))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _failure(id: object, code: int, message: str, data: JsonObject | None = None) -> JsonObject:
    error: JsonObject = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": error}


def serve(session: Connection, lines: Lines) -> None:
    """Serve the calls, each as a method, and `ping`."""

    def answer(method: str, params: Json) -> Json:
        if method == "ping":
            return {"session": session.name}
        if method not in CALLS:
            known = ", ".join(["ping", *CALLS])
            raise RpcError(METHOD_NOT_FOUND, f"unknown method {method[:80]!r}; known: {known}")
        reply = session.answer(method, params)
        if reply.is_error:
            code = INVALID_PARAMS if reply.is_misuse else REFUSED
            raise RpcError(code, reply.text, reply.document)
        return reply.document

    lines.serve(answer)

"""forks.py: the console scripts of hkgit, run in forks of a process that has imported them.

A fork has a directory, an environment, streams, signals and a memory of its own, as every process
has. Only the start of the interpreter and the imports are missing, which cost more than most
commands. Start-up itself is tested by tests that start processes.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

_AT_THE_START = ("PYTHON", "LC_", "LANG", "HOME", "XDG_", "TZ")
"""Beginnings of variables that the interpreter or libgit2 reads once, when it is loaded."""

_PIPE = 1 << 16
"""Bytes that fit into a pipe that nobody reads yet."""


_ENVIRONMENT = dict(os.environ)
"""That of the tests, as conftest.py has sealed it, whatever one of them changes for a while."""


_switch = {"forks": True}


def use_forks(wanted: bool) -> None:
    """Say whether commands run in forks from now on, or as processes from their start."""
    _switch["forks"] = wanted


def has_forks() -> bool:
    """Whether commands run in forks."""
    return _switch["forks"]


def needs_a_start(environment: Mapping[str, str]) -> bool:
    """Whether a command with this environment must be a process that has just been started."""
    return _select(environment) != _select(_ENVIRONMENT)


def _select(environment: Mapping[str, str]) -> dict[str, str]:
    return {n: value for n, value in environment.items() if n.startswith(_AT_THE_START)}


def load_everything() -> None:
    """Import hkgit as a whole, so that no fork has to."""
    import hkgit

    for module in pkgutil.walk_packages(hkgit.__path__, "hkgit."):
        if module.name != "hkgit.__main__":
            import_module(module.name)
    gc.freeze()


class Loaded:
    """A process that has imported hkgit, and forks for everyone who runs commands."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_ENVIRONMENT,
                pass_fds=[theirs.fileno()],
            )

    def connect(self) -> socket.socket:
        """Return a connection over which commands are run one after the other."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._socket, [b"1"], [theirs.fileno()])
        return ours

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


_loaded: list[Loaded] = []
_idle: list[socket.socket] = []
"""Threads that run commands at the same time have a connection each."""


def run_fork(
    command: Sequence[str], cwd: Path, stdin: bytes, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a console script; return exit code (negative: by a signal), output and errors."""
    connection = _connect()
    request = json.dumps([command, str(cwd), dict(environment)]).encode()
    with (
        _open_input(stdin) as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        streams = [given.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], streams)
        connection.sendall(request)
        code = int.from_bytes(_receive(connection, 4), "big", signed=True)
        _idle.append(connection)
        return code, _read_all(out), _read_all(err)


_starting = threading.Lock()


def _connect() -> socket.socket:
    with _starting:
        if not _loaded:
            _loaded.append(Loaded())
            atexit.register(_close)
        return _idle.pop() if _idle else _loaded[0].connect()


def _close() -> None:
    """End the connections, and then the process that they lead to."""
    for connection in _idle:
        connection.close()
    for loaded in _loaded:
        loaded.close()


def _open_input(data: bytes) -> IO[bytes]:
    """Return what reads as `data`: a pipe, or a file where a pipe would not hold it."""
    if len(data) < _PIPE:
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)
        return os.fdopen(reading, "rb", buffering=0)
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(data)
    file.seek(0)
    return file


def _read_all(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _receive(connection: socket.socket, size: int) -> bytes:
    """Read exactly this many bytes."""
    parts = b""
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise EOFError("the process that forks has ended")
        parts += part
    return parts


def _listen(asked: socket.socket) -> None:
    """Fork for every connection, until the tests are done."""
    load_everything()
    while True:
        _, connections, _, _ = socket.recv_fds(asked, 1, 1)
        if not connections:
            return
        if os.fork() == 0:
            asked.close()
            _serve(socket.socket(fileno=connections[0]))
            os._exit(0)
        os.close(connections[0])


def _serve(connection: socket.socket) -> None:
    """Fork for every run, until the connection ends."""
    while True:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        if not size:
            return
        request = json.loads(_receive(connection, int.from_bytes(size, "big")))
        child = os.fork()
        if child == 0:
            _run(connection, request, streams)
        for stream in streams:
            os.close(stream)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(code.to_bytes(4, "big", signed=True))


def _run(connection: socket.socket, request: Any, streams: Sequence[int]) -> NoReturn:
    """Be the process that the request asks for."""
    code = 1
    try:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.argv, cwd, environment = request
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        code = _run_script(Path(sys.argv[0]).name)
    except BaseException:  # noqa: BLE001 - no fork may come back into the loop
        traceback.print_exc()
    finally:
        os._exit(code)


def _run_script(name: str) -> int:
    from hkgit.cli import start

    try:
        (start.run_hk if name == "hk" else start.run)()
    except SystemExit as ended:
        # What the interpreter does when it ends.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        if isinstance(ended.code, int | None):
            return (ended.code or 0) & 0xFF
        print(ended.code, file=sys.stderr)
        return 1


if __name__ == "__main__":
    _listen(socket.socket(fileno=int(sys.argv[1])))

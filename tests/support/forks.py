"""forks.py: the console scripts of hkgit, run in forks of a process that has imported them.

`forking.py` is that process.

A fork has a directory, an environment, streams, signals and a memory of its own, as every process
has. Only the start of the interpreter and the imports are missing, which cost more than most
commands. Start-up itself is tested by tests that start processes. A fork that has run a command
and left nothing behind runs the next one.
"""

import atexit
import marshal
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tests.support.forking import receive

_AT_THE_START = ("PYTHON", "LC_", "LANG", "TZ", "SSL_CERT")
"""Beginnings of variables that the interpreter or OpenSSL reads once, when it is loaded."""

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


_SERVER = Path(__file__).with_name("forking.py")


class Loaded:
    """A process that has imported hkgit, and forks for everyone who connects to its socket."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="hkgit-forks-"))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.directory / "socket"))
            listener.listen(16)
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVER), str(listener.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=_ENVIRONMENT,
                pass_fds=[listener.fileno()],
            )
        self._write_relay()

    def _write_relay(self) -> None:
        """Write the programs of `relay` and `loaded_program`."""
        (self.directory / "bin").mkdir()
        for name, count in (("python", 4), ("bin/hkgit", 1)):
            path = self.directory / name
            place = f"SOCKET, COUNT = {str(self.socket)!r}, {count}"
            path.write_text(f"#!{sys.executable} -IS\n{place}\n{_RELAY}")
            path.chmod(0o755)
        (self.directory / "hkgit").symlink_to(Path(sys.executable).with_name("hkgit"))

    @property
    def socket(self) -> Path:
        return self.directory / "socket"

    @property
    def number(self) -> int:
        return self._process.pid

    def close(self) -> None:
        self._process.communicate()
        shutil.rmtree(self.directory)


_RELAY = """
import _socket, marshal, posix, sys

code, way = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
environment = {n.decode(code, way): value.decode(code, way) for n, value in posix.environ.items()}
request = marshal.dumps([["hkgit", *sys.argv[COUNT:]], posix.getcwd(), environment])
streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
passed = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
connection = _socket.socket(_socket.AF_UNIX)
connection.connect(SOCKET)
connection.sendmsg([len(request).to_bytes(8, "big")], passed)
connection.sendall(request)
sys.exit(int.from_bytes(connection.recv(4), "big", signed=True) & 255)
"""
"""Only what is built in is imported: `json`, `os` and `socket` take longer than the interpreter."""


def relay() -> Path:
    """Return a program that stands in for the interpreter of hkgit's hooks, and has it loaded.

    For tests of what the gate judges, where git must call it; how hooks start is tested with
    what they start.
    """
    return _load().directory / "python"


def loaded_program() -> Path:
    """Return a program that does what `hkgit` does, in a fork: for servers, clients and scripts.

    Its folder holds no other program.
    """
    return _load().directory / "bin" / "hkgit"


_loaded: list[Loaded] = []
_idle: list[socket.socket] = []
"""Threads that run commands at the same time have a connection each."""

_starting = threading.Lock()


def run_fork(
    command: Sequence[str], cwd: Path, stdin: bytes, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a console script; return exit code (negative: by a signal), output and errors."""
    connection = _connect()
    request = marshal.dumps([list(command), str(cwd), dict(environment)])
    with (
        _open_input(stdin) as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        streams = [given.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], streams)
        connection.sendall(request)
        code = int.from_bytes(receive(connection, 4), "big", signed=True)
        _idle.append(connection)
        return code, _read_all(out), _read_all(err)


def _connect() -> socket.socket:
    try:
        return _idle.pop()
    except IndexError:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(_load().socket))
        return connection


def _load() -> Loaded:
    """Return the process that has loaded hkgit; the first who asks has it started."""
    with _starting:
        if not _loaded:
            _loaded.append(Loaded())
            atexit.register(_close)
        return _loaded[0]


def _close() -> None:
    for connection in _idle:
        connection.close()
    for loaded in _loaded:
        loaded.close()


def find_forks() -> set[int]:
    """Return the processes in which commands have run and the next ones will."""
    number = _load().number
    found = Path(f"/proc/{number}/task/{number}/children")
    return {int(each) for each in found.read_text().split()}


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

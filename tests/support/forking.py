"""forking.py: the process that has imported hkgit and forks for each run; see `forks.py`.

It imports nothing of the tests, so that pytest is not in its memory.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import select
import socket
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO

_METHODS = ("match", "search", "fullmatch", "sub", "split", "findall", "finditer")


def load_everything() -> None:
    """Import hkgit as a whole, so that no fork has to."""
    import hkgit

    for module in pkgutil.walk_packages(hkgit.__path__, "hkgit."):
        if module.name != "hkgit.__main__":
            import_module(module.name)
    _make_what_is_late()
    gc.freeze()


def _make_what_is_late() -> None:
    """Make what hkgit makes when it is first used, which every fork would make for itself."""
    from hkgit import values

    for each in gc.get_objects():
        if isinstance(each, values._Late):
            for method in _METHODS:
                getattr(each, method)
        elif isinstance(each, type):
            _make_init(each)


def _make_init(value: Any) -> None:
    from hkgit import values

    if value.__init__.__name__ == "make_one":
        specs, is_frozen = getattr(value, values._SPECS), value.__dataclass_params__.frozen
        value.__init__ = values._compile_init(value, specs, frozen=is_frozen)


def _listen(listener: socket.socket) -> None:
    """Fork for every connection, until the tests are done."""
    load_everything()
    children = set[int]()
    while True:
        ready, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in ready:
            return
        connection = listener.accept()[0]
        child = os.fork()
        if child == 0:
            listener.close()
            _serve(connection)
            os._exit(0)
        connection.close()
        children = {each for each in {*children, child} if os.waitpid(each, os.WNOHANG)[0] == 0}


def receive(connection: socket.socket, size: int) -> bytes:
    """Read exactly this many bytes."""
    parts = b""
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise EOFError("the process that forks has ended")
        parts += part
    return parts


def _serve(connection: socket.socket) -> None:
    """Fork for every run, until the connection ends."""
    while True:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        if not size:
            return
        request = json.loads(receive(connection, int.from_bytes(size, "big")))
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
        _open_streams()
        sys.argv, cwd, environment = request
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        code = _run_script(Path(sys.argv[0]).name)
    except BaseException:  # noqa: BLE001 - no fork may come back into the loop
        traceback.print_exc()
    finally:
        os._exit(code)


def _open_streams() -> None:
    """Make the standard streams as the interpreter does: it looks whether they can seek."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old: TextIO = getattr(sys, name)
        mode = "w" if number else "r"
        new = open(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)


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

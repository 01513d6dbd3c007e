"""forking.py: the process that has imported hkgit and has its forks run commands; see `forks.py`.

A fork runs one command after another, which costs a tenth of forking for each. It begins each as
it began the first (see `restoring.py`), and a fork that cannot ends with its command.

It imports nothing of the tests beside that, so that pytest is not in its memory.
"""

import atexit
import gc
import marshal
import os
import pkgutil
import select
import socket
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    from restoring import Restorer  # type: ignore[import-not-found]  # without the tests
else:
    from tests.support.restoring import Restorer


def load_everything() -> None:
    """Import hkgit as a whole, so that no fork has to."""
    import hkgit

    for module in pkgutil.walk_packages(hkgit.__path__, "hkgit."):
        if module.name != "hkgit.__main__":
            import_module(module.name)
    gc.freeze()


def receive(connection: socket.socket, size: int) -> bytes:
    """Read exactly this many bytes."""
    parts = b""
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise EOFError("the process that forks has ended")
        parts += part
    return parts


class _Fork:
    """A process that runs commands, as the one that it was forked from sees it."""

    def __init__(self, restorer: Restorer, inherited: Sequence[int]) -> None:
        self.socket, theirs = socket.socketpair()
        self.client: socket.socket | None = None
        self._pid = os.fork()
        if self._pid == 0:
            for each in (self.socket.fileno(), *inherited):
                os.close(each)
            try:
                _work(theirs, restorer)
            finally:
                _exit(1)  # no fork may come back into the loop
        theirs.close()

    def begin(self, client: socket.socket, size: bytes, streams: Sequence[int]) -> None:
        """Pass a client's request on, with its streams."""
        request = receive(client, int.from_bytes(size, "big"))
        socket.send_fds(self.socket, [size], streams)
        self.socket.sendall(request)
        for stream in streams:
            os.close(stream)
        self.client = client

    def end(self) -> None:
        self.socket.close()
        os.waitpid(self._pid, 0)

    def finish(self) -> bool:
        """Pass the exit code on; return whether the fork is there for the next command."""
        code = self.socket.recv(4)
        lives = bool(code)
        if not lives:
            ended = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            code = ended.to_bytes(4, "big", signed=True)
            self.socket.close()
        if self.client is not None:
            with suppress(OSError):  # a client may have been killed
                self.client.sendall(code)
        self.client = None
        return lives


class _Supervisor:
    """Gives each request to a fork that is idle, or to a new one, until the tests are done."""

    def __init__(self, listener: socket.socket, restorer: Restorer) -> None:
        self.listener = listener
        self.restorer = restorer
        self.clients = list[socket.socket]()
        self.idle = list[_Fork]()
        self.busy = list[_Fork]()

    def run(self) -> None:
        while True:
            waiting: list[Any] = [*self.clients, *(fork.socket for fork in self.busy)]
            ready = select.select([0, self.listener.fileno(), *waiting], [], [])[0]
            if 0 in ready:
                return self.end()
            if self.listener.fileno() in ready:
                self.clients.append(self.listener.accept()[0])
            for fork in [each for each in self.busy if each.socket in ready]:
                self.busy.remove(fork)
                if fork.finish():
                    self.idle.append(fork)
            for client in [each for each in self.clients if each in ready]:
                self.serve(client)

    def end(self) -> None:
        """Let the forks end, and wait for those who have nothing to do."""
        for fork in self.idle:
            fork.end()

    def serve(self, client: socket.socket) -> None:
        size, streams, _, _ = socket.recv_fds(client, 8, 3)
        if not size:
            self.clients.remove(client)
            client.close()
            return
        files = (*self.sockets(), *streams)
        fork = self.idle.pop() if self.idle else _Fork(self.restorer, files)
        fork.begin(client, size, streams)
        self.busy.append(fork)

    def sockets(self) -> list[int]:
        forks = [fork.socket for fork in (*self.idle, *self.busy)]
        return [each.fileno() for each in (self.listener, *self.clients, *forks)]


class _Left(BaseException):
    """A command has ended its process."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


_SYSTEM: Any = os
_exit = os._exit


def _leave(code: int) -> NoReturn:
    """Stand in for `os._exit`, where that ends no more than a command."""
    if threading.current_thread() is not threading.main_thread():
        _exit(code)
    raise _Left(code)


def _work(supervisor: socket.socket, restorer: Restorer) -> NoReturn:
    """Run commands until there are no more, or one has left something behind."""
    while True:
        size, streams, _, _ = socket.recv_fds(supervisor, 8, 3)
        if not size:
            _exit(0)
        request = marshal.loads(receive(supervisor, int.from_bytes(size, "big")))
        code = _run(request, streams)
        if not restorer.restore():
            _exit(code & 0xFF)
        supervisor.sendall(code.to_bytes(4, "big", signed=True))


def _run(request: Any, streams: Sequence[int]) -> int:
    """Be the process that the request asks for."""
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _open_streams()
        sys.argv, cwd, environment = request
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        _set_home()
        _SYSTEM._exit = _leave
        return _run_script(Path(sys.argv[0]).name)
    except _Left as left:
        return left.code & 0xFF
    except BaseException:  # noqa: BLE001 - it is the end of a command, and of no more
        traceback.print_exc()
        return 1
    finally:
        _SYSTEM._exit = _exit


def _set_home() -> None:
    """Tell libgit2 where settings are, which it has asked when it was loaded."""
    from pygit2 import settings
    from pygit2.enums import ConfigLevel

    home = os.environ.get("HOME", "")
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    for level, path in ((ConfigLevel.GLOBAL, home), (ConfigLevel.XDG, f"{folder}/git")):
        settings.search_path[level] = path


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
    load_everything()
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        _Supervisor(asked, Restorer()).run()

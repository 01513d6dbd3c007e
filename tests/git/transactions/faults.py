"""faults.py: runs hkgit in forks of a process that has imported it, killed or failed at a point.

A point is every file that is opened for writing, every name that is made, moved or taken away,
every line of a journal, every object that is written, and every process that is started, before
and after.
"""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

from hkgit.cli import main
from hkgit.errors import GitRefused
from hkgit.git import program
from hkgit.git.program import Completed
from hkgit.git.repository import Repository
from hkgit.git.transaction import journal
from tests.support.forking import load_everything

CHANGES = frozenset(
    {"os.mkdir", "os.rmdir", "os.remove", "os.rename", "os.link", "os.chmod", "os.utime"}
)


class Forks:
    """A process that forks for every run."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )

    def run(
        self, where: Path, args: Sequence[str], temporary: Path, kind: str = "", at: int = -1
    ) -> tuple[int, list[str], str]:
        """The exit code (negative: by a signal), the points that were met, and what was said.

        What the run works on lies beside the temporary directory.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = [str(where), list(args), str(temporary), kind, at]
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        code, points, said = json.loads(self._process.stdout.readline())
        return code, points, said

    def close(self) -> None:
        self._process.communicate()


UNCHANGED = "= "
"""Begins the name of a point that finds on disk what the point before it found."""


class Fault:
    """What happens at the n-th point: the process is killed, or the point fails.

    Of the kind `watch` nothing happens; the points say whether anything has changed in `scene`.
    """

    def __init__(self, kind: str, at: int, seen: int, scene: Path) -> None:
        self.kind = kind
        self.at = at
        self.count = 0
        self.seen = seen
        self.scene = scene
        self.state: object = None

    def point(self, name: str, fail: Callable[[], object]) -> None:
        """Here is a point."""
        is_meant = self.count == self.at
        self.count += 1
        os.write(self.seen, f"{self.mark()}{name}\n".encode())
        if is_meant and self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if is_meant:
            fail()

    def mark(self) -> str:
        """Return the mark of a point at which a process dies as at the one before."""
        if self.kind != "watch":
            return ""
        before, self.state = self.state, _contents(self.scene)
        return UNCHANGED if self.state == before else ""

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """What sys.audit tells of the file system."""
        is_named = bool(args) and isinstance(args[0], str | bytes | os.PathLike)
        name = Path(os.fsdecode(args[0])).name if is_named else ""
        if event in CHANGES or (event == "open" and is_named and _is_writing(args)):
            self.point(f"{event} {name}", _no_space)

    def around(self, owner: Any, method: str, fail: Callable[[], object]) -> None:
        """Make points of the moments before and after a call."""
        real = getattr(owner, method)

        @wraps(real)
        def watched(*args: Any, **options: Any) -> Any:
            self.point(f"before {method}", fail)
            result = real(*args, **options)
            self.point(f"after {method}", fail)
            return result

        setattr(owner, method, watched)

    def around_processes(self) -> None:
        """A process fails before it has done anything, or when it has done everything."""
        module: Any = program
        real = module.execute

        @wraps(real)
        def watched(command: Sequence[str], *how: Any) -> Completed:
            name = _git_command(command)
            if self.kind == "desert" and self.count == self.at:
                self.desert(command, *how)
            failed = Completed(b"", "fatal: injected", 128)
            answers: list[Completed] = []
            self.point(f"before {name}", lambda: answers.append(failed))
            done = failed if answers else real(command, *how)
            self.point(f"after {name}", lambda: answers.append(failed))
            return answers[0] if answers else done

        module.execute = watched

    def desert(
        self, command: Sequence[str], cwd: Path, env: Any, given: bytes, own: bool, _: object
    ) -> NoReturn:
        """Die as soon as a process has started, and leave it to itself."""
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=own,
            close_fds=False,
        )
        assert child.stdin is not None
        child.stdin.write(given)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    def arm(self) -> None:
        """From now on points count."""
        self.around(journal, "_append", _no_space)
        self.around(Repository, "write_objects", _refused)
        self.around_processes()
        sys.addaudithook(self.audit)


def _contents(place: Path) -> object:
    """Return everything that lies in a directory: names, modes, times, targets, bytes."""
    found = {}
    for folder, names, files in os.walk(place):
        for name in names + files:
            path = Path(folder, name)
            about = path.lstat()
            data = path.read_bytes() if stat.S_ISREG(about.st_mode) else None
            target = path.readlink() if path.is_symlink() else None
            found[path] = (about.st_mode, about.st_mtime_ns, target, data)
    return found


def _is_writing(args: tuple[Any, ...]) -> bool:
    is_flagged = isinstance(args[2], int) and bool(args[2] & (os.O_WRONLY | os.O_RDWR))
    return is_flagged and args[0] != os.devnull


def _git_command(command: Any) -> str:
    if isinstance(command, str):
        return "verify"
    words = [word for word in command[1:] if not word.startswith("-") and "=" not in word]
    return " ".join(["git", *words[:1]])


def _no_space() -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _refused() -> NoReturn:
    raise GitRefused("object store", "injected")


def _fork(where: str, args: list[str], temporary: str, kind: str, at: int) -> tuple[int, str, str]:
    """Run hkgit in a child; what it met and what it said come back through pipes."""
    met, said = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        _run(where, args, temporary, Fault(kind, at, met[1], Path(temporary).parent), said[1])
    os.close(met[1])
    os.close(said[1])
    with os.fdopen(met[0], "rb") as points, os.fdopen(said[0], "rb") as words:
        answer = points.read().decode(), words.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *answer


def _run(where: str, args: list[str], temporary: str, fault: Fault, said: int) -> NoReturn:
    code = 70
    try:
        os.chdir(where)
        for number, stream in ((1, "stdout"), (2, "stderr")):
            os.dup2(said, number)
            setattr(sys, stream, os.fdopen(number, "w", closefd=False))
        tempfile.tempdir = os.environ["TMPDIR"] = temporary
        sys.argv = ["hkgit", *args]
        if fault.kind:
            fault.arm()
        main.run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 70
    finally:
        if code == 70:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    load_everything()
    for line in sys.stdin:
        code, points, said = _fork(*json.loads(line))
        print(json.dumps([code, points.split("\n")[:-1], said]), flush=True)


if __name__ == "__main__":
    _serve()

"""Start git, find it, and say what it answered."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.facts import PINNED, scrub_environment
from hkgit.values import dataclass, field, replace

OLDEST = (2, 38)  # The first git that has `merge-tree --write-tree`
_INSTALL = "Install git 2.38 or newer."
_MISUSED = 129  # How git ends that does not know an option

ADVICE = (
    (".lock': File exists", "Another git process is running, or one has died; then try again."),
    ("dubious ownership", "If you trust the repository, do what git says."),
    ("tell me who you are", "Set one: git config user.name NAME; git config user.email EMAIL"),
    ("empty ident name", "Set one: git config user.name NAME; git config user.email EMAIL"),
    ("auto-detection is disabled", "Set them: git config user.name NAME; git config user.email E"),
    ("unknown repository extension", "Use a newer git; for reftable it must be 2.45 or newer."),
    ("Out of diskspace", "Free some disk space, then try again; nothing was landed."),
    ("No space left", "Free some disk space, then try again; nothing was landed."),
    ("could not read Username", "Give git credentials: a credential helper, or an SSH key."),
    ("Permission denied (", "Give git credentials: a credential helper, or an SSH key."),
    ("Could not resolve host", "Check the URL and the network; the next run tries again."),
    ("does not appear to be a git repository", "Check the URL."),
    ("Permission denied", "Make the repository writable for you, then try again."),
    ("Read-only file system", "Make the repository writable for you, then try again."),
)


@dataclass(frozen=True)
class Completed:
    """What a finished git process said."""

    stdout: bytes
    stderr: str
    code: int

    @property
    def text(self) -> str:
        """Standard output as text without its last line end; odd bytes as surrogate escapes."""
        return os.fsdecode(self.stdout).rstrip("\n")

    @property
    def words(self) -> list[str]:
        """What a NUL ends each, as with -z; odd bytes as surrogate escapes."""
        return os.fsdecode(self.stdout).split("\0")[:-1]


@dataclass(frozen=True)
class Git:
    """The program, run in a directory.

    `environment` is laid over the environment, None takes a name away; `keep_environment` is for
    hooks, where git itself says by GIT_INDEX_FILE or GIT_QUARANTINE_PATH what is being judged.
    """

    cwd: Path
    environment: Mapping[str, str | None] = field(default_factory=dict)
    keep_environment: bool = False

    def __call__(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str | None] | None = None,
        check: bool = True,
        own_session: bool = False,
        memory: int | None = None,
        seconds: float | None = None,
    ) -> Completed:
        """Run `git ARGS`, with `env` over its environment.

        With `own_session` an interrupt from the keyboard does not reach git; with `memory` it gets
        so many bytes for its data, where the system can hold it to that; with `seconds` it and all
        that it has started are ended when the time is up (it has its own session then). Raises
        GitRefused with git's own words when `check` is set and git fails, and always when there is
        no git.
        """
        command = ["git", "-c", "core.fsmonitor=false", *args]
        if memory is not None and os.name == "posix":  # packs that it maps do not count
            limit = 'ulimit -S -d "$0" 2>/dev/null; exec "$@"'
            command[:0] = ("sh", "-c", limit, str(memory // 1024))
        environment = self.over(env or {}).build_environment()
        try:
            completed = execute(command, self.cwd, environment, stdin, own_session, seconds)
        except FileNotFoundError as error:
            if not self.cwd.is_dir():
                raise GitRefused(str(self.cwd), "there is no such directory") from error
            raise GitRefused("git", "there is no git program on PATH", _INSTALL) from error
        except OSError as error:
            raise GitRefused("git", f"could not be started: {error.strerror}") from error
        if check and completed.code != 0:
            raise refuse_failed(args, completed)
        return completed

    def over(self, environment: Mapping[str, str | None]) -> Git:
        """Lay more variables over the environment."""
        return replace(self, environment={**self.environment, **environment})

    def build_environment(self) -> dict[str, str]:
        """Build the environment that git is started with."""
        inherited = os.environ if self.keep_environment else scrub_environment(os.environ)
        environment = {**inherited, **PINNED, "GIT_PAGER": "cat", **self.environment}
        return {name: value for name, value in environment.items() if value is not None}


def execute(
    command: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    stdin: bytes,
    own_session: bool,
    seconds: float | None,
) -> Completed:
    """Run a program to its end (see `Git`). Raises OSError, and GitRefused when it is too slow."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=own_session or seconds is not None,
        close_fds=False,  # children keep the locks that this process holds (see `locks`)
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            fix = "Try again; if it always takes too long, allow more time or use a nearer copy."
            raise GitRefused("git", f"took longer than {seconds:g} s", fix) from error
        finally:
            if process.returncode is None:  # out of time, or interrupted
                _end(process, with_children=seconds is not None)
    return Completed(stdout, stderr.decode("utf-8", "replace"), process.returncode)


def _end(process: subprocess.Popen[bytes], *, with_children: bool) -> None:
    """End a process; `subprocess` would wait for what it has started."""
    if with_children and hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def refuse_failed(args: Sequence[str], completed: Completed) -> GitRefused:
    """Build the error for a failure of git: its own words, and what to do next."""
    if completed.code == _MISUSED and (installed := read_version()) < OLDEST:
        return GitRefused("git", "git {}.{} is too old".format(*installed), _INSTALL)
    words = completed.stderr.strip() or completed.text or _describe_end(completed.code)
    advice = (fix for needle, fix in ADVICE if needle in words)
    return GitRefused(_name_command(args), words, next(advice, ""))


def read_version() -> tuple[int, int]:
    """Find the version of the installed git; (0, 0) when it does not say."""
    return _ask_version(os.environ.get("PATH"))


@cache
def _ask_version(path: str | None) -> tuple[int, int]:
    """Ask the git that is found on a path, once: a history of merges names it with each."""
    output = Git(Path("/"))("--version", check=False).text
    found = re.search(r"(\d+)\.(\d+)", output)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _name_command(args: Sequence[str]) -> str:
    """`git commit` for `git -c name=value commit -q`."""
    words = iter(args)
    for word in words:
        if word == "-c":
            next(words)
        elif not word.startswith("-"):
            return f"git {word}"
    return "git"


def _describe_end(code: int) -> str:
    """Describe how a process ended that said nothing."""
    if code >= 0:
        return f"ended with code {code}"
    known = code in [-each for each in signal.Signals]
    return f"was ended by {signal.Signals(-code).name}" if known else f"was ended by signal {-code}"


_COMMAND = (
    r"(?<![\w./-])hkgit (?=(?:-C|adopt|apply|doctor|edit|init|read|record|redo|session|undo)\b)"
)
_EVERYWHERE = tuple(map(Path, ("/bin", "/usr/bin", "/usr/local/bin")))
"""Where a login shell looks, whatever the PATH was of who started it."""


def name_program(text: str, *, is_other_shell: bool = False) -> str:
    """Name hkgit by its path in the commands of a text where its name alone is not found.

    `is_other_shell`: they are run in another shell than this process, as by an agent that starts
    a login shell: that leaves a virtual environment. Who pushes to a server, or reads the log of a
    job, has a machine of their own.
    """
    if "hkgit " not in text or "GIT_QUARANTINE_PATH" in os.environ or "CI" in os.environ:
        return text
    places = (Path(folder, "hkgit") for folder in os.get_exec_path())
    found = next((each for each in places if os.access(each, os.X_OK) and each.is_file()), None)
    if found is not None and (not is_other_shell or found.parent in _EVERYWHERE):
        return text
    own = Path(sys.executable).with_name("hkgit")
    path = own if own.is_file() else found
    name = f"{shlex.quote(sys.executable)} -m hkgit" if path is None else shlex.quote(str(path))
    return re.sub(_COMMAND, lambda _: f"{name} ", text)

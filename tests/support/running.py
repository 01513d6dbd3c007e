"""running.py: the installed console scripts, and what a repository looks like."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.support.forks import has_forks, needs_a_start, run_fork
from tests.support.repos import Repo


def script(name: str) -> Path:
    """A console script of the environment that the tests run in."""
    return Path(sys.executable).with_name(name)


def find_on_path() -> dict[str, str]:
    """PATH with these scripts last: who types a name has them there."""
    return {"PATH": os.pathsep.join((os.environ["PATH"], str(script("hkgit").parent)))}


@dataclass(frozen=True)
class Result:
    """How a command ended and what it said."""

    code: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8", "replace")

    def json(self) -> Any:
        """Standard output as exactly one JSON document."""
        return json.loads(self.stdout)


def run(
    *args: str | Path,
    cwd: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    program: str = "hkgit",
) -> Result:
    """Run a console script; whatever it is asked, a traceback is never an answer."""
    command = [str(script(program)), *map(str, args)]
    environment = os.environ | find_on_path() | dict(env or {})
    code, out, err = run_script(command, cwd, stdin, environment)
    result = Result(code, out, err.decode("utf-8", "replace"))
    assert "Traceback" not in result.err, result.err
    return result


def run_script(
    command: Sequence[str], cwd: Path, stdin: bytes, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a console script, in a fork if that is the same; return its exit code and output."""
    if not has_forks() or needs_a_start(environment):
        return run_process(command, cwd, stdin, environment)
    return run_fork(command, cwd, stdin, environment)


def run_process(
    command: Sequence[str], cwd: Path, stdin: bytes, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a command in a process of its own, from the start of its interpreter to the end."""
    done = subprocess.run(command, cwd=cwd, input=stdin, env=environment, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def run_on_terminal(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run a command with a terminal for all it says; return its code and that.

    It is read meanwhile, to the end: one read gives what has arrived, and a terminal holds little.
    """
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", **(env or {})}
    with subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b"".join(iter(lambda: _read_terminal(ours), b""))
    os.close(ours)
    return process.returncode, said.decode()


def _read_terminal(number: int) -> bytes:
    try:
        return os.read(number, 65536)
    except OSError:  # Linux says so when nobody holds the other end any more
        return b""


def range_hash(data: bytes, start: int, end: int) -> str:
    """The range hash of section 2 of the contract, for text without odd line ends."""
    lines = data.splitlines(keepends=True)[start - 1 : end]
    return hashlib.sha256(b"".join(lines)).hexdigest()


@dataclass(frozen=True)
class State:
    """Everything about a repository that a refused command must leave as it was."""

    refs: str
    head: str
    worktrees: str
    index: str
    config: str
    git_files: frozenset[str]
    modes: Mapping[str, int]
    files: Mapping[str, bytes]
    temporary: tuple[str, ...]


@dataclass(frozen=True)
class Bench:
    """A repository to work on, a place for specs outside it, and an own temporary directory."""

    repo: Repo
    scratch: Path
    temporary: Path

    def run(
        self,
        *args: str | Path,
        cwd: Path | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        program: str = "hkgit",
    ) -> Result:
        """Run a console script in the repository."""
        environment = {"TMPDIR": str(self.temporary), **(env or {})}
        place = self.repo.path if cwd is None else cwd
        return run(*args, cwd=place, stdin=stdin, env=environment, program=program)

    def write(self, content: str | bytes, name: str = "spec") -> Path:
        """Write a spec outside the repository."""
        path = self.scratch / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def apply(
        self, content: str | bytes, *options: str, env: Mapping[str, str] | None = None
    ) -> Result:
        """`hkgit apply` of one spec."""
        return self.run("apply", self.write(content), *options, env=env)

    def expect_refusal(
        self, code: int, words: str, spec: str | bytes, *options: str, command: str = "apply"
    ) -> Result:
        """A spec is refused with a code, for a reason, and without a trace."""
        place = self.write(spec)
        with self.untouched():
            result = self.run(command, place, *options)
        assert (result.code, words in result.err) == (code, True), result.err
        return result

    @property
    def entry(self) -> Any:
        """The only ledger entry that HEAD adds, as JSON."""
        [entry] = self.run("show", "--json").json()["ledger"]
        return entry

    def sh(self, script: str) -> None:
        """Run a script of the shell in the repository, whose commands must succeed."""
        self.repo.shell(script)

    def hash(self, path: str, start: int, end: int, rev: str = "HEAD") -> str:
        """The range hash of lines of a committed file."""
        return range_hash(self.repo.show(rev, path), start, end)

    def state(self) -> State:
        """What the repository looks like now."""
        git_dir = _git_dir(self.repo.path)
        return State(
            refs=self._refs(git_dir),
            head=_text(git_dir / "HEAD"),
            worktrees=self._worktrees(git_dir),
            index=self._git("ls-files", "--stage", "-v"),
            config=_text(git_dir / "config"),
            git_files=frozenset(_names(git_dir)),
            modes={name: path.lstat().st_mode for name, path in _files(self.repo.path, git_dir)},
            files={name: _data(path) for name, path in _files(self.repo.path, git_dir)},
            temporary=tuple(sorted(path.name for path in self.temporary.iterdir())),
        )

    def _refs(self, git_dir: Path) -> str:
        """All refs; those in files are read without a process."""
        if (git_dir / "commondir").exists() or (git_dir / "reftable").exists():
            return self._git("for-each-ref")
        files = [git_dir / "packed-refs", *(git_dir / "refs").rglob("*")]
        return "".join(f"{path} {_text(path)}" for path in sorted(files) if path.is_file())

    def _worktrees(self, git_dir: Path) -> str:
        """The other checkouts, where there are any."""
        is_alone = git_dir.is_dir() and not (git_dir / "worktrees").exists()
        return "" if is_alone else self._git("worktree", "list", "--porcelain")

    def _git(self, *args: str) -> str:
        """What git says, or nothing where it cannot, as `git ls-files` where there is no git."""
        return self.repo.git(*args, env={"GIT_OPTIONAL_LOCKS": "0"}, check=False)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """What happens inside leaves no trace: no ref, worktree, index entry, lock, file."""
        before = asdict(self.state())
        yield
        after = asdict(self.state())
        assert {name: after[name] for name in after if after[name] != before[name]} == {}


def make_bench(repo: Repo, tmp_path: Path) -> Bench:
    """A bench around any repository."""
    scratch, temporary = tmp_path / "scratch", tmp_path / "temporary"
    scratch.mkdir()
    temporary.mkdir()
    return Bench(repo, scratch, temporary)


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


_KEPT = {"objects", "COMMIT_EDITMSG"}
"""Objects that nothing refers to are git's to collect."""


def _git_dir(root: Path) -> Path:
    """Where git keeps this checkout's state, even if no git can read it."""
    inside = root / ".git"
    if inside.is_file():
        return Path(inside.read_text().removeprefix("gitdir: ").rstrip("\n"))
    return inside if inside.is_dir() else root


def _names(git_dir: Path) -> Iterator[str]:
    """The files of a git directory, locks among them, without its objects."""
    for folder, names, files in os.walk(git_dir):
        names[:] = [name for name in names if name not in _KEPT]
        found = ((Path(folder) / name).relative_to(git_dir) for name in names + files)
        yield from (each.as_posix() for each in found if not _is_left_on_purpose(each))


_LEFT = {("hkgit",), ("hkgit", "judged"), ("hkgit", "refusals.jsonl")}
"""What hkgit leaves on purpose: what was refused, the judge's cache."""


def _is_left_on_purpose(name: Path) -> bool:
    return name.parts[:2] in _LEFT


def _files(root: Path, git_dir: Path) -> Iterator[tuple[str, Path]]:
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if Path(folder) / name != git_dir]
        for name in files:
            path = Path(folder) / name
            yield path.relative_to(root).as_posix(), path


def _data(path: Path) -> bytes:
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()

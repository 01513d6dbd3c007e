"""commands.py: engines that are programs of their own; their time is that of the whole process."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.engines.adapters import Answer, Engine, NotInstalledError
from benchmarks.engines.adapters.notation import unified, v4a

LIMIT_SECONDS = 20
NAME = "file"


@contextmanager
def git_apply(cache: Path) -> Iterator[Engine]:
    """git apply with blanks ignored, given a diff with one line of context."""
    options = ["--ignore-whitespace", "--unidiff-zero", "--recount", "-"]
    with _engine(["git", "apply", *options], lambda old, new: unified(old, new, 1)) as engine:
        yield engine


@contextmanager
def gnu_patch(cache: Path) -> Iterator[Engine]:
    """GNU patch with its usual fuzz and blanks ignored, given three lines of context."""
    options = ["--ignore-whitespace", "--batch", "--silent", "--no-backup-if-mismatch"]
    command = ["patch", *options, "--reject-file=-", NAME]
    with _engine(command, lambda old, new: unified(old, new, 3)) as engine:
        yield engine


@contextmanager
def codex(cache: Path) -> Iterator[Engine]:
    """apply_patch as the codex program carries it out, which goes by the name it is called by."""
    program = _codex_program(cache)

    def envelope(old: str, new: str) -> str:
        hunk = v4a(old, new)
        return f"*** Begin Patch\n*** Update File: {NAME}\n{hunk}*** End Patch\n"

    with _engine([str(program)], envelope) as engine:
        yield engine


def _codex_program(cache: Path) -> Path:
    """A link named apply_patch to the program in the npm package, installed where it is not."""
    home = cache / "peers" / "codex"
    link = home / "apply_patch"
    if not link.exists():
        home.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--prefix", str(home), "@openai/codex@0.169.0"]
        if subprocess.run(command, capture_output=True).returncode:
            raise NotInstalledError("npm could not install @openai/codex")
        found = sorted(home.glob("node_modules/@openai/*/vendor/*/*/codex"))
        if not found:
            raise NotInstalledError("the npm package holds no program for this machine")
        link.symlink_to(found[0])
    return link


@contextmanager
def _engine(command: Sequence[str], spec_of: Callable[[str, str], str]) -> Iterator[Engine]:
    """A program that reads a spec and changes a file in the directory that it runs in."""
    if shutil.which(command[0]) is None:
        raise NotInstalledError(f"there is no {command[0]}")
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, NAME)

        def engine(
            before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
        ) -> Answer:
            file.write_bytes(before)
            spec = spec_of(old, new).encode()
            began = perf_counter()
            done = subprocess.run(
                command, cwd=directory, input=spec, capture_output=True, timeout=LIMIT_SECONDS
            )
            spent = 1000 * (perf_counter() - began)
            reason = done.stderr.decode("utf-8", "replace")[:200]
            return Answer(None if done.returncode else file.read_bytes(), spent, reason)

        yield engine

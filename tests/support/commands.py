"""commands.py: the installed programs, as hooks and people start them."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.forks import has_forks, loaded_program
from tests.support.repos import Repo
from tests.support.running import run_process, run_script
from tests.support.specs import protocol, replace_range

ROOT = Path(__file__).parents[2]
"""The project's own work tree."""

PATH = {"PATH": os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))}
"""With the programs of this environment first."""


def loaded_path() -> dict[str, str]:
    """PATH with an hkgit that forks (see `forks`), then with the programs of this environment.

    For scripts; how hkgit starts is tested elsewhere.
    """
    return {"PATH": os.pathsep.join((str(loaded_program().parent), PATH["PATH"]))}


AGENT = {"GIT_AUTHOR_NAME": "claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
HUMAN: dict[str, str] = {}

FRAMEWORK_CONFIG = """\
# What we check before a commit.
repos:
  # The files that a hook sees.
  - repo: meta
    hooks:
      - id: identity
"""


def start(
    *command: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, whatever the end is; a script finds an hkgit that forks."""
    environment = os.environ | (loaded_path() if has_forks() else PATH) | dict(env or {})
    run_command = run_script if command[0] == "hkgit" else run_process
    code, out, err = run_command(command, cwd, stdin.encode(), environment)
    return subprocess.CompletedProcess(command, code, _decode(out), _decode(err))


def _decode(output: bytes) -> str:
    """Return text with line feeds as its only line ends."""
    return output.decode().replace("\r\n", "\n").replace("\r", "\n")


def hkgit(repo: Repo, *args: str, code: int = 0, **options: Any) -> str:
    """Standard output of `hkgit ARGS`, which must end with `code`."""
    done = start("hkgit", *args, cwd=repo.path, **options)
    assert done.returncode == code, f"hkgit {args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def git(repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> tuple[bool, str]:
    """Whether git, with its hooks, did it, and everything that was said."""
    done = start("git", *args, cwd=repo.path, env=env)
    return done.returncode == 0, done.stdout + done.stderr


def expect_pass(repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> str:
    """What is said of a `git ARGS` that its hooks let pass."""
    done, said = git(repo, *args, env=env)
    assert done, said
    return said


def expect_refusal(repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> str:
    """What is said of a `git ARGS` that its hooks refuse."""
    done, said = git(repo, *args, env=env)
    assert not done, said
    return said


def install_framework(repo: Repo) -> None:
    """What a person does who uses the pre-commit framework."""
    done = start("pre-commit", "install", cwd=repo.path)
    assert done.returncode == 0, done.stdout + done.stderr


def replace_line_two(repo: Repo, text: str) -> str:
    """A spec of the protocol for the second line of app.py, with the hash of what stands there."""
    read = json.loads(hkgit(repo, "read", "app.py:2", "--json"))["range_hash"]
    return protocol(replace_range("app.py", 2, 2, read, text))


def stage_line_two(repo: Repo, text: str) -> None:
    """Write the second line of app.py by hand, and stage all that there is."""
    repo.write("app.py", f"one\n{text}\nthree\n")
    repo.git("add", "-A")


def dying_at(repo: Repo, name: str) -> dict[str, str]:
    """A PATH whose git kills its caller at one thing, as a machine does that is switched off."""
    folder = repo.path.parent / "bin"
    folder.mkdir(exist_ok=True)
    git = start("sh", "-c", "command -v git", cwd=repo.path).stdout.strip()
    dies = f'case " $* " in *" {name} "*) kill -9 $PPID; exit 1;; esac'
    (folder / "git").write_text(f'#!/bin/sh\n{dies}\nexec {git} "$@"\n')
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:{loaded_path()['PATH']}"}

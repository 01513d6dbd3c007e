"""hkgit at work on a throw-away repository of its own sources.

`demo.txt` says what happens, step by step: `==` a title, `#` a remark, `+` a file, `~` a change of
the target, `$` a command with its exit code and, for some, `agent`, `-` one that is not shown.
Every line shown is printed by a real command; another exit code than the promised one is a fault.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from hkgit.cli.options import declare, option
from hkgit.cli.output import echo
from hkgit.errors import HkgitError
from hkgit.git.facts import scrub_environment
from hkgit.values import dataclass

TARGET = "hkgit/matching/place.py"
FUNCTION = "def format_decimal(per_mille: int) -> str:"
_AUTHORS = {"": ("Ada Person", "ada@example.org"), "agent": ("Claude", "noreply@anthropic.com")}
_COMMAND = re.compile(r"(\$|-)(\d?)(agent|) (.+)")


class DemoFailed(HkgitError):
    """A command of the demo did not answer as it should."""


@dataclass(frozen=True)
class DemoRepository:
    """The throw-away repository, and whom to tell what happens in it."""

    root: Path
    say: Callable[[str], None]

    def run(self, words: str, expect: int = 0, author: str = "", *, is_shown: bool = True) -> str:
        """Run a command and show it; `expect` is its exit code. Return its standard output."""
        if is_shown:
            self.say(f"$ {words}")
        program, *args = shlex.split(words)
        command = [sys.executable, "-P", "-m", "hkgit"] if program == "hkgit" else [program]
        done = subprocess.run(
            [*command, *args],
            cwd=self.root,
            env=self._make_environment(author),
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        shown = (done.stdout + done.stderr).rstrip("\n")
        if shown and is_shown:
            self.say("\n".join(f"  {line}" for line in shown.split("\n")))
        if done.returncode != expect:
            raise DemoFailed(program, f"exited with {done.returncode}, expected {expect}")
        if expect:
            self.say(f"  (exit code {expect})")
        return done.stdout

    def _make_environment(self, author: str) -> dict[str, str]:
        """No configuration; the commits are a made-up person's, or a made-up agent's."""
        name, email = _AUTHORS[author]
        roles = {f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")}
        roles |= {f"GIT_{role}_EMAIL": email for role in ("AUTHOR", "COMMITTER")}
        sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return {**scrub_environment(os.environ), **roles, **sealed, "PATH": path}


def play(root: Path, say: Callable[[str], None]) -> None:
    """Play the whole demo in an empty directory. Raises DemoFailed."""
    demo, target, known = DemoRepository(root, say), root / TARGET, ""
    with as_file(files("hkgit")) as sources:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(sources, root / "hkgit", ignore=ignored)
    (root / ".gitignore").write_text("spec-*\n")
    for words in ("init -q -b main", "add -A", "commit -q -m 'The own sources of the package'"):
        demo.run(f"git {words}", is_shown=False)
    tip = demo.run("git rev-parse HEAD", is_shown=False)
    say(f"A repository of hkgit's own sources: {tip[:12]}")
    for step in files("hkgit.cli").joinpath("demo.txt").read_text("utf-8").split("\n\n"):
        first = 1 + next(
            (at for at, line in enumerate(target.read_text().split("\n")) if FUNCTION in line), 0
        )
        places = {"target": TARGET, "function": FUNCTION, "hash": known}
        for name, value in {**places, "first": str(first), "last": str(first + 2)}.items():
            step = step.replace(f"@{name}@", value)
        head, _, body = step.rstrip("\n").partition("\n")
        mark, _, rest = head.partition(" ")
        command = _COMMAND.fullmatch(head)
        if mark == "==":
            say(f"\n{head}")
        elif mark == "#":
            say(rest)
        elif mark == "+":
            (root / rest).write_text(f"{body}\n")
            say("\n".join([f"{rest}:", *(f"  | {line}" for line in body.split("\n"))]))
        elif mark == "~":
            target.write_text(target.read_text().replace(rest, body, 1))
        elif command is not None:
            is_shown, expect = command[1] == "$", int(command[2] or 0)
            said = demo.run(command[4], expect, command[3], is_shown=is_shown)
            known = said.split("\n", 1)[0].rpartition(" ")[2] if " read " in head else known


@declare
def command(*, keep: bool = option("Keep the repository and print its path.")) -> None:
    """Show hkgit at work in a throw-away repository made of its own sources."""
    if keep:
        root = Path(tempfile.mkdtemp(prefix="hkgit-demo-"))
        play(root, echo)
        echo(f"\nKept: {root}")
        return
    with tempfile.TemporaryDirectory(prefix="hkgit-demo-", ignore_cleanup_errors=True) as folder:
        play(Path(folder), echo)

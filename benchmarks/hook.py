"""hook.py: `python -m benchmarks.hook`: what the gate costs at a commit, and where it goes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.pairs import in_turn, make_repository, sh

PYTHON = [sys.executable, "-P"]
PARTS = (
    ("interpreter alone", [*PYTHON, "-c", "pass"]),
    ("importing pygit2", [*PYTHON, "-c", "import pygit2"]),
    ("importing click", [*PYTHON, "-c", "import click"]),
    ("importing the gate", [*PYTHON, "-c", "import hkgit.cli.main, hkgit.cli.review.gate"]),
    ("the gate, nothing staged", [*PYTHON, "-m", "hkgit", "gate", "--staged"]),
)


def main() -> None:
    """Print the cost of a commit with the gate beside one without, then of the gate's parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_repository(root, asked.files)
        sh([*PYTHON, "-m", "hkgit", "init"], root)
        print("                              with           without")
        row = in_turn(lambda n: _commit(root, n), lambda n: _commit(root, n, "-n"), asked.runs)
        print(f"git commit, the hooks    {row.row()}")
        for name, command in PARTS:
            pair = in_turn(_runner(command, root), _runner(PARTS[0][1], root), asked.runs)
            print(f"{name:24} {pair.row()}")


def _commit(root: Path, number: int, *options: str) -> None:
    place = root / "d0000" / "f000001.txt"
    place.write_text(f"{place.read_text()}{options} {number}\n")
    env = {"PATH": f"{Path(sys.executable).parent}:{sh(['printenv', 'PATH'], root).strip()}"}
    sh(["git", "commit", "-q", "-a", "-m", "Edit", *options], root, env=env)


def _runner(command: list[str], root: Path) -> Callable[[int], None]:
    def run(number: int) -> None:
        sh(command, root)

    return run


if __name__ == "__main__":
    main()

"""scale.py: `python -m benchmarks.scale`: large repositories, large specs, many specs in a row.

Each row has hkgit and plain git doing the same in turn: the files written, added by name and
committed on the checked-out branch. hkgit reads the spec, finds the places, judges, records and
lands; git only commits. Memory is the peak of the process with its children, by wait4(2).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pairs import IDENTITY, in_turn, make_repository, sh

HKGIT = [sys.executable, "-P", "-m", "hkgit"]
MEBI = 1024
"""KiB: what wait4 counts in on Linux."""


@dataclass(frozen=True, slots=True)
class Job:
    """So many commits, of so many edited lines in each of so many files."""

    name: str
    files: int
    lines: int = 1
    commits: int = 1


ONE = Job("one edit", 1)
JOBS = (Job("1,000 edits of 500 files", 500, 2), Job("100 commits of one edit", 1, 1, 100))


def main() -> None:
    """Print a row for each size of repository and each job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10000, 100000])
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    os.environ |= {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "gc.auto",
        "GIT_CONFIG_VALUE_0": "0",
    }
    print("  files  job                           hkgit         git   time, and peak memory")
    for count in asked.files:
        with _repository(count) as root:
            print(_row(root, count, ONE, asked.runs), flush=True)
    for job in JOBS:
        with _repository(asked.files[0]) as root:
            print(_row(root, asked.files[0], job, asked.runs), flush=True)


@contextmanager
def _repository(count: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        root.mkdir()
        make_repository(root, count)
        # git packs in the background by itself after so large a commit: not while we measure.
        sh(["git", "gc", "-q"], root)
        sh(["git", "config", "gc.auto", "0"], root)
        yield root


def _row(root: Path, count: int, job: Job, runs: int) -> str:
    peaks = {"hkgit": 0, "git": 0}

    def ours(number: int) -> None:
        specs = [root.parent / f"spec-{commit}.json" for commit in range(job.commits)]
        for commit, spec in enumerate(specs):
            spec.write_text(_spec(root, job, f"ours {number}.{commit}", commit))
        command = [*HKGIT, "apply", *map(str, specs)]
        peaks["hkgit"] = max(peaks["hkgit"], _peak(command, root))

    def theirs(number: int) -> None:
        for commit in range(job.commits):
            names = _edit(root, job, f"theirs {number}.{commit}")
            sh(["git", "add", *names], root)
            peak = _peak(["git", "commit", "-q", "-m", "Edit"], root)
            peaks["git"] = max(peaks["git"], peak)

    pair = in_turn(ours, theirs, runs)
    memory = "   ".join(f"{peak / MEBI:4.0f} MiB" for peak in peaks.values())
    return f"{count:7d}  {job.name:26s} {pair.row()}  {memory}"


def _names(job: Job, first: int) -> list[str]:
    """Files of the first 1,000; hkgit and git have one half of them each."""
    numbers = range(first, first + job.files)
    return [f"d{number // 100:04d}/f{number:06d}.txt" for number in numbers]


def _spec(root: Path, job: Job, text: str, commit: int) -> str:
    """The edits of one commit, of lines that touch: an entry holds at most a MiB of them.

    Those of a later commit quote what the one before it wrote.
    """
    edits = []
    for name in _names(job, 0):
        lines = (root / name).read_text().split("\n")
        for line in range(job.lines):
            new = f"{text} {name} {line}"
            before = new.replace(f".{commit} ", f".{commit - 1} ") if commit else lines[4 + line]
            edits.append({"file": name, "old_text": before, "new_text": new})
    return json.dumps({"edits": edits} if len(edits) > 1 else edits[0])


def _edit(root: Path, job: Job, text: str) -> list[str]:
    names = _names(job, 500)
    for name in names:
        lines = (root / name).read_text().split("\n")
        for line in range(job.lines):
            lines[4 + line] = f"{text} {name} {line}"
        (root / name).write_text("\n".join(lines))
    return names


def _peak(command: Sequence[str], cwd: Path) -> int:
    """Run a command, and give the largest memory that it or a child of it had, in KiB."""
    environment = os.environ | IDENTITY
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[:6]}: ended with {process.returncode}")
    return used.ru_maxrss


if __name__ == "__main__":
    main()

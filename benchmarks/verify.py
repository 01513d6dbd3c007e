"""verify.py: `python -m benchmarks.verify`: how long it takes to replay a history.

Every commit of a made-up history is one replayable edit of one of 200 files, with its ledger
entry. Each way to verify it runs over the same commits in the same run, `git log -p` beside them.
Seconds are of the processor, so that a busy machine tells nearly the same, and the wall's.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.history import make_history
from benchmarks.pairs import sh
from hkgit.audit.tables.database import keep_rulings, list_held, open_kept_rows
from hkgit.evidence.replay import candidate_of, replay
from hkgit.gate.commit_range import CommitRange, drop_floors, judge_range
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository

LAX = drop_floors(Policy())
KIBI = 1024
TICK = 0.01
"""Seconds in which the processor's time is counted: what takes less would take none."""


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds of the processor, children included, and of the wall."""

    cpu: float
    wall: float

    def row(self, name: str, count: int) -> str:
        per_core, per_wall = count / self.cpu, count / self.wall
        return f"{name:34s} {self.cpu:8.2f} s {self.wall:8.2f} s {per_core:9,.0f} {per_wall:9,.0f}"


def main() -> None:
    """Print a row for each way to verify, what growth costs, and what storage does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "with.git"
        first = make_history(root, asked.commits)
        gc.collect()
        gc.freeze()  # what making it has left is no part of verifying it
        sh(["git", "gc", "-q"], root)
        commits = Repository.discover(root).commits_between(first, "main")
        print("                                          processor      wall    commits/s of each")
        for name, way in _ways(root, first, commits, asked.jobs):
            print(time_way(way).row(name, len(commits)), flush=True)
        print(_growth(root, commits))
        print(_memory(root, first, commits))
        print(_storage(Path(folder), root, asked.commits))


def _ways(
    root: Path, first: str, commits: Sequence[str], jobs: int
) -> list[tuple[str, Callable[[], None]]]:
    log = ["git", "log", "-p", "--no-ext-diff", f"{first}..main"]

    def verified(jobs: int = 1, known: bool = False) -> None:
        repository = Repository.discover(root)
        asked = CommitRange(first, repository.resolve("main"))
        if not known:
            rulings = judge_range(repository, asked, LAX, has_trusted_side=False, jobs=jobs)
            assert sum(ruling.passes for ruling in rulings) == len(commits)
            return
        with open_kept_rows(repository, LAX) as kept:
            held = list_held(kept, "", LAX, only_passing=True)
            fresh = [each for each in commits if each not in held]
            rulings = judge_range(repository, asked, LAX, has_trusted_side=False, commits=fresh)
            assert all(each.passes for each in keep_rulings(kept, rulings, LAX))

    return [
        ("git log -p", lambda: sh_quietly(log, root)),
        ("replay alone", lambda: _replayed(root, commits, recomputes=False)),
        ("replay and recomputation", lambda: _replayed(root, commits, recomputes=True)),
        ("git log -p, again", lambda: sh_quietly(log, root)),
        ("hkgit verify", verified),
        (f"hkgit verify --jobs {jobs}", lambda: verified(jobs)),
        ("hkgit verify --incremental", lambda: verified(known=True)),
        ("hkgit verify --incremental, again", lambda: verified(known=True)),
    ]


def sh_quietly(command: Sequence[str], cwd: Path) -> None:
    """Run a command and throw away what it prints."""
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=True)


def _replayed(root: Path, commits: Sequence[str], *, recomputes: bool) -> None:
    repository = Repository.discover(root)
    tip = repository.resolve("main")
    for commit in commits:
        candidate = candidate_of(repository, commit)
        judged = replay(repository, candidate, tip=tip, recomputes=recomputes)
        assert judged is not None
        assert judged.verdict == "strict", judged.findings


def time_way(way: Callable[[], None]) -> Time:
    """Measure one way to verify."""
    start, before = time.perf_counter(), os.times()
    way()
    after = os.times()
    return Time(max(sum(after[:4]) - sum(before[:4]), TICK), time.perf_counter() - start)


def _growth(root: Path, commits: Sequence[str]) -> str:
    """Replay alone of the first and of the last quarter: the ledger is small in one."""
    part = len(commits) // 4

    def rate(quarter: Sequence[str]) -> float:
        return part / time_way(lambda: _replayed(root, quarter, recomputes=False)).cpu

    first, last = rate(commits[:part]), rate(commits[-part:])
    return f"replay alone, per second of one core: first quarter {first:,.0f}, last {last:,.0f}"


def _memory(root: Path, first: str, commits: Sequence[str]) -> str:
    """The peak memory of verifying half of the history and all of it, beside `git log -p`."""
    verify = [sys.executable, "-P", "-m", "hkgit", "verify"]
    ends = commits[len(commits) // 2], commits[-1]
    half, whole = (_peak([*verify, f"{first}..{end}"], root) for end in ends)
    log = _peak(["git", "log", "-p", f"{first}..main"], root)
    return f"memory: {half:.0f} MiB for half, {whole:.0f} MiB for all; git log -p {log:.0f} MiB"


def _peak(command: Sequence[str], root: Path) -> float:
    """In MiB. A process between the two keeps the memory of this one out of it."""
    watch = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    return int(sh([sys.executable, "-c", watch, *command], root)) / KIBI


def _storage(folder: Path, root: Path, count: int) -> str:
    """What entries add to a packed repository and to a checkout."""
    bare = folder / "without.git"
    make_history(bare, count, has_entries=False)
    sh(["git", "gc", "-q"], bare)
    packed = (_size(root) - _size(bare)) / count / KIBI
    tree = sh(["git", "ls-tree", "-r", "-l", "main", ".hkgit"], root).splitlines()
    loose = sum(int(line.split()[3]) for line in tree) / count / KIBI
    return f"an entry: {packed:.2f} KiB in a packed repository, {loose:.2f} KiB in a checkout"


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in (root / "objects").rglob("*") if path.is_file())


if __name__ == "__main__":
    main()

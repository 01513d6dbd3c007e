"""pairs.py: times two ways of doing the same in turn, so that a noisy machine hits both."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

IDENTITY = {
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.org",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds of each run of two ways, in the order in which they ran."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    def row(self) -> str:
        """Medians in milliseconds, and the ratio pair by pair: lowest, median, highest."""
        ratios = sorted(a / b for a, b in zip(self.ours, self.theirs, strict=True))
        ours, theirs = 1000 * median(self.ours), 1000 * median(self.theirs)
        return (
            f"{ours:8.0f} ms {theirs:8.0f} ms   "
            f"ratio {median(ratios):5.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def in_turn(ours: Callable[[int], None], theirs: Callable[[int], None], runs: int) -> Pair:
    """Time both `runs` times after one run of each that does not count."""
    ours(0)
    theirs(0)
    times = [(_timed(ours, number), _timed(theirs, number)) for number in range(1, runs + 1)]
    return Pair(tuple(a for a, _ in times), tuple(b for _, b in times))


def _timed(work: Callable[[int], None], number: int) -> float:
    start = time.perf_counter()
    work(number)
    return time.perf_counter() - start


def sh(
    args: Sequence[str], cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> str:
    """Run a command under a made-up identity; a failure stops the benchmark."""
    done = subprocess.run(
        args, cwd=cwd, input=stdin, capture_output=True, env=os.environ | IDENTITY | dict(env or {})
    )
    if done.returncode != 0:
        raise SystemExit(f"{args}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


def make_repository(root: Path, count: int) -> None:
    """A repository of `count` small files in directories of a hundred."""
    sh(["git", "init", "-q", "-b", "main", "."], root)
    for number in range(count):
        place = root / f"d{number // 100:04d}" / f"f{number:06d}.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"line {line} of file {number}\n" for line in range(20)))
    sh(["git", "add", "-A"], root)
    sh(["git", "commit", "-q", "-m", "Files"], root)

"""fleet.py: what a commit costs in `hkgit fleet`, how that spreads, what a quiet repository costs.

`python -m benchmarks.fleet [COMMITS]` makes a history and verifies it: in this process for the
processor's time, then with one process, with two, and with two workers of Dask, by the clock.
The clock counts only on a machine that has nothing else to do; the load is printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.history import make_history
from hkgit.audit.fleet.plan import FleetDirectory, read_list
from hkgit.audit.fleet.run import verify_fleet
from hkgit.cli.fleet import open_executor

COMMITS, QUIET, SIZE = 2000, 20, 250


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COMMITS
    with tempfile.TemporaryDirectory(prefix="hkgit-fleet-") as made:
        root = Path(made)
        make_history(root / "long.git", count)
        (root / "list").write_text("long.git\n")
        print(f"{count} commits, each one edit of one line in 200 files of 60")
        with _scheduler(root) as file:
            _measure_all(root, count, file)
        _measure_quiet(root)


def _measure_all(root: Path, count: int, file: Path) -> None:
    ways: tuple[tuple[str, int | None, str | None], ...] = (
        ("1 process", 1, None),
        ("2 processes", 2, None),
        ("2 Dask workers", None, str(file)),
    )
    spent = _spend(root / "list", root / "here")
    print(f"processor: {1000 * spent / count:.2f} ms a commit")
    for name, jobs, scheduler in ways:
        with open_executor(jobs, scheduler) as executor:
            _warm(executor)
            began = time.perf_counter()
            _verify(root / "list", root / name.replace(" ", "-"), executor)
            seconds = time.perf_counter() - began
        print(f"{name:<15} {count / seconds:6.0f} commits/s by the clock")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def _measure_quiet(root: Path) -> None:
    """What is asked of repositories with nothing new: their refs, and no more."""
    for number in range(QUIET):
        make_history(root / f"quiet-{number}.git", 3, seed=number)
    listed = root / "quiet"
    listed.write_text("".join(f"quiet-{number}.git\n" for number in range(QUIET)))
    _spend(listed, root / "quiet-fleet")
    spent = _spend(listed, root / "quiet-fleet")
    print(f"nothing new: {1000 * spent / QUIET:.0f} ms of processor time a repository")


class _Here(Executor):
    """Does at once, in this process, what it is asked."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _spend(listed: Path, place: Path) -> float:
    """Seconds of processor time, those of git's processes too."""
    began = os.times()
    _verify(listed, place, _Here())
    return sum(after - before for before, after in zip(began[:4], os.times()[:4], strict=True))


def _verify(listed: Path, place: Path, executor: Executor) -> None:
    rows = list(verify_fleet(read_list(listed), FleetDirectory(place), executor, size=SIZE))
    assert all(row.failure is None for row in rows), rows


def _warm(executor: Executor) -> None:
    """Let every worker have loaded hkgit: a nightly run loads it once, for hours of work."""
    for future in [executor.submit(_load, number) for number in range(4)]:
        future.result()


def _load(number: int) -> int:
    import hkgit.audit.fleet.run  # noqa: F401 (loaded for those that come after)

    time.sleep(0.3)
    return number


@contextmanager
def _scheduler(root: Path) -> Iterator[Path]:
    """A scheduler with two workers of one thread each."""
    file = root / "scheduler.json"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    commands = [("scheduler", *common, "--host", "127.0.0.1", "--port", "0")]
    with ExitStack() as stack:
        for command in (*commands, *[("worker", *common, "--nthreads", "1", "--no-nanny")] * 2):
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *command],
                cwd=root,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            while not file.exists():
                time.sleep(0.05)
        yield file


if __name__ == "__main__":
    main()

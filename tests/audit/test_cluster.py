"""A real cluster over loopback: a scheduler and two workers as processes, one of which dies."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from benchmarks.history import make_history
from hkgit.audit.fleet.plan import FleetDirectory, ListedRepository, read_list
from hkgit.audit.fleet.run import verify_fleet
from hkgit.audit.tables.database import FILE, open_directory
from hkgit.cli import fleet
from hkgit.cli.fleet import open_executor
from hkgit.errors import GitRefused, InvalidInput

COMMITS, SIZE = 120, 4


@pytest.fixture(autouse=True)
def distributed() -> None:
    """Loaded for tests that run; to collect them it is not needed, and takes long."""
    pytest.importorskip("distributed")


@dataclass
class Cluster:
    """The processes of a cluster, and the file by which clients find it."""

    file: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def start_cluster(root: Path, workers: int) -> Iterator[Cluster]:
    """A scheduler and workers of one thread each, without what would start them again."""
    file = root / "scheduler.json"
    place = ("--scheduler-file", str(file), "--no-dashboard")
    commands = [["scheduler", *place, "--host", "127.0.0.1", "--port", "0"]]
    local = ("--nthreads", "1", "--no-nanny", "--local-directory", str(root))
    commands += [["worker", *place, *local]] * workers
    with ExitStack() as stack:
        started: list[subprocess.Popen[bytes]] = []
        for command in commands:
            log = stack.enter_context((root / f"{len(started)}.log").open("wb"))
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *command], stdout=log, stderr=log, cwd=root
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
            while not file.exists() and process.poll() is None:
                time.sleep(0.05)
        yield Cluster(file, started[0], started[1:])


def count_judged(fleet: Path) -> int:
    """How many commits stand in the database of a fleet."""
    if not (fleet / "tables" / FILE).exists():
        return 0
    with open_directory(fleet / "tables") as database:
        count: int = database.execute("SELECT count(*) FROM commits").fetchone()[0]
        return count


@contextmanager
def lose(root: Path, kind: str, workers: int) -> Iterator[tuple[Executor, list[int]]]:
    """A cluster of which one process is killed in the middle; how many commits were judged then."""
    seen: list[int] = []

    def kill_in_the_middle(process: subprocess.Popen[bytes]) -> None:
        while count_judged(root / "fleet") < 3 * SIZE:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append(count_judged(root / "fleet"))

    with start_cluster(root, workers) as cluster:
        victim = cluster.scheduler if kind == "scheduler" else cluster.workers[0]
        killer = Thread(target=kill_in_the_middle, args=(victim,))
        with open_executor(None, str(cluster.file)) as executor:
            executor._client.wait_for_workers(workers, timeout=60)  # type: ignore[attr-defined]
            killer.start()
            yield executor, seen
        killer.join()
    assert victim.returncode == -signal.SIGKILL


@pytest.fixture
def fleet_of_one(tmp_path: Path) -> tuple[Sequence[ListedRepository], FleetDirectory]:
    """One repository with a long history."""
    make_history(tmp_path / "long.git", COMMITS)
    (tmp_path / "list").write_text("long.git\n")
    return read_list(tmp_path / "list"), FleetDirectory(tmp_path / "fleet")


@pytest.mark.slow
def test_a_worker_that_dies_in_the_middle_loses_nothing_and_doubles_nothing(
    fleet_of_one: tuple[Sequence[ListedRepository], FleetDirectory], tmp_path: Path
) -> None:
    with lose(tmp_path, "worker", 2) as (executor, seen):
        [row] = verify_fleet(*fleet_of_one, executor, size=SIZE)
    assert seen[0] < COMMITS + 1
    assert row.figures.commits == COMMITS + 1
    assert row.figures["replay"] == {"strict": COMMITS, "no evidence": 1}


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run_and_the_next_takes_it_up(
    fleet_of_one: tuple[Sequence[ListedRepository], FleetDirectory], tmp_path: Path
) -> None:
    gone = pytest.raises(GitRefused, match=r"the workers are gone .*\nRun it again")
    with lose(tmp_path, "scheduler", 1) as (executor, _), gone:
        list(verify_fleet(*fleet_of_one, executor, size=SIZE))
    assert count_judged(tmp_path / "fleet") >= 3 * SIZE
    with open_executor(1, None) as executor:
        [row] = verify_fleet(*fleet_of_one, executor, size=SIZE)
    assert row.figures.commits == COMMITS + 1


@pytest.mark.parametrize("named", ["tcp://127.0.0.1:9", "gopher:x", "/none.json"])
def test_a_scheduler_that_is_not_there_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setattr(fleet, "_PATIENCE", 0.2)
    with pytest.raises(InvalidInput, match=named), open_executor(None, named):
        raise AssertionError("there is none")

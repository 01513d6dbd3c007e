"""`hkgit fleet`: many repositories at once."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any

import click

from hkgit.audit.fleet.plan import FleetDirectory, ListedRepository, read_list
from hkgit.audit.fleet.run import (
    FleetRow,
    count_failed,
    count_rejected,
    row_line,
    summary_json,
    summary_lines,
    verify_fleet,
)
from hkgit.audit.tables.rows import describe_versions
from hkgit.cli.answer import Answer
from hkgit.cli.options import argument, declare, group, option
from hkgit.cli.output import CONSOLE, QUIET, echo, show_progress
from hkgit.cli.runner import INTERRUPTED
from hkgit.errors import GitRefused, InvalidInput, Rejected
from hkgit.gate.trusted_policy import read_policy_file

_PATIENCE = 10
"""Seconds to wait for a scheduler."""
_GRACE = 0.5
"""Seconds that an interrupted worker has to end what it has started."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@declare
def verify(
    *,
    file: str = argument("LIST"),
    to: str = option("The directory for mirrors, state and tables.", required=True, metavar="DIR"),
    policy: str | None = option("The policy to use instead of each repository's.", metavar="FILE"),
    jobs: int | None = option("Number of local processes.", type=click.IntRange(1), metavar="N"),
    dask: str | None = option(
        "A Dask scheduler: its address, or the file that it wrote.", metavar="ADDRESS|FILE"
    ),
) -> Answer:
    """Mirror every repository of LIST and judge what is new since the last run.

    LIST has one path or URL per line. Of each the branch is judged that its HEAD names, under the
    policy at its tip, or that of --policy. A repository that cannot be judged gets a row with the
    reason. An interrupted run loses nothing: run it again. Workers of Dask use the same path for
    DIR.
    """
    if jobs is not None and dask is not None:
        raise click.UsageError("--jobs and --dask exclude each other.")
    listed, directory = read_list(Path(file)), FleetDirectory(Path(to).absolute())
    named = None if policy is None else read_policy_file(Path(policy))
    with open_executor(jobs, dask) as executor:
        rows = _collect(listed, verify_fleet(listed, directory, executor, named))
    failed = GitRefused.exit_code if count_failed(rows) else 0
    code = Rejected.exit_code if count_rejected(rows) else failed
    return Answer(summary_json(rows), summary_lines(rows), code, is_info=True)


command = group("Verify many repositories.", verify=verify)


def _collect(
    listed: Sequence[ListedRepository], coming: Generator[FleetRow, None, None]
) -> list[FleetRow]:
    """Collect the rows in the order of the list, each printed as soon as it is there."""
    found: dict[ListedRepository, FleetRow] = {}
    with closing(coming) as rows:
        for _ in show_progress("verifying repository")(listed):
            row = next(rows)
            found[row.listed] = row
            if CONSOLE.form == "text" and (CONSOLE.loudness > QUIET or not row.passes):
                echo(row_line(row))
    return [found[each] for each in listed]


@contextmanager
def open_executor(jobs: int | None, dask: str | None) -> Iterator[Executor]:
    """Start what does the work: processes here, or the workers of a Dask scheduler."""
    if dask is None:
        pool = ProcessPoolExecutor(jobs or os.cpu_count() or 1, initializer=_begin_worker)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
        return
    with _connect(dask) as client:
        executor: Executor = client.get_executor(pure=False)
        yield executor


def _begin_worker() -> None:
    """Let a worker end quietly where the terminal interrupts all processes at once."""
    signal.signal(signal.SIGINT, _end_worker)
    signal.signal(signal.SIGTERM, _end_worker)


def _end_worker(number: int, frame: object) -> None:
    """Let what is under way clean up, then end for good: more work waits in the worker's queue."""
    timer = Timer(_GRACE, os.kill, (os.getpid(), _KILL))
    timer.daemon = True
    timer.start()
    sys.exit(INTERRUPTED)


@contextmanager
def _connect(named: str) -> Iterator[Any]:
    """A client of the scheduler. Raises InvalidInput where it cannot be reached."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        fix = "pip install 'hkgit[dask]', here and where workers run."
        raise InvalidInput("--dask", "distributed is not installed", fix) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it reports, hkgit says
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        place = "scheduler_file" if Path(named).is_file() else "address"
        client = distributed.Client(**{place: named}, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        fix = (
            "Start one: dask scheduler; give its address, tcp://HOST:8786, or its --scheduler-file."
        )
        raise InvalidInput(named, "no scheduler answers there", fix) from error
    try:
        _expect_same_versions(client)
        yield client
    finally:
        client.close(timeout=_PATIENCE)


def _expect_same_versions(client: Any) -> None:
    """Raise InvalidInput where a worker has another hkgit: values would not be understood."""
    own = describe_versions()
    for worker, versions in client.run(describe_versions).items():
        if tuple(versions) != own:
            what = f"has {', '.join(versions)}; this machine has {', '.join(own)}"
            raise InvalidInput(f"worker {worker}", what, "Install the same versions everywhere.")

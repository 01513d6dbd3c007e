"""tasks.py: what is asked of workers and what they answer: plain values for any executor.

A failure that hkgit or the system explains is a value too: a repository that fails is a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Future

from hkgit import __version__
from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.places import FleetDirectory
from hkgit.errors import HkgitError
from hkgit.gate.policy import Policy
from hkgit.git import program
from hkgit.matching.places import LADDER_VERSION
from hkgit.values import dataclass, field

PART = 1000
"""Commits of one task: some seconds of work."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a repository, or a part of it, could not be judged."""

    where: str
    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class PlanJob:
    """A repository to fetch and to plan in parts of `size` commits.

    `policy` is the one that was named; `has_tables` says that rows are stored as well as numbers.
    """

    directory: FleetDirectory
    listed: ListedRepository
    policy: Policy | None = None
    size: int = PART
    has_tables: bool = True


@dataclass(frozen=True, slots=True)
class PlannedRepository:
    """A repository that is here, and what is to be judged of it.

    `tips` are the commits by ref; none of an empty repository. `count` commits stand in its list
    in the directory. `is_fresh` says that nothing of an earlier run is built on, `is_rewritten`
    that this is because the history no longer holds what was judged.
    """

    name: str
    tips: Mapping[str, str]
    count: int
    policy: Policy
    policy_digest: str
    basis: str
    evidence: str
    is_fresh: bool
    is_rewritten: bool = False
    reopens: bool = False
    done: tuple[int, ...] = ()
    versions: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class PartJob:
    """A stretch of a repository's list of commits to judge."""

    directory: FleetDirectory
    name: str
    policy: Policy
    basis: str
    tip: str
    start: int
    size: int
    has_tables: bool


@dataclass(frozen=True, slots=True)
class StoreJob:
    """A repository whose parts are judged, and whose rows go into the tables."""

    directory: FleetDirectory
    listed: ListedRepository
    plan: PlannedRepository
    size: int


Answer = PlannedRepository | Failure | int


def describe_versions() -> tuple[str, ...]:
    """Name what a ruling depends on besides the repository: versions of hkgit, ladder and git."""
    git = ".".join(map(str, program.read_version()))
    return f"hkgit {__version__}", f"ladder {LADDER_VERSION}", f"git {git}"


def make_failure(error: HkgitError | OSError, where: str) -> Failure:
    """Convert an error to a value; an exception of hkgit does not travel between processes."""
    if isinstance(error, HkgitError):
        return Failure(error.where, error.what, error.fix)
    name = where if error.filename is None else str(error.filename)
    return Failure(name, error.strerror or str(error), "Make room or give access; then run again.")


def take_answer(future: Future[Answer]) -> Answer:
    """Return what a task answered; an unexpected error is a failure of its repository alone."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenExecutor | CancelledError) or not isinstance(error, Exception):
        raise error  # the worker is gone, or somebody has interrupted it
    fix = "Run it again; if it stays, run hkgit verify in the mirror with --debug and report it."
    return Failure("worker", f"{type(error).__name__}: {error}".partition("\n")[0], fix)

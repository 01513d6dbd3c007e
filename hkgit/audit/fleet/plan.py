"""What of many repositories must be judged, and in which parts.

Workers on other machines reach it by the same path. `fleet.json` marks it, so that a worker that
does not see it says so, and fetches nothing to a place of its own.

A failure that hkgit or the system explains is a value too: a repository that fails is a row.

A commit whose ruling hangs on its history alone is settled. The others are open: what failed,
what a key or a record in refs lets pass (`lasting` in the tables is false). They are judged again
when those refs have changed.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from pathlib import Path

from hkgit import __version__
from hkgit.audit.commits import AuditedCommit, fold_agent
from hkgit.audit.fleet.repositories import ListedRepository
from hkgit.audit.tables.store import write_json
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.evidence.entry import digest
from hkgit.gate.policy.model import Policy
from hkgit.gate.policy.source import hash_policy
from hkgit.gate.rules.grants import BREAK_GLASS
from hkgit.gate.trusted_policy import follow_policy, read_trusted_policy
from hkgit.git import program
from hkgit.git.mirrors import RemoteRefs, list_mirror, list_remote, update_mirror
from hkgit.git.repository import Repository
from hkgit.git.transaction import locks
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import dataclass, replace

KINDS = ("replay", "made_by", "standing", "evidence", "agents")
"""What commits are counted by; `evidence` counts edits, and `agents` a commit by each."""


class Tally:
    """Numbers of commits: all, those that the policy lets pass, and by each of `KINDS`."""

    def __init__(self, document: Mapping[str, Json] | None = None) -> None:
        found = document or {}
        self.commits = int(found.get("commits", 0))
        self.passing = int(found.get("passing", 0))
        self.by = {kind: Counter[str](found.get(kind, {})) for kind in KINDS}

    def count(self, commit: AuditedCommit) -> None:
        """Add one commit."""
        self.commits += 1
        self.passing += commit.passes
        self.by["replay"][commit.replay] += 1
        self.by["made_by"][commit.made_by] += 1
        self.by["standing"][commit.standing] += 1
        self.by["evidence"].update(commit.evidence)
        self.by["agents"].update({fold_agent(agent) for agent in commit.agents})

    def add(self, other: Tally) -> None:
        """Add what another one has counted."""
        self.commits += other.commits
        self.passing += other.passing
        for kind in KINDS:
            self.by[kind].update(other.by[kind])

    def to_json(self) -> JsonObject:
        """Write the numbers as `Tally` reads them."""
        return {
            "commits": self.commits,
            "passing": self.passing,
            **{kind: dict(sorted(self.by[kind].items())) for kind in KINDS},
        }


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add up some tallies."""
    total = Tally()
    for each in tallies:
        total.add(each)
    return total


LAYOUT = 1
"""The version of the directory's layout."""


@dataclass(frozen=True, slots=True)
class FleetDirectory:
    """Where everything of a fleet is kept."""

    root: Path

    @property
    def marker(self) -> Path:
        return self.root / "fleet.json"

    @property
    def summary(self) -> Path:
        return self.root / "summary.json"

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    def mirror(self, name: str) -> Path:
        return self.root / "mirrors" / f"{name}.git"

    def state(self, name: str) -> Path:
        return self.root / "states" / f"{name}.json"

    def pending(self, name: str) -> Path:
        """Return where the work on a repository is that is not in its state yet."""
        return self.root / "pending" / name

    def prepare(self) -> None:
        """Make the directory, or see that this hkgit knows the one that is there.

        Raises InvalidInput.
        """
        if self.marker.exists():
            self._check_layout()
            return
        if self.root.exists() and any(self.root.iterdir()):
            fix = "Name a new directory, or one that hkgit fleet has made."
            raise InvalidInput(str(self.root), "holds something else", fix)
        self.root.mkdir(parents=True, exist_ok=True)
        write_json(self.marker, {"layout": LAYOUT})

    def _check_layout(self) -> None:
        found = read_json(self.marker)
        if not isinstance(found, dict) or type(found.get("layout")) is not int:
            raise InvalidInput(str(self.marker), "is not a fleet's", "Name another directory.")
        if found["layout"] > LAYOUT:
            what = f"has layout {found['layout']}, and this hkgit knows {LAYOUT}"
            raise InvalidInput(str(self.root), what, "Use a newer hkgit, or a new directory.")

    def expect_seen(self) -> None:
        """Raise InvalidInput where a worker does not reach the directory."""
        if not self.marker.exists():
            what = "is not seen by a worker"
            fix = "Workers reach the directory by the same path: use a shared file system."
            raise InvalidInput(str(self.root), what, fix)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let one run at a time work here. Raises GitRefused."""
        path = self.root / "lock"
        held = locks.wait_for(path, 0)
        if held is None:
            fix = "Wait for it, or name another directory."
            raise GitRefused(str(self.root), "another run is at work here", fix)
        try:
            yield
        finally:
            locks.remove(path, held)


def read_json(path: Path) -> object:
    """Read the JSON value of a file; None where there is none that can be read."""
    try:
        found: object = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found


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
    versions: tuple[str, ...] = ()

    @property
    def tip(self) -> str:
        """The commit of its first ref; it has one unless it is empty."""
        return next(iter(self.tips.values()))


@dataclass(frozen=True, slots=True)
class PartJob:
    """A stretch of a repository's list of commits to judge."""

    directory: FleetDirectory
    plan: PlannedRepository
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


SCHEMA = 1


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """A repository as the last run left it.

    `basis` names all that its rulings depend on (policy, pins, versions), `evidence` the refs that
    open ones depend on. `tips` are the commits by ref up to which all is judged, `settled` and
    `open_tally` the numbers of both kinds, `open` the ids of the open ones.
    """

    basis: str
    evidence: str
    tips: Mapping[str, str]
    settled: Tally
    open_tally: Tally
    open: tuple[str, ...]


def read_state(directory: FleetDirectory, name: str) -> RepositoryState | None:
    """Read the state of a repository; None where there is none that this hkgit can go on from."""
    found = read_json(directory.state(name))
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        return None
    try:
        return RepositoryState(
            basis=found["basis"],
            evidence=found["evidence"],
            tips=found["tips"],
            settled=Tally(found["settled"]),
            open_tally=Tally(found["open_tally"]),
            open=tuple(found["open"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def write_state(directory: FleetDirectory, name: str, state: RepositoryState) -> None:
    """Keep a state. Raises OSError."""
    document = {
        "schema": SCHEMA,
        "basis": state.basis,
        "evidence": state.evidence,
        "tips": dict(state.tips),
        "settled": state.settled.to_json(),
        "open_tally": state.open_tally.to_json(),
        "open": list(state.open),
    }
    write_json(directory.state(name), document)


def join_parts(directory: FleetDirectory, plan: PlannedRepository, size: int) -> RepositoryState:
    """Build the state after a plan is carried out: what was there before, and every part.

    `size` is the number of commits in a part.
    """
    before = None if plan.is_fresh else read_state(directory, plan.name)
    settled, opened, left = Tally(), Tally(), list[str]()
    if before is not None:
        settled.add(before.settled)
        if not plan.reopens:
            opened.add(before.open_tally)
            left += before.open
    for part in _read_parts(directory, plan, size):
        settled.add(Tally(part["settled"]))
        opened.add(Tally(part["open_tally"]))
        left += part["open"]
    return RepositoryState(
        basis=plan.basis,
        # What could not be read may be readable the next time, whatever the refs say.
        evidence="" if opened.by["replay"]["unverifiable"] else plan.evidence,
        tips=plan.tips,
        settled=settled,
        open_tally=opened,
        open=tuple(left),
    )


def _read_parts(
    directory: FleetDirectory, plan: PlannedRepository, size: int
) -> Iterator[JsonObject]:
    """Read what each part of a plan came to."""
    pending = directory.pending(plan.name)
    for start in range(0, plan.count, size):
        part = read_json(pending / f"{start}.json")
        if not isinstance(part, dict):
            what = "a part that was judged is not there any more"
            raise GitRefused(str(pending), what, "Run it again.")
        yield part


def plan_repository(job: PlanJob) -> PlannedRepository | Failure:
    """Bring the mirror of a repository up to date, and list what is to be judged."""
    place = job.listed.place
    try:
        job.directory.expect_seen()
        remote = _update(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, place)
    try:
        return _plan(job, remote)
    except (Unverifiable, GitRefused) as error:
        mirror = job.directory.mirror(job.listed.directory)
        fix = f"Remove {mirror}; the next run fetches it anew."
        return Failure(place, f"its mirror cannot be read: {error.what}", fix)
    except (HkgitError, OSError) as error:
        return make_failure(error, place)


def _update(job: PlanJob) -> RemoteRefs:
    """Fetch where the remote has something else than the mirror; what the remote has."""
    mirror = job.directory.mirror(job.listed.directory)
    remote = list_remote(job.listed.address)
    try:
        if not remote.refs or remote.refs != list_mirror(mirror):
            update_mirror(job.listed.address, mirror)
    except GitRefused as error:
        fix = f"The next run tries again; if it stays, remove {mirror}: it is fetched anew."
        raise GitRefused(job.listed.place, error.what, fix) from error
    return remote


def _plan(job: PlanJob, remote: RemoteRefs) -> PlannedRepository:
    name, mirror = job.listed.directory, job.directory.mirror(job.listed.directory)
    repository = Repository.discover(mirror)
    tips = _find_tips(job.listed, list_mirror(mirror), remote.branch)
    policy, digest_ = _read_policy(repository, job.policy, tips)
    basis = digest(repr((policy, sorted(tips), describe_versions(), job.has_tables)).encode())
    planned = PlannedRepository(
        name=name,
        tips=tips,
        count=0,
        policy=policy,
        policy_digest=digest_,
        basis=basis,
        evidence=_digest_evidence(list_mirror(mirror)),
        is_fresh=True,
        versions=describe_versions(),
    )
    return _list_commits(job, repository, planned)


def _find_tips(
    listed: ListedRepository, refs: Mapping[str, str], branch: str | None
) -> dict[str, str]:
    if not refs:
        return {}
    wanted = listed.refs or _find_default(refs, branch)
    if not wanted:
        fix = "Say which refs in a list in TOML: refs = [...]."
        raise InvalidInput(listed.place, "its HEAD names no branch", fix)
    missing = [ref for ref in wanted if ref not in refs]
    if missing:
        raise InvalidInput(listed.place, f"has no {missing[0]}", "Name refs that it has.")
    return {ref: refs[ref] for ref in wanted}


def _find_default(refs: Mapping[str, str], branch: str | None) -> tuple[str, ...]:
    """Find the branch that HEAD names, or else the only one."""
    if branch is not None and branch in refs:
        return (branch,)
    branches = tuple(ref for ref in refs if ref.startswith("refs/heads/"))
    return branches if len(branches) == 1 else ()


def _read_policy(
    repository: Repository, named: Policy | None, tips: Mapping[str, str]
) -> tuple[Policy, str]:
    """Read the policy at the first tip, unless another was named, and its digest."""
    if named is not None:
        policy = follow_policy(repository, named)
    elif tips:
        tip = repository.resolve(next(iter(tips.values())))
        policy = read_trusted_policy(repository, tip)
    else:
        policy = Policy()
    return policy, hash_policy(policy)


def _digest_evidence(refs: Mapping[str, str]) -> str:
    """One value for all refs that may change a ruling: hkgit's own, and tags of break-glass."""
    own = (BREAK_GLASS, "refs/hkgit/")
    lines = sorted(f"{ref} {name}" for ref, name in refs.items() if ref.startswith(own))
    return digest("\n".join(lines).encode())


def _list_commits(
    job: PlanJob, repository: Repository, planned: PlannedRepository
) -> PlannedRepository:
    """Write the list of commits where its parts are read, and return the plan with it."""
    planned, old, again = _continue_state(job, repository, planned)
    commits = [*again, *_new_commits(repository, planned, old)]
    pending = job.directory.pending(planned.name)
    plan: JsonObject = {
        "size": job.size,
        "basis": planned.basis,
        "evidence": planned.evidence,
        "tips": planned.tips,
        "from": list(old),
    }
    if read_json(pending / "plan.json") == plan:
        done = tuple(int(path.stem) for path in pending.glob("[0-9]*.json"))
        return replace(planned, count=len(commits), done=done)
    shutil.rmtree(pending, ignore_errors=True)
    if commits:
        pending.mkdir(parents=True)
        (pending / "commits").write_text("".join(f"{each}\n" for each in commits), "ascii")
        write_json(pending / "plan.json", plan)
    return replace(planned, count=len(commits))


def _continue_state(
    job: PlanJob, repository: Repository, planned: PlannedRepository
) -> tuple[PlannedRepository, tuple[str, ...], tuple[str, ...]]:
    """Find what an earlier run has left to go on from.

    Returns the plan, the tips that are judged already, and commits that may be judged otherwise
    by now.
    """
    state = read_state(job.directory, planned.name)
    if state is None or state.basis != planned.basis:
        return planned, (), ()
    if not _descends(repository, state.tips, planned.tips):
        return replace(planned, is_rewritten=True), (), ()
    again = state.open if state.evidence != planned.evidence else ()
    return replace(planned, is_fresh=False, reopens=bool(again)), tuple(state.tips.values()), again


def _descends(repository: Repository, old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Whether each ref still holds what was judged of it."""
    try:
        return all(ref in new and repository.is_ancestor(old[ref], new[ref]) for ref in old)
    except HkgitError:  # what was pruned is not in any history
        return False


def _new_commits(
    repository: Repository, planned: PlannedRepository, old: Sequence[str]
) -> Iterator[str]:
    before = list(old)
    for tip in planned.tips.values():
        commit = repository.resolve(tip)
        if commit not in before:
            yield from repository.commits_between(None, commit, *before)
            before.append(commit)

"""work.py: what workers do: bring a mirror up to date and plan, judge a part of the plan.

Tasks take and return plain values, so that any executor can carry them. A failure that hkgit or
the system explains is a value too: a repository that fails is a row.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hkgit import __version__
from hkgit.audit.commits import audited
from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.places import FleetDirectory, read_json, write_json
from hkgit.audit.fleet.states import is_settled, read_state
from hkgit.audit.fleet.tally import Tally
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.evidence.ledger.canonical import digest
from hkgit.gate import (
    BREAK_GLASS,
    CommitRange,
    Gate,
    JudgeContext,
    candidate_of,
    commits_of,
    read_trusted_policy,
)
from hkgit.gate.policy import Policy
from hkgit.gate.policy.digest import policy_digest
from hkgit.git import program
from hkgit.git.mirrors import RemoteRefs, list_mirror, list_remote, update_mirror
from hkgit.git.repository import Repository
from hkgit.matching.places import LADDER_VERSION
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.entrypoints.pinning import Trust

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
    """A repository to fetch and to plan in parts of `size` commits; `trust` are the pins."""

    directory: FleetDirectory
    listed: ListedRepository
    trust: Trust | None = None
    size: int = PART


@dataclass(frozen=True, slots=True)
class PlannedRepository:
    """A repository that is here, and what is to be judged of it.

    `tips` are the commits by ref; none of an empty repository. `count` commits stand in its list
    in the directory. `is_fresh` says that nothing of an earlier run is built on, `is_rewritten`
    that this is because the history no longer holds what was judged.
    """

    name: str
    tips: dict[str, str]
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


def describe_versions() -> tuple[str, ...]:
    """What a ruling depends on besides the repository: hkgit, its ladder, git."""
    git = ".".join(map(str, program.version()))
    return f"hkgit {__version__}", f"ladder {LADDER_VERSION}", f"git {git}"


def plan_repository(job: PlanJob) -> PlannedRepository | Failure:
    """Bring the mirror of a repository up to date, and list what is to be judged."""
    place = job.listed.place
    try:
        job.directory.expect_seen()
        remote = _update(job)
    except (HkgitError, OSError) as error:
        return failure_of(error, place)
    try:
        return _plan(job, remote)
    except (Unverifiable, GitRefused) as error:
        mirror = job.directory.mirror(job.listed.directory)
        fix = f"Remove {mirror}; the next run fetches it anew."
        return Failure(place, f"its mirror cannot be read: {error.what}", fix)
    except (HkgitError, OSError) as error:
        return failure_of(error, place)


def failure_of(error: HkgitError | OSError, where: str) -> Failure:
    """A refusal as a value; an exception of hkgit does not travel between processes."""
    if isinstance(error, HkgitError):
        return Failure(error.where, error.what, error.fix)
    name = where if error.filename is None else str(error.filename)
    return Failure(name, error.strerror or str(error), "Make room or give access; then run again.")


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
    policy, digest_ = _read_policy(repository, job.trust, tips)
    basis = digest(repr((policy, sorted(tips), describe_versions())).encode())
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
    """The branch that HEAD names, or else the only one."""
    if branch is not None and branch in refs:
        return (branch,)
    branches = tuple(ref for ref in refs if ref.startswith("refs/heads/"))
    return branches if len(branches) == 1 else ()


def _read_policy(
    repository: Repository, trust: Trust | None, tips: Mapping[str, str]
) -> tuple[Policy, str]:
    """The policy at the first tip, or what the pins come to there, as it holds for that ref."""
    if not tips:
        return Policy(), policy_digest(Policy())
    ref, tip = next(iter(tips.items()))
    tip = repository.resolve(tip)
    if trust is None:
        policy = read_trusted_policy(repository, tip)
        return policy.for_refs([ref]), policy_digest(policy)
    from hkgit.gate.entrypoints.pinning import resolve_pins

    pinned = resolve_pins(repository, trust, tip)
    ladders = pinned.policy.ladders if trust.ladders is None else trust.ladders
    return replace(pinned.policy, ladders=ladders).for_refs([ref]), pinned.digest


def _digest_evidence(refs: Mapping[str, str]) -> str:
    """One value for all refs that may change a ruling: hkgit's own, and tags of break-glass."""
    own = (BREAK_GLASS, "refs/hkgit/")
    lines = sorted(f"{ref} {name}" for ref, name in refs.items() if ref.startswith(own))
    return digest("\n".join(lines).encode())


def _list_commits(
    job: PlanJob, repository: Repository, planned: PlannedRepository
) -> PlannedRepository:
    """The plan with its list of commits, written where the parts of it are read."""
    state = read_state(job.directory, planned.name)
    old: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    if state is not None and state.basis == planned.basis:
        if _descends(repository, state.tips, planned.tips):
            old = tuple(state.tips.values())
            again = state.open if state.evidence != planned.evidence else ()
            planned = replace(planned, is_fresh=False, reopens=bool(again))
        else:
            planned = replace(planned, is_rewritten=True)
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
            yield from commits_of(
                repository, CommitRange(None, commit, tuple(before)), planned.policy
            )
            before.append(commit)


@dataclass(frozen=True, slots=True)
class PartJob:
    """A stretch of a repository's list of commits to judge."""

    directory: FleetDirectory
    name: str
    policy: Policy
    basis: str
    ref: str
    tip: str
    start: int
    size: int


_OF_THREAD = threading.local()
"""The gate of this thread, which keeps what it has read; a worker may have several threads."""


def judge_part(job: PartJob) -> int | Failure:
    """Judge the commits of a part, and keep what came out; how many they were."""
    try:
        job.directory.expect_seen()
        return _judge(job)
    except (HkgitError, OSError) as error:
        return failure_of(error, job.name)


def _judge(job: PartJob) -> int:
    gate = _gate_of(job)
    settled, opened, left = Tally(), Tally(), []
    commits = _read_part(job)
    for commit in commits:
        ruling = gate.judge(candidate_of(gate.repository, commit))
        told = audited(ruling)
        if is_settled(ruling):
            settled.count(told)
        else:
            opened.count(told)
            left.append(commit)
    document: JsonObject = {
        "settled": settled.to_json(),
        "open_tally": opened.to_json(),
        "open": left,
    }
    write_json(job.directory.pending(job.name) / f"{job.start}.json", document)
    return len(commits)


def _gate_of(job: PartJob) -> Gate:
    key = (job.directory.root, job.name, job.basis, job.tip)
    if getattr(_OF_THREAD, "key", None) != key:
        repository = Repository.discover(job.directory.mirror(job.name))
        _OF_THREAD.gate = Gate(repository, job.policy, JudgeContext(ref=job.ref), tip=job.tip)
        _OF_THREAD.key = key
    gate: Gate = _OF_THREAD.gate
    return gate


def _read_part(job: PartJob) -> list[str]:
    """The ids of a part, without reading the list of all: each takes the same room."""
    with (job.directory.pending(job.name) / "commits").open("rb") as file:
        width = len(file.readline())
        file.seek(job.start * width)
        return file.read(job.size * width).decode("ascii").split()


def remove_pending(directory: FleetDirectory, name: str) -> None:
    """Forget what was under way, which is in the state now."""
    place: Path = directory.pending(name)
    shutil.rmtree(place, ignore_errors=True)

"""planning.py: bring the mirror of a repository up to date, and list what is to be judged."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence

from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.places import read_json
from hkgit.audit.fleet.states import read_state
from hkgit.audit.fleet.tasks import (
    Failure,
    PlanJob,
    PlannedRepository,
    describe_versions,
    make_failure,
)
from hkgit.audit.tables.store import write_json
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.evidence.ledger.canonical import digest
from hkgit.gate import BREAK_GLASS, read_trusted_policy
from hkgit.gate.policy import Policy
from hkgit.gate.policy.digest import hash_policy
from hkgit.gate.trusted import follow_policy
from hkgit.git.remotes.mirrors import RemoteRefs, list_mirror, list_remote, update_mirror
from hkgit.git.repository import Repository
from hkgit.text.json_nodes import JsonObject
from hkgit.values import replace


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

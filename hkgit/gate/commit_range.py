"""The commits of a range, judged as a stream, in several processes.

Every commit is judged on its own parents, so the parts do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.evidence.replay import candidate_of
from hkgit.gate.clock import Watch
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import UNKNOWN, JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace


@dataclass(frozen=True)
class CommitRange:
    """What `new` has and `old` has not, without `old` all of it; never what is in `excluding`."""

    old: str | None
    new: str
    excluding: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{(self.old or '')[:12]}..{self.new[:12]}"


def split_range(argument: str) -> tuple[str, str]:
    """Split `A..B` into its sides. Raises InvalidInput for anything else."""
    old, dots, new = argument.partition("..")
    if not dots or not old or not new or new.startswith(".") or ".." in new:
        raise InvalidInput(argument, "is not a range A..B", "Write OLD..NEW, with two dots.")
    return old, new


def select_share(commits: Sequence[str], number: int, of: int) -> Sequence[str]:
    """Select one of some equal parts, counted from 1, whose commits follow each other.

    All parts together are all commits, each once.
    """
    first, last = (len(commits) * each // of for each in (number - 1, number))
    return commits[first:last]


def list_commits_of(repository: Repository, asked: CommitRange, policy: Policy) -> list[str]:
    """List the commits of a range, parents first, without those before the policy's `since`.

    Raises InvalidInput for a range that runs backwards.
    """
    old, new = asked.old, asked.new
    commits = list(repository.commits_between(old, new, *asked.excluding))
    # Only a range without commits may run backwards; to ask takes as long as to list.
    if not commits and old not in (None, new) and repository.is_ancestor(new, str(old)):
        fix = "Write the older revision first."
        raise InvalidInput(str(asked), "the range runs backwards", fix)
    if policy.since is None:
        return commits
    since = repository.resolve(policy.since)
    return [commit for commit in commits if not repository.is_ancestor(commit, since)]


def judge_range(
    repository: Repository,
    asked: CommitRange,
    policy: Policy,
    context: JudgeContext = UNKNOWN,
    *,
    commits: Sequence[str] | None = None,
    has_trusted_side: bool = True,
    jobs: int = 1,
    watch: Watch = iter,
) -> Iterator[Ruling]:
    """Judge every commit of a range on its own parents, each when its ruling is read.

    Its `old` is the trusted side: only entries that it has may be pruned, and merges must account
    for its text. Without one the policy is taken as it is, and any entry may be pruned. `commits`
    are what `list_commits_of` has listed already, or a part of it. So many `jobs` work on them.
    """
    if commits is None:
        commits = list_commits_of(repository, asked, policy)
    trusted = asked.old if has_trusted_side else None
    gate = Gate(repository, policy, context, tip=asked.new, trusted=trusted, landing=asked.old)
    return _judge_commits(gate, commits, jobs, watch)


CHUNK = 100
"""Commits that a process judges in a row: they share most of their trees."""


def _judge_commits(gate: Gate, commits: Sequence[str], jobs: int, watch: Watch) -> Iterator[Ruling]:
    if jobs == 1 or len(commits) <= CHUNK:
        for commit in watch(commits):
            yield gate.judge(candidate_of(gate.repository, commit))
        return
    chunks = [commits[at : at + CHUNK] for at in range(0, len(commits), CHUNK)]
    place = (gate.repository.start, gate.repository.in_hook)
    how = (gate.policy, gate.context, gate.tip, gate.trusted, gate.landing)
    from concurrent.futures import ProcessPoolExecutor  # it loads sockets

    workers = min(jobs, len(chunks))
    with ProcessPoolExecutor(workers, initializer=_open_gate, initargs=(place, how)) as pool:
        done = (ruling for rulings in pool.map(_judge_chunk, chunks) for ruling in rulings)
        for _ in watch(commits):
            yield next(done)


_GATES: list[Gate] = []
"""The gate of a worker, which keeps what it has read."""


def _open_gate(place: tuple[Path, bool], how: tuple[Any, ...]) -> None:
    _GATES[:] = [Gate(Repository.discover(place[0], in_hook=place[1]), *how)]


def _judge_chunk(commits: Sequence[str]) -> list[Ruling]:
    [gate] = _GATES
    return [gate.judge(candidate_of(gate.repository, commit)) for commit in commits]


def drop_floors(policy: Policy) -> Policy:
    """Accept everything that replays; who is governed stays as it is."""
    return replace(
        policy,
        mode="enforce",
        accept=KINDS,
        any_verdict=True,
        tiers=None,
        min_confidence=0,
        min_tightness=0,
        paths=(),
        reject_text=(),
        entries_signed=False,
    )

"""parallelism.py: judge a range in several processes, or parts of it on several machines.

Every commit is judged on its own parents, so the parts do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.evidence.replay.findings import ReplayResult, Verdict
from hkgit.evidence.replay.judging import candidate_of
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.ranges import CommitRange, Watch, list_commits_of
from hkgit.gate.rulings import Report, Ruling
from hkgit.gate.verified import VerifiedCommits
from hkgit.git.repository import Repository
from hkgit.values import dataclass

CHUNK = 100
"""Commits that a process judges in a row: they share most of their trees."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of` parts of a range, counted from 1."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse `i/n`. Raises InvalidInput."""
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise InvalidInput(text, "is not a share i/n", "Write 1/4 for the first of four.")
        return cls(int(number), int(of))

    def of_commits(self, commits: Sequence[str]) -> Sequence[str]:
        """Select the commits of this shard, which follow each other.

        All shards together are all commits, each once.
        """
        first, last = (len(commits) * each // self.of for each in (self.number - 1, self.number))
        return commits[first:last]


WHOLE = Shard()


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How the work is divided: `jobs` processes, on the commits of one `share`.

    Commits that `known` has are not judged again; those that pass are added to it.
    """

    jobs: int = 1
    share: Shard = WHOLE
    known: VerifiedCommits | None = None


ALONE = Parallelism()
"""One process, on the whole range, from the beginning."""


def verify_range(
    repository: Repository,
    asked: CommitRange,
    policy: Policy,
    spread: Parallelism = ALONE,
    *,
    watch: Watch = iter,
) -> Report:
    """Judge a range under a policy that is taken as it is, without a trusted side."""
    return Report(policy, tuple(rule_range(repository, asked, policy, spread, watch=watch)))


def list_commits(
    repository: Repository, asked: CommitRange, policy: Policy, spread: Parallelism = ALONE
) -> Sequence[str]:
    """List the commits of a range that fall to this share, parents first."""
    return spread.share.of_commits(list_commits_of(repository, asked, policy))


def rule_range(
    repository: Repository,
    asked: CommitRange,
    policy: Policy,
    spread: Parallelism = ALONE,
    *,
    watch: Watch = iter,
    commits: Sequence[str] | None = None,
) -> Iterator[Ruling]:
    """Yield the rulings of `verify_range`, each as soon as it is made; none is kept."""
    if commits is None:
        commits = list_commits(repository, asked, policy, spread)
    before = {} if spread.known is None else spread.known.verdicts(commits)
    fresh = [commit for commit in commits if commit not in before]
    gate = Gate(repository, policy, tip=asked.new, landing=asked.old)
    rulings = _judge_shard(gate, fresh, spread.jobs, watch)
    if spread.known is not None:
        rulings = _note_passing(rulings, spread.known)
    for commit in commits:
        verdict = before.get(commit)
        yield next(rulings) if verdict is None else _rule_verified(repository, commit, verdict)
    # What is begun comes to its end: progress is wiped, and the last that passed are noted.
    yield from rulings


def _note_passing(rulings: Iterator[Ruling], known: VerifiedCommits) -> Iterator[Ruling]:
    """The same rulings, noted by the chunk: a run that is interrupted has not been for nothing."""
    chunk: list[Ruling] = []
    for ruling in rulings:
        chunk.append(ruling)
        if len(chunk) == CHUNK:
            known.add(chunk)
            chunk.clear()
        yield ruling
    known.add(chunk)


def _judge_shard(gate: Gate, commits: Sequence[str], jobs: int, watch: Watch) -> Iterator[Ruling]:
    repository = gate.repository
    if jobs == 1 or len(commits) <= CHUNK:
        yield from (gate.judge(candidate_of(repository, each)) for each in watch(commits))
        return
    chunks = [commits[at : at + CHUNK] for at in range(0, len(commits), CHUNK)]
    place = (repository.start, repository.in_hook)
    work = partial(_judge_chunk, *place, gate.policy, gate.tip, gate.landing)
    with ProcessPoolExecutor(min(jobs, len(chunks))) as pool:
        done = (ruling for rulings in pool.map(work, chunks) for ruling in rulings)
        for _ in watch(commits):
            yield next(done)


_GATES: dict[tuple[Path, str | None, str | None], Gate] = {}
"""The gate of this process, which keeps what it has read."""


def _judge_chunk(
    start: Path,
    in_hook: bool,
    policy: Policy,
    tip: str | None,
    landing: str | None,
    commits: Sequence[str],
) -> list[Ruling]:
    gate = _GATES.get((start, tip, landing))
    if gate is None:
        gate = _GATES[start, tip, landing] = Gate(
            Repository.discover(start, in_hook=in_hook), policy, tip=tip, landing=landing
        )
    return [gate.judge(candidate_of(gate.repository, commit)) for commit in commits]


def _rule_verified(repository: Repository, commit: str, verdict: Verdict) -> Ruling:
    judged = ReplayResult(candidate_of(repository, commit), verdict)
    replayed = None if verdict in (Verdict.MANUAL, Verdict.UNGOVERNED) else verdict
    return Ruling(judged, replayed, True, "verified before")

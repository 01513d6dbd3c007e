"""commits.py: judge commits that are there: those of a range, or those that an event of CI brings.

The rulings come one by one, so that memory does not grow with the range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hkgit.gate import CommitRange, JudgeContext, Report, Watch, load_policy
from hkgit.gate.entrypoints.ci import CiEvent, judge_event
from hkgit.gate.ranges import RulingStream, stream_range
from hkgit.git.repository import Repository
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class RangeRequest:
    """The commits to judge, under the policy of their old side.

    `policy` names another one, as FILE or REV:PATH. With `explain` the rulings say which rules
    were tried.
    """

    commits: CommitRange
    policy: str | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """The commits of which to say what a policy would reject; it is named as for a range."""

    commits: CommitRange
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """A commit that would be rejected, by which rule, and its first finding: where and what."""

    commit: str | None
    rule: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a policy would do: how many commits of each verdict it meets, passes and rejects.

    `policy` says where that was read.
    """

    policy: str
    met: Mapping[str, int]
    passed: Mapping[str, int]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class EventRequest:
    """What CI was started for, judged under the policy of the trusted side; else as for a range."""

    event: CiEvent
    policy: str | None = None
    explain: bool = False


def judge_commits(
    repository: Repository, request: RangeRequest, watch: Watch = iter
) -> RulingStream:
    """Judge the commits of a range, each on its own parents, as the rulings are read.

    Raises InvalidInput for a range that runs backwards, or a policy that cannot be read.
    """
    policy = load_policy(repository, request.policy, request.commits.old)
    context = JudgeContext(explain=request.explain)
    return stream_range(repository, request.commits, policy, context, watch=watch)


def simulate(repository: Repository, request: SimulationRequest, watch: Watch = iter) -> Simulation:
    """Say what a policy would reject of a range. Raises as `judge_commits` does."""
    asked = RangeRequest(request.commits, request.policy)
    stream = judge_commits(repository, asked, watch)
    met: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    rejections = []
    for ruling in stream.rulings:
        judged = ruling.judged
        met[str(judged.verdict)] += 1
        if ruling.passes:
            passed[str(judged.verdict)] += 1
            continue
        first = ruling.findings[0]
        rejections.append(Rejection(judged.candidate.id, ruling.rule, first.where, first.what))
    return Simulation(stream.policy.source, met, passed, tuple(rejections))


def judge_ci(repository: Repository, request: EventRequest, watch: Watch = iter) -> Report:
    """Judge what an event brings. Raises Rejected where the update itself is refused."""
    named = None if request.policy is None else load_policy(repository, request.policy, None)
    return judge_event(repository, request.event, named, watch, explain=request.explain)

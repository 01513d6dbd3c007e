"""verify.py: derive every commit of a range again, for an auditor."""

from __future__ import annotations

from hkgit.gate import CommitRange, drop_floors
from hkgit.gate.parallelism import WHOLE, Parallelism, Shard, list_commits, rule_range
from hkgit.gate.policy import Policy
from hkgit.gate.ranges import RulingStream, Watch
from hkgit.gate.verified import VerifiedCommits
from hkgit.git.repository import Repository
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """The commits of `old..new`, and the policy that they are verified under.

    `jobs` processes work on the commits of one `shard`. An `incremental` run leaves out what
    passed here before.
    """

    old: str
    new: str
    policy: Policy
    jobs: int = 1
    shard: Shard = WHOLE
    incremental: bool = False


def verify(repository: Repository, request: VerifyRequest, watch: Watch = iter) -> RulingStream:
    """Verify commit by commit, so that memory does not grow with the range.

    The floors of the policy do not count.
    """
    policy = drop_floors(request.policy)
    known = VerifiedCommits.of(repository, policy) if request.incremental else None
    spread = Parallelism(request.jobs, request.shard, known)
    asked = CommitRange(request.old, request.new)
    commits = list_commits(repository, asked, policy, spread)
    rulings = rule_range(repository, asked, policy, spread, watch=watch, commits=commits)
    return RulingStream(policy, rulings, commits[-1] if commits else None)

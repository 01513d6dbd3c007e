"""verify.py: derive every commit of a range again, for an auditor."""

from __future__ import annotations

from pathlib import Path

from hkgit.gate import CommitRange, drop_floors
from hkgit.gate.parallelism import WHOLE, Parallelism, Shard, list_commits, rule_range
from hkgit.gate.policy import Policy
from hkgit.gate.ranges import RulingStream, Watch
from hkgit.gate.verified import VerifiedCommits
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """The commits of `old..new`, and the policy or the file of pins that they are verified under.

    `jobs` processes work on the commits of one `shard`. An `incremental` run leaves out what
    passed here before.
    """

    old: str
    new: str
    policy: Policy | Path
    jobs: int = 1
    shard: Shard = WHOLE
    incremental: bool = False


def verify(repository: Repository, request: VerifyRequest, watch: Watch = iter) -> RulingStream:
    """Verify commit by commit, so that memory does not grow with the range.

    The floors of the policy do not count. Raises Rejected when the policy is another than the one
    that is pinned.
    """
    if isinstance(request.policy, Policy):
        policy = drop_floors(request.policy)
        return _stream_under(repository, request, policy, watch)
    # Few runs have pins.
    from hkgit.gate.entrypoints.pinning import describe_pins, read_trust, resolve_pins

    pinned = resolve_pins(repository, read_trust(request.policy), request.old)
    policy = replace(drop_floors(pinned.policy), ladders=pinned.trust.ladders)
    stream = _stream_under(repository, request, policy, watch)
    return replace(stream, pins=describe_pins(pinned, repository))


def _stream_under(
    repository: Repository, request: VerifyRequest, policy: Policy, watch: Watch
) -> RulingStream:
    known = VerifiedCommits.of(repository, policy) if request.incremental else None
    spread = Parallelism(request.jobs, request.shard, known)
    asked = CommitRange(request.old, request.new)
    commits = list_commits(repository, asked, policy, spread)
    rulings = rule_range(repository, asked, policy, spread, watch=watch, commits=commits)
    return RulingStream(policy, rulings, commits[-1] if commits else None)

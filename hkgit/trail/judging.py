"""judging.py: the rulings on a stretch of history, without the policy's floors."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.gate import Gate, Report, candidate_of, without_floors
from hkgit.gate.ranges import Watch
from hkgit.git.repository import Repository
from hkgit.policy import Policy


def derived(
    repository: Repository, commits: Sequence[str], policy: Policy, watch: Watch = iter
) -> Report:
    """What can be derived of each commit; who is governed comes from the policy."""
    gate = Gate(repository, without_floors(policy))
    rulings = tuple(gate.judge(candidate_of(repository, each)) for each in watch(commits))
    return Report(gate.policy, rulings)

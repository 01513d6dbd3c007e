"""Judge a whole range, and count the rulings that a process holds."""

import gc
from collections.abc import Iterable, Iterator
from typing import Any

from hkgit.gate.commit_range import CommitRange, judge_range
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.repository import Repository
from tests.support.objects import open_repository
from tests.support.repos import Repo


def judge_whole(
    repository: Repository, asked: CommitRange, policy: Policy, *given: Any, **options: Any
) -> Report:
    """Judge every commit of a range, and report on all of them."""
    rulings = judge_range(repository, asked, policy, *given, **options)
    return Report(policy, tuple(rulings))


def judge_between(
    repo: Repo, old: str | None, new: str = "HEAD", policy: Policy | None = None
) -> Report:
    """Judge the commits between two revisions, under the built-in policy or another."""
    repository = open_repository(repo)
    ends = None if old is None else repository.resolve(old), repository.resolve(new)
    return judge_whole(repository, CommitRange(*ends), policy or Policy())


def count_alive(rulings: Iterable[Ruling], alive: list[int], every: int = 40) -> Iterator[Ruling]:
    """Pass rulings on, and count now and then how many there are."""
    for number, ruling in enumerate(rulings, 1):
        if number % every == 0:
            alive.append(count_rulings())
        yield ruling


def count_rulings() -> int:
    """Count the rulings that were made in this process and not let go of."""
    gc.collect()
    return sum(type(each) is Ruling for each in gc.get_objects())

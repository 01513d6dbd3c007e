"""conftest.py: one history for everything that shows, and its page."""

import hashlib

import pytest

from hkgit.audit.audit import Audit
from hkgit.audit.commits import AuditedCommit
from hkgit.audit.page.render import PageFacts, gather_facts
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from hkgit.values import replace
from tests.support.objects import open_repository
from tests.support.orchard import Orchard
from tests.support.repos import Repo
from tests.support.rulings import judge_whole


def facts_of(
    repo: Repo, old: str = "start", new: str = "HEAD", title: str = "orchard"
) -> PageFacts:
    """The facts of a range under the built-in policy."""
    repository = open_repository(repo)
    asked = CommitRange(repository.resolve(old), repository.resolve(new))
    report = judge_whole(repository, asked, Policy())
    return gather_facts(repository, title, Audit.of(f"{old}..{new}", asked, report))


def multiply(facts: PageFacts, count: int) -> PageFacts:
    """As many commits as that, each with an id of its own; the first ones with their hunks."""
    made = []
    for number in range(count):
        each = facts.commits[number * len(facts.commits) // count]
        name = hashlib.sha1(str(number).encode()).hexdigest()
        judged = each.commit.ruling.judged
        message = f"{each.commit.subject} {number}".encode()
        judged = replace(judged, candidate=replace(judged.candidate, id=name, message=message))
        commit = AuditedCommit(replace(each.commit.ruling, judged=judged))
        made.append(replace(each, commit=commit, hunks=each.hunks if number < 900 else None))
    return replace(facts, commits=tuple(made))


@pytest.fixture(scope="session")
def facts(orchard: Orchard) -> PageFacts:
    return facts_of(orchard.repo)

"""A range in numbers: what was done, by whom, tied to what, how surely."""

from __future__ import annotations

import pytest

from hkgit.audit.tables.figures import Figures, count_all, numbers_json, numbers_lines, open_rows_of
from hkgit.gate.commit_range import CommitRange, drop_floors
from hkgit.gate.policy.model import Policy
from tests.audit.conftest import Trail
from tests.support.objects import open_repository
from tests.support.rulings import judge_whole


def numbers(trail: Trail, old: str | None = "start") -> Figures:
    repository = open_repository(trail.repo)
    ends = None if old is None else repository.resolve(old), repository.resolve("HEAD")
    report = judge_whole(repository, CommitRange(*ends), drop_floors(Policy()))
    with open_rows_of(report.rulings, Policy()) as database:
        return count_all(database)


def test_commits_are_counted_by_verdict(trail: Trail, faulty: Trail) -> None:
    assert dict(numbers(trail)["replay"]) == {"strict": 2, "by hand": 1}
    assert dict(numbers(faulty)["replay"]) == {"strict": 2, "no evidence": 1}


def test_edits_are_counted_by_agent_tier_and_evidence(trail: Trail, faulty: Trail) -> None:
    counted, blindly = numbers(trail), numbers(faulty)
    assert counted.edits == 4
    assert dict(counted["tiers"]) == {"range": 4}
    assert dict(counted["versions"]) == {"tester/1": 4}
    assert dict(blindly["evidence"]) == {"quote": 1, "hash": 1}


def test_blind_are_edits_without_evidence_and_commits_without_entry(
    trail: Trail, faulty: Trail
) -> None:
    assert numbers(trail).total("blind") == 0
    assert numbers(trail).total("without_entry") == 0
    assert numbers(faulty).total("blind") == 1
    assert numbers(faulty).total("without_entry") == 1
    assert numbers_json(numbers(faulty))["blind_rate"] == 0.5


def test_confidence_is_a_histogram_of_all_edits(trail: Trail) -> None:
    counted = numbers(trail)
    assert sum(counted.confidence) == counted.edits
    assert counted.lowest == 1000
    assert counted.confidence[-1] == 4


def test_conflicts_met_are_counted_as_claimed(faulty: Trail) -> None:
    assert numbers(faulty).total("conflicts") == 1


@pytest.mark.parametrize("old", [None, "HEAD"], ids=["from the first commit", "an empty range"])
def test_a_range_may_have_no_edges(trail: Trail, old: str | None) -> None:
    assert numbers(trail, old).commits == (4 if old is None else 0)
    assert next(numbers_lines(numbers(trail, old))).startswith("commits")

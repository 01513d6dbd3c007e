"""A range in numbers: what was done, by whom, tied to what, how surely."""

from __future__ import annotations

import pytest

from hkgit.audit.tables.figures import Figures, count_all, numbers_json, numbers_lines, open_rows_of
from hkgit.gate.commit_range import drop_floors
from hkgit.gate.policy.model import Policy
from tests.audit.conftest import Trail
from tests.support.rulings import judge_between


def numbers(trail: Trail, old: str | None = "start") -> Figures:
    report = judge_between(trail.repo, old, policy=drop_floors(Policy()))
    with open_rows_of(report.rulings, Policy()) as database:
        return count_all(database)


def test_commits_and_edits_are_counted_by_what_they_are(trail: Trail) -> None:
    counted = numbers(trail)
    assert dict(counted["replay"]) == {"strict": 2, "by hand": 1}
    assert (counted.edits, counted.total("entries"), counted.total("files")) == (4, 3, 1)
    assert dict(counted["tiers"]) == {"range": 4}
    assert dict(counted["versions"]) == {"tester/1": 4}
    assert (counted.total("blind"), counted.lowest) == (0, 1000)
    assert "evidence    hash 4" in numbers_lines(counted)


def test_blind_are_edits_without_evidence(faulty: Trail) -> None:
    blindly = numbers(faulty)
    assert dict(blindly["replay"]) == {"strict": 2, "no evidence": 1}
    assert dict(blindly["evidence"]) == {"quote": 1, "hash": 1}
    assert blindly.total("blind") == 1
    assert numbers_json(blindly)["blind_rate"] == 0.5


@pytest.mark.parametrize("old", [None, "HEAD"], ids=["from the first commit", "an empty range"])
def test_a_range_may_have_no_edges(trail: Trail, old: str | None) -> None:
    counted = numbers(trail, old)
    assert counted.commits == (4 if old is None else 0)
    assert [*numbers_lines(counted)][3].startswith(f"entries     {0 if old else 3}, ")

"""QA's questions: the right ones fail, each with the commit and the place that speak against it."""

from __future__ import annotations

import pytest

from hkgit.audit.questions import QUESTIONS, Question, answer_questions, collect_range
from hkgit.gate import CommitRange, drop_floors, judge_range
from hkgit.gate.conflicts.consulting import ConsultAnswer, consult_bytes
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository
from tests.audit.conftest import Trail
from tests.support.questions import consult
from tests.support.repos import Repo


def asked(repo: Repo, old: str = "start", new: str = "HEAD") -> dict[str, Question]:
    repository = Repository.discover(repo.path)
    ends = repository.resolve(old), repository.resolve(new)
    report = judge_range(repository, CommitRange(*ends), drop_floors(Policy()))
    found = answer_questions(collect_range(repository, report.rulings, Policy(), ends[1]))
    return {point.name: point for point in found}


def test_every_question_is_answered(trail: Trail) -> None:
    assert {name: point.answer for name, point in asked(trail.repo).items()} == dict.fromkeys(
        QUESTIONS, "yes"
    )


@pytest.mark.parametrize(
    ("commit", "fails"),
    [
        pytest.param("blind edit", {"blind"}, id="a blind edit"),
        pytest.param("blind commit", {"procedure", "blind"}, id="a blind commit"),
        pytest.param("conflict", {"conflicts"}, id="a conflict nobody was asked about"),
    ],
)
def test_a_fault_fails_its_question_and_no_other(
    faulty: Trail, commit: str, fails: set[str]
) -> None:
    made = faulty.commits[commit]
    found = asked(faulty.repo, f"{made}^", made)
    assert {name for name, point in found.items() if point.answer == "no"} == fails


def test_the_facts_name_commit_and_place(faulty: Trail) -> None:
    made = faulty.commits["blind edit"]
    facts = [fact for fact in asked(faulty.repo)["blind"].facts if fact.says == "no"]
    assert facts[0].commit == made
    assert facts[0].where == "a.txt:3-3"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        pytest.param(None, "no", id="open"),
        pytest.param(
            ConsultAnswer("apply", "", "Ada <ada@example.org>", 0), "yes", id="by a person"
        ),
        pytest.param(
            ConsultAnswer("drop", "", "claude <x@example.org>", 0), "no", id="by an agent"
        ),
    ],
)
def test_a_consult_waits_for_a_person(repo: Repo, answer: ConsultAnswer | None, says: str) -> None:
    repo.commit({"a.txt": "x\n"}, "Begin")
    repo.git("tag", "start")
    asks = consult(answer)
    repo.commit({asks.path: consult_bytes(asks)}, "Ask")
    assert asked(repo)["conflicts"].answer == says


def test_a_broken_consult_is_no_answer(repo: Repo) -> None:
    repo.commit({"a.txt": "x\n"}, "Begin")
    repo.git("tag", "start")
    repo.commit({".hkgit/consult/x.json": "{}"}, "Break")
    assert asked(repo)["conflicts"].answer == "no"


def test_what_cannot_be_seen_is_unknown(trail: Trail, repo: Repo) -> None:
    repo.git("fetch", "-q", "--depth=1", f"file://{trail.repo.path}", "HEAD")
    repo.git("reset", "-q", "--hard", "FETCH_HEAD")
    repository = Repository.discover(repo.path)
    asked = CommitRange(None, repo.head)
    report = judge_range(repository, asked, drop_floors(Policy(govern="all")))
    found = answer_questions(
        collect_range(repository, report.rulings, Policy(govern="all"), repo.head)
    )
    assert {point.name: point.answer for point in found}["procedure"] == "unknown"

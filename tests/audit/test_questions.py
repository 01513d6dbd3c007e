"""QA's questions: the right ones fail, each with the commit and the place that speak against it."""

from __future__ import annotations

from hkgit.audit.questions import QUESTIONS, Question, answer_questions, select_governed
from hkgit.gate.commit_range import drop_floors
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report
from tests.audit.conftest import TEXT, Trail, ranges
from tests.support.cases import cases
from tests.support.commits import applied, commit
from tests.support.repos import Repo
from tests.support.rulings import judge_between


def asked(repo: Repo, old: str = "start", new: str = "HEAD") -> dict[str, Question]:
    report = judge_between(repo, old, new, drop_floors(Policy()))
    found = answer_questions(select_governed(Report(Policy(), report.rulings)))
    return {point.name: point for point in found}


def test_every_question_is_answered(trail: Trail) -> None:
    assert {name: point.answer for name, point in asked(trail.repo).items()} == dict.fromkeys(
        QUESTIONS, "yes"
    )


@cases(
    "commit, fails",
    {
        "a blind edit": ("blind edit", {"blind"}),
        "a blind commit": ("blind commit", {"procedure", "blind"}),
        "a conflict nobody was asked about": ("conflict", {"conflicts"}),
    },
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


@cases(
    "by, says",
    {
        "nobody": (None, "no"),
        "a person": ("Ada <ada@example.org>", "yes"),
        "an agent": ("claude <x@example.org>", "no"),
    },
)
def test_what_was_refused_so_often_is_decided_by_a_person(
    repo: Repo, by: str | None, says: str
) -> None:
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    change = applied(repo, ranges(repo, (2, 2, "two")))
    decided = {} if by is None else {"decided": {"decision": "apply", "by": by, "message": ""}}
    tried = {"path": "a.txt", "status": "stale"} | decided
    change.entry["claims"] |= {"refusals": [tried] * 3}
    commit(repo, change)
    assert asked(repo)["conflicts"].answer == says


def test_what_cannot_be_seen_is_unknown(trail: Trail, repo: Repo) -> None:
    repo.git("fetch", "-q", "--depth=1", f"file://{trail.repo.path}", "HEAD")
    repo.git("reset", "-q", "--hard", "FETCH_HEAD")
    report = judge_between(repo, None, policy=drop_floors(Policy(govern="all")))
    found = answer_questions(select_governed(Report(Policy(govern="all"), report.rulings)))
    assert {point.name: point.answer for point in found}["procedure"] == "unknown"

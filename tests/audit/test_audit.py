"""What is said of a range: its numbers, QA's questions, and the report of all of it."""

import json

import pytest

from hkgit.applying.evidence import CHECKED
from hkgit.audit.audit import Audit, audit_json, render_body
from hkgit.audit.page.render import render_page
from hkgit.audit.questions import QUESTIONS, Question, answer_questions, select_governed
from hkgit.audit.reports.findings import name_commit
from hkgit.audit.tables.figures import Figures, count_all, numbers_json, numbers_lines, open_rows_of
from hkgit.gate.commit_range import CommitRange, drop_floors
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report
from tests.audit.conftest import TEXT, Trail, ranges
from tests.audit.page.conftest import facts_of
from tests.support.cases import cases
from tests.support.commits import applied, commit
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.rulings import judge_between, judge_whole


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


# Questions


def asked(
    repo: Repo, old: str | None = "start", new: str = "HEAD", policy: Policy | None = None
) -> dict[str, Question]:
    policy = policy or Policy()
    report = judge_between(repo, old, new, drop_floors(policy))
    found = answer_questions(select_governed(Report(policy, report.rulings)))
    return {point.name: point for point in found}


def test_every_question_is_answered(trail: Trail) -> None:
    answers = {name: point.answer for name, point in asked(trail.repo).items()}
    assert answers == dict.fromkeys(QUESTIONS, "yes")


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
    fact = next(fact for fact in asked(faulty.repo)["blind"].facts if fact.says == "no")
    assert (fact.commit, fact.where) == (faulty.commits["blind edit"], "a.txt:3-3")


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
    assert asked(repo, None, policy=Policy(govern="all"))["procedure"].answer == "unknown"


# The report


def audit(repo: Repo) -> Audit:
    repository = open_repository(repo)
    asked = CommitRange(repository.resolve("start"), repository.resolve("HEAD"))
    return Audit.of("a..b", asked, judge_whole(repository, asked, Policy(accept=CHECKED)))


@pytest.mark.parametrize(
    ("section", "words"),
    [
        pytest.param("Rejected", "blind commit&#58; no ledger entry", id="why it is rejected"),
        pytest.param("Rejected", "fix: <code>hkgit redo", id="what mends it"),
        pytest.param("What is only claimed", "tester/1 (2)", id="agents"),
        pytest.param("What is only claimed", "<code>make &#124; check</code>", id="checks"),
        pytest.param("Conflicts", "read again, refused before: 4", id="conflicts"),
        pytest.param("Commits", "Add &#124; &#96;b&#96; &#60;b&#62; |", id="subjects"),
    ],
)
def test_each_section_says_its_part(faulty: Trail, section: str, words: str) -> None:
    said = render_body(audit(faulty.repo)).split("\n## ")
    [part] = [part for part in said if part.startswith(section)]
    assert words in part


def test_sections_without_anything_to_say_are_left_out(trail: Trail) -> None:
    text = render_body(audit(trail.repo))
    assert [name for name in ("Rejected", "Break-glass", "Conflicts") if f"## {name}" in text] == []


def test_json_names_the_commits_rejected(faulty: Trail) -> None:
    document = json.loads(json.dumps(audit_json(audit(faulty.repo))))
    assert len(document["rejected"]) == 2
    assert faulty.commits["conflict"] not in document["rejected"]
    assert [met["tries"] for met in document["claimed"]["conflicts"]] == [4]


ODD: dict[str, dict[str, object]] = {
    "refusals are a text": {"refusals": "none"},
    "refusals are anything": {"refusals": [1, None, [], {}]},
    "their parts too": {
        "refusals": [{"id": {}, "status": "stale", "path": 1, "decided": {"by": []}}]
    },
    "markup": {
        "refusals": [
            {
                "status": "stale",
                "path": "| <b>\n# x",
                "decided": {"by": "\x1b[31m", "decision": "|\n# x"},
            }
        ]
    },
    "verify is odd": {"verify": {"command": ["rm"], "exit_code": "\n|"}},
    "verify is a flag": {"verify": True},
    "an agent": {"agent": "x/y/z", "time": 0},
}


def test_claims_may_be_anything(repo: Repo) -> None:
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    for number, claims in enumerate(ODD.values(), 1):
        change = applied(repo, ranges(repo, (number, number, "new")))
        change.entry["claims"] |= claims
        commit(repo, change)
    made = audit(repo)
    text, rulings = render_body(made), made.report.rulings
    assert [ruling.judged.verdict for ruling in rulings] == ["strict"] * len(ODD)
    assert all(char.isprintable() or char == "\n" for char in text)
    for ruling, line in zip(rulings, text.splitlines()[-len(ODD) :], strict=True):
        assert f"| <code>{name_commit(ruling)}</code> | strict |" in line
    found = select_governed(made.report)
    assert {point.answer for point in answer_questions(found)} <= {"yes", "no"}
    assert "x/y/z" in render_page(facts_of(repo))

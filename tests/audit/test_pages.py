"""The audit's page: every section where there is something to say, whatever entries claim."""

from __future__ import annotations

import json

import pytest

from hkgit.applying.evidence import CHECKED
from hkgit.audit.audit import Audit, audit_json, render_body
from hkgit.audit.page.render import render_page
from hkgit.audit.questions import answer_questions, select_governed
from hkgit.audit.reports.findings import name_commit
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from tests.audit.conftest import TEXT, Trail, ranges
from tests.audit.page.conftest import facts_of
from tests.support.commits import applied, commit
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.rulings import judge_whole


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

"""The audit's page: every section where there is something to say, whatever entries claim."""

from __future__ import annotations

import json

import pytest

from hkgit.applying.evidence import CHECKED
from hkgit.audit.audit import Audit, audit_json, render_body
from hkgit.audit.questions import answer_questions, select_governed
from hkgit.audit.reports.findings import name_commit
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from tests.audit.conftest import TEXT, Trail, ranges
from tests.support.commits import applied, commit
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.rulings import judge_whole


def audit(repo: Repo) -> Audit:
    repository = open_repository(repo)
    asked = CommitRange(repository.resolve("start"), repository.resolve("HEAD"))
    return Audit.of("a..b", asked, judge_whole(repository, asked, Policy(accept=CHECKED)))


def test_commits_are_counted_by_what_is_proved(trail: Trail, faulty: Trail) -> None:
    assert audit(trail.repo).summary.figures.replays == {"strict": 2, "by hand": 1}
    assert audit(faulty.repo).summary.figures.replays == {"strict": 2, "no evidence": 1}


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


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"refusals": "none"}, id="refusals are a text"),
        pytest.param({"refusals": [1, None, []]}, id="refusals are anything"),
        pytest.param(
            {"refusals": [{"id": {}, "status": "stale", "path": 1, "decided": {"by": []}}]},
            id="their parts too",
        ),
        pytest.param(
            {
                "refusals": [
                    {
                        "status": "stale",
                        "path": "| <b>\n# x",
                        "decided": {"by": "\x1b[31m", "decision": "|\n# x"},
                    }
                ]
            },
            id="markup",
        ),
        pytest.param({"verify": {"command": ["rm"], "exit_code": "\n|"}}, id="verify is odd"),
        pytest.param({"verify": True}, id="verify is a flag"),
    ],
)
def test_claims_may_be_anything(repo: Repo, claims: dict[str, object]) -> None:
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.git("tag", "start")
    change = applied(repo, ranges(repo, (2, 2, "two")))
    change.entry["claims"] |= claims
    commit(repo, change)
    made = audit(repo)
    text = render_body(made)
    assert [ruling.judged.verdict for ruling in made.report.rulings] == ["strict"]
    assert all(char.isprintable() or char == "\n" for char in text)
    assert (
        f"| <code>{name_commit(made.report.rulings[0])}</code> | strict |" in text.splitlines()[-1]
    )
    found = select_governed(made.report)
    assert {point.answer for point in answer_questions(found)} <= {"yes", "no"}

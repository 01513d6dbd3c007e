"""What a clone says of a push before it leaves, by what it knows of the remote."""

from __future__ import annotations

import pytest

from hkgit.gate.entrypoints.arrival import Update, UpdateResult
from hkgit.gate.entrypoints.hooks import judge_pushed
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.serving import Served, copied

MAIN, NEW = "refs/heads/main", "refs/heads/new"


@pytest.fixture(scope="module")
def clone(served_template: Served, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """It has fetched the remote's main, and knows no default branch."""
    return copied(served_template, tmp_path_factory.mktemp("pushing")).clone


def _answer(clone: Repo, ref: str, old: str | None, new: str | None, remote: str) -> UpdateResult:
    sides = [rev if rev is None or len(rev) == 40 else clone.resolve(rev) for rev in (old, new)]
    repository = open_repository(clone)
    [answer] = judge_pushed(repository, [Update(ref, *sides)], remote, None)
    return answer


UNKNOWN = "d" * 40


@cases(
    "ref, old, new, verdicts",
    {
        "with evidence": (MAIN, "main", "good", ["strict"]),
        "blind": (MAIN, "main", "blind", ["fail"]),
        "a new branch": (NEW, None, "blind", ["fail"]),
        "a remote that has moved on": (MAIN, UNKNOWN, "blind", ["fail"]),
        "moved on, by a person": (MAIN, UNKNOWN, "human", ["ungoverned"]),
        "a tag": ("refs/tags/v1", None, "blind", ["fail"]),
    },
)
def test_each_commit_that_the_remote_lacks_is_judged(
    clone: Repo, ref: str, old: str | None, new: str, verdicts: list[str]
) -> None:
    report = _answer(clone, ref, old, new, "origin").report
    assert report is not None
    assert report.provisional
    assert [str(ruling.judged.verdict) for ruling in report.rulings] == verdicts


@cases(
    "ref, old, new, note",
    {
        "deleted": (MAIN, "main", None, "it is deleted"),
        "set back": (MAIN, "good", "main", "it adds no commits"),
        "notes": ("refs/notes/x", None, "blind", "the policy does not protect it"),
        "a tree": ("refs/tags/t", None, "main^{tree}", "it is not a commit"),
    },
)
def test_where_there_is_nothing_to_judge_the_answer_says_why(
    clone: Repo, ref: str, old: str | None, new: str | None, note: str
) -> None:
    answer = _answer(clone, ref, old, new, "origin")
    assert answer.passes is True
    assert answer.report is None
    assert answer.note == note


def test_a_remote_of_which_nothing_is_known_is_not_taken_for_judged(clone: Repo) -> None:
    answer = _answer(clone, MAIN, None, "blind", "elsewhere")
    assert answer.passes is True
    assert answer.note == ""
    assert answer.unjudged == "this clone knows no commits of elsewhere to compare with"

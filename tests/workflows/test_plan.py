"""Specs that are planned again because the branch has moved speak of what they were written on."""

import json

from hkgit.dialects import parse
from hkgit.dialects.file_names import parse_expect
from hkgit.edits import Spec
from hkgit.workflows.commit_plan import prepare
from hkgit.workflows.target import ApplyRequest, PlannedCommit, find_target
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import range_hash

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def spec(old: str, new: str) -> Spec:
    return parse(json.dumps({"file": "a.txt", "old_text": old, "new_text": new}))


SPECS = (spec("line 5\n", "five\nfive b\n"), spec("five b\nline 6\n", "six\n"))


def planned_again(repo: Repo, expected: str, meanwhile: str) -> tuple[PlannedCommit, ...]:
    """Both specs, planned on one tip, and again on one where somebody has changed the file."""
    repo.commit({"a.txt": TEXT}, "Begin")
    repository = open_repository(repo)
    request = ApplyRequest(SPECS, reads=(parse_expect(expected),))
    steps = prepare(find_target(repository, request))
    assert [step.plan.outcomes[0].evidence.kind for step in steps] == ["hash", "hash"]
    repo.commit({"a.txt": meanwhile}, "Meanwhile")
    return prepare(find_target(repository, request), steps)


def test_an_expected_hash_of_lines_holds_again_for_every_spec(repo: Repo) -> None:
    expected = f"a.txt:4-7={range_hash(TEXT.encode(), 4, 7)}"
    steps = planned_again(repo, expected, "title\n" + TEXT)
    assert [(step.plan.ok, step.plan.outcomes[0].evidence.kind) for step in steps] == [
        (True, "hash"),
        (True, "hash"),
    ]


@cases({"the file": "", "its lines": ":1-20"})
def test_an_expected_hash_of_what_others_have_changed_is_stale(lines: str, repo: Repo) -> None:
    expected = f"a.txt{lines}={range_hash(TEXT.encode(), 1, 20)}"
    steps = planned_again(repo, expected, TEXT.replace("line 15", "fifteen"))
    assert [outcome.status for step in steps for outcome in step.plan.outcomes] == ["stale"]

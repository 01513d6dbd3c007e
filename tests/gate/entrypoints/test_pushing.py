"""What a clone says of a push before it leaves, and how it is told of it."""

import pytest

from hkgit.errors import InvalidInput
from hkgit.gate.entrypoints.arrival import (
    Update,
    UpdateResult,
    parse_pushed,
    parse_received,
    read_framework_update,
)
from hkgit.gate.entrypoints.hooks import judge_pushed
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.serving import Served, copied

MAIN = "refs/heads/main"


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


@cases({"by an agent": ("blind", "fail"), "by a person": ("human", "ungoverned")})
def test_what_a_remote_lacks_that_has_moved_on_is_judged(
    new: str, verdict: str, clone: Repo
) -> None:
    report = _answer(clone, MAIN, UNKNOWN, new, "origin").report
    assert report.provisional
    assert [str(ruling.judged.verdict) for ruling in report.rulings] == [verdict]


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
    assert (answer.judged, answer.report.rulings) == ("", ())
    assert answer.note == note


def test_a_remote_of_which_nothing_is_known_is_not_taken_for_judged(clone: Repo) -> None:
    answer = _answer(clone, MAIN, None, "blind", "elsewhere")
    assert answer.passes is True
    assert answer.note == ""
    assert answer.unjudged == "this clone knows no commits of elsewhere to compare with"


# Updates as git and the framework tell hooks of them


A, B, ZERO = "a" * 40, "b" * 40, "0" * 40


@cases(
    "told, expected",
    {
        "moved": (f"{A} {B} refs/heads/x\n", Update("refs/heads/x", A, B)),
        "new": (f"{ZERO} {B} refs/heads/x\n", Update("refs/heads/x", None, B)),
        "deleted": (f"{A} {ZERO} refs/heads/x\n", Update("refs/heads/x", A, None)),
        "new, in SHA-256": (
            f"{'0' * 64} {'b' * 64} refs/heads/x\n",
            Update("refs/heads/x", None, "b" * 64),
        ),
        "no ASCII": (f"{A} {B} refs/heads/\u00e9\n", Update("refs/heads/\u00e9", A, B)),
        "with what ends a line of Unicode": (
            f"{A} {B} refs/heads/a\u2028b\n",
            Update("refs/heads/a\u2028b", A, B),
        ),
    },
)
def test_a_server_is_told_old_new_and_ref(told: str, expected: Update) -> None:
    assert list(parse_received(told.encode())) == [expected]


@cases(
    "told, expected",
    {
        "moved": (f"refs/heads/y {B} refs/heads/x {A}\n", Update("refs/heads/x", A, B)),
        "deleted": (f"(delete) {ZERO} refs/heads/x {A}\n", Update("refs/heads/x", A, None)),
        "from a revision with blanks": (
            f"HEAD@{{1 day ago}} {B} refs/heads/x {A}\n",
            Update("refs/heads/x", A, B),
        ),
    },
)
def test_a_clone_is_told_what_goes_where(told: str, expected: Update) -> None:
    assert list(parse_pushed(told.encode())) == [expected]


def test_every_line_is_an_update_and_one_of_another_form_is_invalid() -> None:
    told = "".join(f"{A} {B} refs/heads/{name}\n" for name in "xyz")
    assert [update.ref[-1] for update in parse_received(told.encode())] == ["x", "y", "z"]
    for line in ("\n", f"{A} {B}\n", "x\n"):
        with pytest.raises(InvalidInput):
            list(parse_received(line.encode()))


FRAMEWORK = {
    "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/x",
    "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/y",
    "PRE_COMMIT_FROM_REF": A,
    "PRE_COMMIT_TO_REF": B,
}


@cases(
    "without, expected",
    {
        "a range": ([], [Update("refs/heads/x", A, B)]),
        "a whole history": (
            ["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"],
            [Update("refs/heads/x", None, "refs/heads/y")],
        ),
        "no framework": (["PRE_COMMIT_REMOTE_BRANCH"], []),
    },
)
def test_the_framework_tells_of_one_ref(without: list[str], expected: list[Update]) -> None:
    told = {name: value for name, value in FRAMEWORK.items() if name not in without}
    assert list(read_framework_update(told)) == expected

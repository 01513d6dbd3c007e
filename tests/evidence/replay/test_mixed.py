"""Commits in which entries account for a part, and somebody changed the rest by hand (`mixed`)."""

from dataclasses import replace

import pytest

from hkgit.edits import EXECUTABLE, File
from hkgit.evidence.replay import candidate_of
from hkgit.evidence.verdict import Verdict
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.defaults import ACCEPTED
from hkgit.gate.policy.model import Grant, Policy
from tests.support.attacks import data_of
from tests.support.cases import cases
from tests.support.commits import AGENT, PERSON, Change, applied, commit, judge, rejection, verdict
from tests.support.gating import opened
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo

A = b"".join(b"line %d\n" % number for number in range(1, 13))
ACCEPTS = Policy(verdicts=(*ACCEPTED, "mixed"))
GRANTED = replace(ACCEPTS, manual=(Grant(("a.txt",), names=("hkgit-agent <*",)),))


def edit(line: int = 3) -> Operation:
    return replace_range("a.txt", A, line, line, "by an agent")


@pytest.fixture
def begun(repo: Repo) -> Repo:
    repo.commit({"a.txt": A, "b.txt": "b\n"}, "Begin")
    return repo


def with_hunk(
    repo: Repo, author: str = PERSON, files: dict[str, File | None] | None = None
) -> Change:
    """An agent's edit and a person's hunk in one file, in one commit."""
    change = applied(repo, protocol(edit()))
    made = data_of(change, "a.txt").replace(b"line 9\n", b"by hand\nby hand too\n")
    change.files |= {"a.txt": File(made), **(files or {})}
    return replace(change, author=author)


def leftovers(repo: Repo) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    """The path and lines by hand of a commit that is mixed, and so rejected by default."""
    ruling = judge(repo)
    assert (ruling.passes, ruling.rule, ruling.judged.verdict) == (False, "bytes", Verdict.FAIL)
    assert verdict(repo, policy=ACCEPTS) is Verdict.MIXED
    return [(each.path, each.lines) for each in ruling.judged.leftovers]


def test_an_agents_edit_and_a_persons_hunk_in_one_file_are_mixed(begun: Repo) -> None:
    commit(begun, with_hunk(begun))
    assert leftovers(begun) == [("a.txt", ((9, 10),))]


def test_lines_taken_away_by_hand_leave_their_place(begun: Repo) -> None:
    change = with_hunk(begun)
    change.files["a.txt"] = File(data_of(change, "a.txt").replace(b"by hand\nby hand too\n", b""))
    commit(begun, change)
    assert leftovers(begun) == [("a.txt", ((9, 8),))]


def test_a_file_beside_the_entries_is_wholly_by_hand(begun: Repo) -> None:
    change = applied(begun, protocol(edit()))
    change.files["b.txt"] = File(b"c\n")
    commit(begun, replace(change, author=PERSON))
    assert leftovers(begun) == [("b.txt", ())]


@cases(
    "accepted, rule",
    {
        "strict, which is not accepted": (("mixed",), "verdict"),
        "strict, which is": (("mixed", "strict"), "verdict mixed"),
    },
)
def test_what_is_by_hand_lets_no_entry_pass_that_would_not_by_itself(
    begun: Repo, accepted: tuple[str, ...], rule: str
) -> None:
    commit(begun, replace(with_hunk(begun), message="Say\n"))
    assert judge(begun, policy=replace(ACCEPTS, verdicts=accepted)).rule == rule


def test_a_person_stands_for_what_is_left_over_and_no_agent_or_host_does(begun: Repo) -> None:
    commit(begun, with_hunk(begun, AGENT))
    assert rejection(begun, policy=ACCEPTS) == "bytes"
    assert judge(begun, policy=ACCEPTS).findings[0].where == "a.txt:9"
    env = {"GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com"}
    begun.git("commit", "-q", "--amend", "--no-edit", env=env)
    assert rejection(begun, policy=ACCEPTS) == "bytes"
    begun.git("commit", "-q", "--amend", "-m", f"Say\n\nCo-authored-by: {PERSON}", env=env)
    assert verdict(begun, policy=ACCEPTS) is Verdict.MIXED
    assert rejection(begun, policy=replace(ACCEPTS, govern="all")) == "bytes"


@pytest.mark.parametrize("files", [{}, {"b.txt": File(b"c\n")}], ids=["its paths", "others"])
def test_a_grant_covers_its_paths(begun: Repo, files: dict[str, File | None]) -> None:
    commit(begun, with_hunk(begun, AGENT, files))
    gate = Gate(opened(begun), GRANTED, JudgeContext(on_client=True))
    assert gate.judge(candidate_of(opened(begun), begun.head)).passes == (files == {})


def test_a_squash_of_an_agents_and_a_persons_commits_is_mixed(begun: Repo) -> None:
    begun.git("checkout", "-q", "-b", "topic")
    commit(begun, applied(begun, protocol(edit())))
    begun.commit({"a.txt": begun.read("a.txt").replace(b"line 9", b"by hand")}, "By hand")
    begun.git("checkout", "-q", "main")
    begun.commit({"a.txt": b"new\n" + A}, "Meanwhile")
    begun.git("merge", "-q", "--squash", "topic")
    begun.git("commit", "-q", "-m", "Squash")
    assert leftovers(begun) == [("a.txt", ((10, 10),))]


def test_edits_upon_a_persons_hunk_are_mixed(begun: Repo) -> None:
    """The agent worked on what the person had not committed yet."""
    begun.write("a.txt", A.replace(b"line 9\n", b"by hand\n"))
    begun.commit({}, "Not to be")
    change = applied(begun, protocol(replace_range("a.txt", begun.read("a.txt"), 3, 3, "x")))
    begun.git("reset", "-q", "--hard", "HEAD^")
    commit(begun, replace(change, author=PERSON))
    assert verdict(begun, policy=ACCEPTS) is Verdict.MIXED


@cases(
    "path, file",
    {
        "the ledger's attributes": (".hkgit/.gitattributes", File(b"* -diff\n")),
        "something of hkgit's": (".hkgit/other", File(b"x\n")),
        "in another case": (".HKGIT/config.toml", File(b"x\n")),
    },
)
def test_nobody_changes_what_is_hkgits_by_hand(begun: Repo, path: str, file: File) -> None:
    commit(begun, with_hunk(begun, PERSON, {path: file}))
    assert judge(begun, policy=ACCEPTS).judged.verdict is Verdict.FAIL


def test_a_mode_may_be_left_over(begun: Repo) -> None:
    change = applied(begun, protocol(edit()))
    change.files["a.txt"] = File(data_of(change, "a.txt"), EXECUTABLE)
    commit(begun, replace(change, author=PERSON))
    assert verdict(begun, policy=ACCEPTS) is Verdict.MIXED


def test_a_false_entry_is_not_saved_by_a_person(begun: Repo) -> None:
    change = with_hunk(begun)
    change.edit["expected_hash"] = "0" * 64
    commit(begun, change)
    assert rejection(begun, policy=ACCEPTS) == "hash"

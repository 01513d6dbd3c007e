"""Commits that take back an earlier one, made with the real `git revert`."""

import pytest

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.model import Policy
from tests.support.commits import Change, applied, commit, judge, rejection, verdict
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo

A = b"".join(b"line %d\n" % number for number in range(1, 21))
BY_AGENT = {
    "GIT_AUTHOR_NAME": "hkgit-agent",
    "GIT_AUTHOR_EMAIL": "agent@example.org",
    "GIT_COMMITTER_NAME": "hkgit-agent",
    "GIT_COMMITTER_EMAIL": "agent@example.org",
}


def edit(text: bytes = A, line: int = 10, new: str = "ten") -> Operation:
    return replace_range("a.txt", text, line, line, new)


def revert(repo: Repo, rev: str = "HEAD", *options: str) -> str:
    """`git revert` by an agent."""
    repo.git("revert", "--no-edit", *options, rev, env=BY_AGENT)
    return repo.head


@pytest.fixture
def begun(repo: Repo) -> Repo:
    repo.commit({"a.txt": A, "b.txt": "b\n", ".github/workflows/ci.yml": "on: push\n"}, "Begin")
    return repo


@pytest.fixture
def edited(begun: Repo) -> Repo:
    """One commit of an agent with its entry."""
    commit(begun, applied(begun, protocol(edit())))
    return begun


def test_a_revert_of_a_commit_with_its_entry_is_a_revert(edited: Repo) -> None:
    made = edited.head
    revert(edited)
    assert verdict(edited) is Verdict.REVERT
    assert judge(edited).judged.basis == made
    [path] = judge(edited).judged.removed
    assert path.startswith(".hkgit/ledger/")
    assert edited.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit") == ""
    edited.git("commit", "-q", "--amend", "-m", "Back", env=BY_AGENT)
    assert verdict(edited) is Verdict.REVERT  # it needs no message of git's


def test_a_revert_over_a_moved_base_is_a_revert(edited: Repo) -> None:
    made = edited.head
    moved = b"new\n" + edited.read("a.txt").replace(b"line 18\n", b"changed\n")
    edited.commit({"a.txt": moved}, "Meanwhile")
    revert(edited, made)
    assert verdict(edited) is Verdict.REVERT
    assert edited.read("a.txt") == moved.replace(b"ten\n", b"line 10\n")


def test_a_revert_of_a_file_that_was_renamed_since_is_a_revert(edited: Repo) -> None:
    made = edited.head
    edited.git("mv", "a.txt", "moved.txt")
    edited.git("commit", "-q", "-m", "Move")
    revert(edited, made)
    assert verdict(edited) is Verdict.REVERT
    assert edited.read("moved.txt") == A


def test_what_a_person_makes_of_a_revert_in_conflict_is_none(edited: Repo) -> None:
    made = edited.head
    edited.commit({"a.txt": edited.read("a.txt").replace(b"ten\n", b"TEN\n")}, "Meanwhile")
    record = edited.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger")
    message = f"Revert\n\nThis reverts commit {made}.\n"
    commit(edited, Change({"a.txt": File(A), record: None}, message=message))
    assert not judge(edited).passes


def test_a_revert_of_a_revert_is_a_revert(edited: Repo) -> None:
    revert(edited)
    taken_back = revert(edited)
    assert verdict(edited) is Verdict.REVERT
    assert judge(edited, taken_back).judged.basis == edited.resolve("HEAD^")
    edited.git("commit", "-q", "--amend", "-m", "Forth", env=BY_AGENT)
    assert verdict(edited) is Verdict.REVERT  # it needs no message of git's
    for _ in range(3):
        revert(edited)
    assert verdict(edited) is Verdict.REVERT


def test_a_revert_of_a_persons_commit_is_a_revert(begun: Repo) -> None:
    begun.commit({"b.txt": "c\n", "new": "x\n"}, "By hand")
    revert(begun)
    assert verdict(begun) is Verdict.REVERT
    begun.commit({".github/workflows/ci.yml": "on: [push]\n"}, "By hand")
    revert(begun)
    assert rejection(begun) == "protected"  # which needs a grant


@pytest.mark.parametrize(("ours", "theirs"), [("main", "topic"), ("topic", "main")])
def test_a_revert_of_a_merge_is_a_revert(edited: Repo, ours: str, theirs: str) -> None:
    edited.git("checkout", "-q", "-b", "topic", "HEAD^")
    edited.commit({"b.txt": "c\n"}, "Elsewhere")
    edited.git("checkout", "-q", ours)
    edited.git("merge", "-q", "--no-edit", theirs, env=BY_AGENT)
    revert(edited, "HEAD", "-m", "1")
    assert verdict(edited) is Verdict.REVERT


def pruned(repo: Repo) -> str:
    """The commit whose entry has been pruned since."""
    made = repo.head
    listed = repo.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    commit(repo, Change(dict.fromkeys(listed), message="Prune\n"))
    return made


def test_a_revert_of_a_commit_whose_entry_was_pruned_is_a_revert(edited: Repo) -> None:
    revert(edited, pruned(edited))
    assert verdict(edited) is Verdict.REVERT
    assert edited.read("a.txt") == A


# What is none


def test_a_pruned_entry_excuses_nothing_else(edited: Repo) -> None:
    made = pruned(edited)
    edited.git("revert", "--no-commit", made)
    edited.write("b.txt", "evil\n")
    edited.git("commit", "-q", "-a", "-m", f"Back\n\nThis reverts commit {made}.", env=BY_AGENT)
    assert rejection(edited) == "blind"


def test_a_revert_of_a_commit_that_does_not_pass_fails_and_so_does_its_own(begun: Repo) -> None:
    commit(begun, Change({"b.txt": File(b"blind\n")}, message="Blind\n"))
    start = begun.head
    for _ in range(2):
        revert(begun)
        assert rejection(begun) == "blind"
    # What came before the policy may be taken back.
    assert verdict(begun, "HEAD^", policy=Policy(since=start)) is Verdict.REVERT


def test_a_message_alone_makes_no_revert(edited: Repo) -> None:
    message = f"Revert\n\nThis reverts commit {edited.head}.\n"
    commit(edited, Change({"b.txt": File(b"x\n")}, message=message))
    assert rejection(edited) == "blind"


def test_what_was_taken_back_is_picked_again_or_applied_again(edited: Repo) -> None:
    made = edited.head
    revert(edited)
    edited.git("cherry-pick", made, env=BY_AGENT)
    assert verdict(edited) is Verdict.REVERT
    edited.git("reset", "-q", "--hard", "HEAD^")
    again = applied(edited, protocol(edit()))
    again.entry["claims"]["time"] = 1
    commit(edited, again)
    assert verdict(edited) is Verdict.STRICT

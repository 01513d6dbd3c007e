"""Commits that git rewrote over a moved base: rebase, cherry-pick, squash (`reanchored`)."""

from dataclasses import replace

import pytest

from hkgit.edits import File
from hkgit.evidence.entry import entry_id
from hkgit.evidence.verdict import Verdict
from hkgit.text.document import range_hash
from tests.support.cases import cases
from tests.support.commits import Change, applied, chain, commit, judge, rejection, verdict
from tests.support.entries import written
from tests.support.planning import Operation, insert_after, protocol, replace_range
from tests.support.repos import Repo
from tests.support.rulings import judge_between

A = b"".join(b"line %d\n" % number for number in range(1, 31))
MOVED = b"# new\n# new\n" + A.replace(b"line 29\n", b"line 29, changed\n")


def edit(text: bytes, line: int, new: str) -> Operation:
    return replace_range("a.txt", text, line, line, new)


@pytest.fixture
def forked(repo: Repo) -> Repo:
    """`topic`: two commits of an agent, the second on the first; `main` has moved on."""
    repo.commit({"a.txt": A, "b.txt": "b\n"}, "Begin")
    repo.git("checkout", "-q", "-b", "topic")
    commit(repo, applied(repo, protocol(edit(A, 10, "ten"))))
    after = repo.read("a.txt")
    more = insert_after("a.txt", after, 12, "x")
    commit(repo, applied(repo, protocol(edit(after, 20, "twenty"), more)))
    repo.git("checkout", "-q", "main")
    repo.commit({"a.txt": MOVED}, "Meanwhile")
    return repo


def verdicts(repo: Repo, old: str, new: str = "HEAD") -> list[str]:
    report = judge_between(repo, old, new)
    assert report.passes, [ruling.findings for ruling in report.rulings]
    return [ruling.judged.verdict.value for ruling in report.rulings]


SQUASH = ["merge -q --squash topic", "commit -q -m Squash"]


@cases(
    "commands, verdict",
    {
        "a rebase": (["rebase -q main topic"], "reanchored"),
        "a cherry-pick": (["cherry-pick -x topic^"], "reanchored"),
        "one without what went before": (["cherry-pick topic"], "reanchored"),
        "a squash": (SQUASH, "reanchored"),
        "over the same base": (["checkout -q -b squash topic~2", *SQUASH], "strict"),
    },
)
def test_what_git_makes_of_commits_elsewhere(
    forked: Repo, commands: list[str], verdict: str
) -> None:
    for command in commands:
        forked.git(*command.split())
    old = "main" if command.startswith("rebase") else "HEAD^"
    assert {*verdicts(forked, old)} == {verdict}


def test_a_hosted_squash_is_reanchored(forked: Repo) -> None:
    """The tree of the merge under a message of its own, by the host's name."""
    tree = forked.git("merge-tree", "--write-tree", "main", "topic")
    env = {"GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com"}
    squash = forked.git("commit-tree", tree, "-p", "main", "-m", "Title (#1)", env=env)
    assert verdicts(forked, "main", squash) == ["reanchored"]


def test_a_squash_over_other_files_is_strict(forked: Repo) -> None:
    forked.git("checkout", "-q", "-b", "squash", "topic~2")
    forked.commit({"b.txt": "c\n"}, "Elsewhere")
    for command in SQUASH:
        forked.git(*command.split())
    assert verdicts(forked, "HEAD^") == ["strict"]


def test_only_files_that_moved_are_reanchored(forked: Repo) -> None:
    forked.git("checkout", "-q", "topic")
    second = protocol(
        edit(forked.read("a.txt"), 15, "fifteen"), replace_range("b.txt", b"b\n", 1, 1, "B")
    )
    commit(forked, applied(forked, second))
    forked.git("checkout", "-q", "main")
    forked.git("cherry-pick", "topic")
    assert verdicts(forked, "HEAD^") == ["reanchored"]


def test_a_rename_of_a_file_that_moved_is_reanchored(forked: Repo) -> None:
    forked.git("checkout", "-q", "topic~2")
    rename: Operation = {
        "op": "rename_file",
        "path": "a.txt",
        "new_path": "c.txt",
        "expected_hash": range_hash(A),
    }
    commit(forked, applied(forked, protocol(rename, edit(A, 10, "ten"))))
    picked = forked.head
    forked.git("checkout", "-q", "main")
    forked.git("cherry-pick", picked)
    assert verdicts(forked, "HEAD^") == ["reanchored"]


# What is not


def test_a_hunk_whose_place_is_not_the_only_one_is_rejected(forked: Repo) -> None:
    forked.commit({"a.txt": MOVED + A[A.index(b"line 7\n") : A.index(b"line 14\n")]}, "A copy")
    forked.git("merge", "-q", "--squash", "topic")
    forked.git("commit", "-q", "-m", "Squash")
    ruling = judge(forked)
    assert ruling.passes is False
    assert [finding.rule for finding in ruling.findings] == ["before", "anchor"]
    assert any("is in more than one place" in finding.what for finding in ruling.findings)


def rewritten(repo: Repo, lines: tuple[int, str]) -> Change:
    """An honest change of `topic`, put on `main` by hand and forged in its entry."""
    change = applied(repo, protocol(edit(A, *lines)), on="topic~2")
    old, new = A.split(b"\n")[lines[0] - 1], lines[1].encode()
    change.files["a.txt"] = File(MOVED.replace(b"\n" + old + b"\n", b"\n" + new + b"\n"))
    return change


def test_a_decoy_is_found_over_a_base_that_is_here_and_one_that_is_not(forked: Repo) -> None:
    change, main = rewritten(forked, (10, "ten")), forked.head
    change.edit["edit"]["new_lines"] = ["harmless"]
    commit(forked, change)
    assert rejection(forked) == "decoy"
    forget_base(change)
    commit(forked, replace(change, parents=(main,)))
    [*_, finding] = judge(forked).findings
    assert (finding.rule, finding.what) == ("decoy", "the spec does not match what the hunks do")


def forget_base(change: Change) -> None:
    change.entry["base"] = None
    change.file["before"]["sha256"] = "0" * 64


def test_an_expected_hash_that_never_held_is_found_where_the_base_is_here(forked: Repo) -> None:
    change = rewritten(forked, (10, "ten"))
    change.edit["expected_hash"] = "0" * 64
    commit(forked, change)
    assert rejection(forked) == "hash"


def test_a_base_that_is_not_here_is_noted(forked: Repo) -> None:
    change = rewritten(forked, (10, "ten"))
    forget_base(change)
    commit(forked, change)
    assert verdict(forked) is Verdict.REANCHORED
    assert any("files that are missing here" in note for note in judge(forked).judged.notes)


def test_a_file_said_to_have_moved_that_has_not_is_rejected(forked: Repo) -> None:
    forked.git("checkout", "-q", "topic~2")
    change = applied(forked, protocol(edit(A, 10, "ten")))
    change.file["before"]["sha256"] = "0" * 64
    commit(forked, change)
    assert rejection(forked) == "before"


def test_an_entry_that_changes_nothing_here_is_rejected(forked: Repo) -> None:
    change = rewritten(forked, (10, "ten"))
    hunk = change.file["hunks"][0]
    hunk["new_text"], hunk["new_hash"] = "line 10\n", hunk["old_hash"]
    forget_base(change)
    commit(forked, Change({"b.txt": File(b"c\n")}, change.entries))
    assert rejection(forked) == "surplus"


# Order


def text(letter: str) -> bytes:
    return b"one\ntwo\nthree\n%s\nfour\nfive\nsix\n" % letter.encode()


@pytest.mark.parametrize(
    "letters", ["ab", "abc", "abcde", "abac", "ababc"], ids=lambda letters: " to ".join(letters)
)
def test_entries_follow_from_each_other_over_a_moved_base(repo: Repo, letters: str) -> None:
    changes = chain(repo, *map(text, letters), line=4)
    repo.commit({"f": b"zero\n" + text("a")}, "Meanwhile")
    entries = [change.entry for change in changes]
    commit(repo, Change({"f": File(b"zero\n" + text(letters[-1]))}, entries))
    assert verdict(repo) is Verdict.REANCHORED


def test_a_circle_over_a_moved_base_begins_with_the_lowest_id(repo: Repo) -> None:
    """There and back again: nothing shows which of the two entries came first."""
    there, back = chain(repo, *map(text, "aba"), line=4)
    repo.commit({"f": b"zero\n" + text("a")}, "Meanwhile")
    commit(repo, Change({}, [there.entry, back.entry]))
    judged = judge(repo).judged
    first, _ = judged.entries[0]
    is_right = first == entry_id(written(there.entry))
    assert (judged.verdict is Verdict.REANCHORED) == is_right


def test_entries_of_which_neither_follows_go_by_their_ids(repo: Repo) -> None:
    """Two cherry-picks from two branches, of one file at two places."""
    base = text("a")
    repo.commit({"f": base}, "Start")
    left = applied(repo, protocol(replace_range("f", base, 1, 1, "ONE")))
    repo.commit({"f": base + b"seven\n"}, "On")
    right = applied(repo, protocol(replace_range("f", base + b"seven\n", 7, 7, "SIX")))
    moved = b"zero\n" + base + b"seven\n"
    repo.commit({"f": moved}, "Meanwhile")
    made = moved.replace(b"one", b"ONE").replace(b"six", b"SIX")
    commit(repo, Change({"f": File(made)}, [left.entry, right.entry]))
    assert verdict(repo) is Verdict.REANCHORED

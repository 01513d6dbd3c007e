"""Attacks through history: laundering by revert, squash and merge; odd ranges; moved names."""

from dataclasses import replace

import pytest

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from hkgit.gate.commit_range import CommitRange, list_commits_of
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository
from tests.attacks.scene import AGENT, PERSON, A, Attack, Change, Scene, replace_range
from tests.support.cases import cases
from tests.support.commits import commit_tree, joined
from tests.support.objects import open_repository
from tests.support.rulings import judge_between, judge_whole

EVIL = File(b"evil\n")


def tree(scene: Scene, commit: str) -> str:
    return scene.repo.resolve(f"{commit}^{{tree}}")


def other(scene: Scene, line: int = 1) -> Change:
    """Another honest change than that of the scene."""
    text = scene.repo.show("HEAD", "b.txt")
    return scene.applied(replace_range("b.txt", text, line, line, "uno"))


def revert_of_a_stranger(scene: Scene) -> str:
    """The inverse of a commit that is in no history of this branch, and passes in its own."""
    stranger = scene.by_hand({"b.txt": EVIL}, PERSON)
    back = {"b.txt": File(scene.repo.show("HEAD", "b.txt"))}
    inverse = scene.by_hand({**back}, PERSON, stranger)
    text = f'Revert "Say"\n\nThis reverts commit {inverse}.\n'
    return scene.by_hand({"b.txt": EVIL}, message=text)


def revert_with_a_byte_more(scene: Scene) -> str:
    done = scene.commit(scene.honest())
    text = f'Revert "Say"\n\nThis reverts commit {done}.\n'
    added = scene.repo.git("diff", "--name-only", "HEAD", done, "--", ".hkgit/ledger")
    return scene.by_hand({"a.py": File(A + b"evil()\n"), added: None}, on=done, message=text)


def revert_of_what_fails(scene: Scene) -> str:
    """Taking back a blind removal brings bytes that nobody accounts for either."""
    blind = scene.by_hand({"b.txt": EVIL})
    again = scene.by_hand({"b.txt": File(b"one\n")}, on=blind)
    text = f'Revert "Say"\n\nThis reverts commit {again}.\n'
    return scene.by_hand({"b.txt": EVIL}, on=again, message=text)


def squash_with_a_byte_more(scene: Scene) -> str:
    """Two honest entries squashed, and beside them a file of nobody's."""
    both = joined(scene.honest(), other(scene))
    return scene.commit(replace(both, files={**both.files, "evil.py": EVIL}))


def squash_over_a_moved_base(scene: Scene) -> str:
    """An entry carried over a change of the very lines that it names."""
    moved = A.replace(b"    name = sys.argv[1]\n", b"    name = input()\n")
    on = scene.by_hand({"a.py": File(moved)}, PERSON)
    return scene.commit(replace(scene.honest(), parents=(on,)))


def rebase_that_adds(scene: Scene) -> str:
    """A commit rebased over another change of its file, with a byte more."""
    on = scene.by_hand({"a.py": File(b"# first\n" + A)}, PERSON)
    change = scene.honest()
    data = change.files["a.py"]
    assert data is not None
    files = {**change.files, "a.py": File(b"# first\n" + data.data + b"evil()\n")}
    return scene.commit(replace(change, files=files, parents=(on,)))


def pruned_with_a_byte_more(scene: Scene) -> str:
    listed = scene.repo.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    return scene.by_hand({**dict.fromkeys(listed), "evil.py": EVIL})


def evil_merge(scene: Scene) -> str:
    """A merge with a line that neither parent has."""
    left = scene.commit(scene.honest())
    right = scene.commit(other(scene))
    merged = scene.repo.git("merge-tree", "--write-tree", left, right)
    evil = _with_file(scene, merged, "a.py", b"evil()\n")
    return commit_tree(scene.repo, evil, [left, right], b"Merge\n", AGENT)


def merge_that_drops(scene: Scene) -> str:
    """A merge that keeps nothing of what it merges (`-s ours`)."""
    left = scene.commit(scene.honest())
    right = scene.commit(other(scene))
    return commit_tree(scene.repo, tree(scene, left), [left, right], b"Merge\n", AGENT)


def octopus(scene: Scene) -> str:
    parents = [scene.commit(other(scene, line)) for line in (1, 2)]
    top = scene.commit(scene.honest())
    return commit_tree(scene.repo, tree(scene, top), [top, *parents], b"Merge\n", AGENT)


def octopus_of_gits(scene: Scene) -> str:
    """What git itself makes of three: who resolves such a merge cannot be told."""
    heads = [
        scene.commit(scene.honest()),
        scene.commit(other(scene)),
        scene.by_hand({"c.txt": File(b"c\n")}, PERSON),
    ]
    two = scene.repo.git("merge-tree", "--write-tree", *heads[:2])
    between = commit_tree(scene.repo, two, heads[:2], b"Merge\n", AGENT)
    merged = scene.repo.git("merge-tree", "--write-tree", between, heads[2])
    return commit_tree(scene.repo, merged, heads, b"Merge\n", AGENT)


def merge_with_itself(scene: Scene) -> str:
    """Twice the same parent, to pass a change for a merge."""
    top = scene.commit(scene.honest())
    evil = _with_file(scene, tree(scene, top), "b.txt", b"evil\n")
    return _raw_commit(scene, evil, [top, top])


def root(scene: Scene) -> str:
    """A first commit that brings files from nowhere."""
    return scene.commit(Change({"evil.py": EVIL}, parents=(), message="Say\n"))


def _with_file(scene: Scene, tree_id: str, path: str, data: bytes) -> str:
    blob = scene.repo.store(data)
    listed = scene.repo.git("ls-tree", tree_id).splitlines()
    kept = [line for line in listed if not line.endswith(f"\t{path}")]
    lines = "\n".join([*kept, f"100644 blob {blob}\t{path}", ""])
    return scene.repo.git("mktree", stdin=lines.encode())


def _raw_commit(scene: Scene, tree_id: str, parents: list[str]) -> str:
    who = f"{AGENT} 1700000000 +0000"
    lines = [f"tree {tree_id}", *(f"parent {each}" for each in parents)]
    text = "\n".join([*lines, f"author {who}", f"committer {who}", "", "Say\n"])
    return scene.repo.store(text.encode(), "commit")


@cases(
    "attack, rule",
    {
        "revert of a stranger": (revert_of_a_stranger, "blind"),
        "revert with a byte more": (revert_with_a_byte_more, "entry"),
        "revert of what fails itself": (revert_of_what_fails, "blind"),
        "squash with a byte more": (squash_with_a_byte_more, "bytes"),
        "squash over other lines": (squash_over_a_moved_base, "before"),
        "rebase with a byte more": (rebase_that_adds, "bytes"),
        "prune with a byte more": (pruned_with_a_byte_more, "entry"),
        "evil merge": (evil_merge, "merge"),
        "merge that drops a side": (merge_that_drops, "merge"),
        "octopus": (octopus, "merge"),
        "octopus that git would make": (octopus_of_gits, "merge"),
        "merge with itself": (merge_with_itself, "merge"),
        "root commit": (root, "blind"),
    },
)
def test_history_launders_nothing(scene: Scene, attack: Attack, rule: str) -> None:
    assert scene.rules(attack(scene)) == {rule}


def test_an_empty_commit_brings_nothing(scene: Scene) -> None:
    made = commit_tree(scene.repo, tree(scene, "HEAD"), ["HEAD"], b"Approved\n", AGENT)
    assert scene.ruling(made, Policy()).judged.verdict is Verdict.EMPTY


def test_a_merge_brings_the_commits_that_it_merges_before_the_judge(
    scene: Scene, policy: Policy
) -> None:
    side = scene.by_hand({"evil.py": EVIL})
    main = scene.by_hand({"c.txt": File(b"c\n")}, PERSON)
    merged = scene.repo.git("merge-tree", "--write-tree", main, side)
    made = commit_tree(scene.repo, merged, [main, side], b"Merge\n", AGENT)
    report = judge_between(scene.repo, main, made, policy)
    assert [ruling.rule for ruling in report.rulings if not ruling.passes] == ["blind"]


# Ranges


def test_unrelated_histories_are_judged_from_their_roots(scene: Scene, policy: Policy) -> None:
    stranger = root(scene)
    report = judge_between(scene.repo, "HEAD", stranger, policy)
    assert [(each.passes, each.rule) for each in report.rulings] == [(False, "blind")]


def test_what_since_leaves_alone_is_not_moved_by_a_ref(scene: Scene) -> None:
    """A branch of that name, pushed by anybody, would widen what is left alone."""
    evil = scene.by_hand({"evil.py": EVIL})
    root_commit = scene.repo.git("rev-list", "--max-parents=0", "HEAD")
    scene.repo.git("update-ref", f"refs/heads/{root_commit}", evil)
    scene.repo.git("update-ref", f"refs/tags/{root_commit}", evil)
    opened = open_repository(scene.repo)
    kept = list_commits_of(opened, CommitRange(root_commit, evil), Policy(since=root_commit))
    scene.repo.git("update-ref", "-d", f"refs/heads/{root_commit}")
    scene.repo.git("update-ref", "-d", f"refs/tags/{root_commit}")
    assert kept[-1] == evil


# What the repository itself is made to say


def test_a_replacement_is_not_looked_at(scene: Scene) -> None:
    evil = scene.by_hand({"b.txt": EVIL})
    good = scene.commit(scene.honest())
    scene.repo.git("replace", evil, good)
    rules = scene.rules(evil)
    scene.repo.git("replace", "-d", evil)
    assert rules == {"blind"}


def test_commits_from_borrowed_objects_are_judged_like_others(
    scene: Scene, policy: Policy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    evil = scene.by_hand({"b.txt": EVIL})
    path = tmp_path_factory.mktemp("borrowed") / "repo"
    scene.repo.git("clone", "-q", "--shared", ".", str(path))
    opened = Repository.discover(path)
    report = judge_whole(opened, CommitRange(scene.repo.head, evil), policy)
    assert [each.rule for each in report.rulings] == ["blind"]


def test_an_entry_says_nothing_of_what_the_base_was(scene: Scene) -> None:
    """The base is informative: another one in its place changes no verdict, and opens no door."""
    change = scene.honest()
    change.entry["base"] = "0" * 40
    change.entry["claims"] = {"agent": "human/1"}
    assert scene.ruling(scene.commit(change), Policy()).judged.verdict is Verdict.STRICT

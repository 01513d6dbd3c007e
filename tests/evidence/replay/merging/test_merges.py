"""Merges, and what is not here to be judged."""

from pathlib import Path

import pytest

from hkgit.edits import EXECUTABLE, File
from hkgit.evidence.verdict import Verdict
from tests.support.cases import cases
from tests.support.commits import (
    AGENT,
    CRLF,
    PERSON,
    A,
    Change,
    applied,
    commit,
    files_of,
    judge,
    rejection,
    verdict,
)
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo


def branches(repo: Repo) -> tuple[str, str]:
    """Two branches that change a.py at its two ends, each with an entry."""
    start = repo.head
    left = commit(repo, applied(repo, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    repo.git("reset", "-q", "--hard", start)
    right = commit(repo, applied(repo, protocol(replace_range("a.py", A, 5, 5, "    pass"))))
    return left, right


def gits(repo: Repo, left: str, right: str) -> dict[str, File | None]:
    """The files that git makes of two commits."""
    tree = repo.git("merge-tree", "--write-tree", left, right, check=False).split()[0]
    files = files_of(repo, tree)
    return {path: files.get(path) for path in files.paths()}


def merged(
    repo: Repo, left: str, right: str, changes: dict[str, File | None], author: str = AGENT
) -> None:
    """A merge: what git makes of the parents, and more."""
    files = gits(repo, left, right) | changes
    commit(repo, Change(files, message="Merge", parents=(left, right), author=author))


def test_the_merge_that_git_makes_is_a_merge_and_says_which_git(started: Repo) -> None:
    merged(started, *branches(started), {})
    assert verdict(started) is Verdict.MERGE
    assert (judge(started).judged.basis or "").startswith("git 2.")


@cases(
    "changes",
    {
        "in a merged file": {"a.py": File(b"evil\n")},
        "a new file": {"evil": File(b"evil\n")},
        "a file less": {"b.txt": None},
        "a mode": {"b.txt": File(CRLF, EXECUTABLE)},
    },
)
def test_an_agents_merge_with_changes_of_its_own_fails(
    started: Repo, changes: dict[str, File | None]
) -> None:
    sides = branches(started)
    merged(started, *sides, changes)
    assert rejection(started) == "merge"
    assert "make those in a later commit" in judge(started).findings[0].fix
    merged(started, *sides, changes, PERSON)
    assert verdict(started) is Verdict.UNGOVERNED  # nobody's business


def test_nobodys_merge_may_write_entries(started: Repo) -> None:
    entry: dict[str, File | None] = {f".hkgit/ledger/00/{'0' * 62}.json": File(b"{}\n")}
    sides = branches(started)
    for author in (AGENT, PERSON):
        merged(started, *sides, entry, author)
        assert rejection(started) == "merge"


def octopus(repo: Repo, author: str) -> tuple[str, ...]:
    left, right = branches(repo)
    repo.git("reset", "-q", "--hard", left)
    third = commit(repo, applied(repo, protocol(replace_range("b.txt", CRLF, 1, 1, "1"))))
    commit(repo, Change(message="Merge", parents=(left, right, third), author=author))
    return left, right, third


def test_an_agents_octopus_fails_and_a_persons_is_nobodys_business(started: Repo) -> None:
    parents = octopus(started, AGENT)
    assert rejection(started) == "merge"
    assert judge(started).findings[0].fix == "Merge them one by one."
    commit(started, Change(message="Merge", parents=parents, author=PERSON))
    assert verdict(started) is Verdict.UNGOVERNED


def test_what_a_shallow_clone_left_out_is_unverifiable(started: Repo, tmp_path: Path) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    started.git("clone", "-q", "--depth=1", f"file://{started.path}", str(tmp_path / "shallow"))
    ruling = judge(Repo(tmp_path / "shallow"))
    assert (ruling.passes, ruling.rule) == (False, "unverifiable")
    assert "fetch-depth: 0" in ruling.findings[0].fix
    started.loose("HEAD^:a.py").unlink()
    assert rejection(started) == "unverifiable"


# Conflicts


def conflicting(repo: Repo, *ours: Operation) -> tuple[str, str]:
    """Two branches that change the same line of a.py, one of them b.txt too."""
    start = repo.head
    edit = replace_range("a.py", A, 5, 5, "    left()")
    left = commit(repo, applied(repo, protocol(edit, *ours)))
    repo.git("reset", "-q", "--hard", start)
    edits = replace_range("a.py", A, 5, 5, "    right()"), replace_range("b.txt", CRLF, 1, 1, "1")
    return left, commit(repo, applied(repo, protocol(*edits)))


def resolution(repo: Repo, left: str, right: str) -> Change:
    """The merge whose conflict an entry resolves, against the first parent."""
    edit = replace_range("a.py", repo.show(left, "a.py"), 5, 5, "    both()")
    change = applied(repo, protocol(edit), on=left)
    files = gits(repo, left, right) | change.files
    return Change(files, change.entries, "Merge\n", parents=(left, right))


def test_an_entry_resolves_a_conflict_against_the_first_parent(started: Repo) -> None:
    commit(started, resolution(started, *conflicting(started)))
    assert verdict(started) is Verdict.MERGE
    judged = judge(started).judged
    assert len(judged.entries) == 1
    assert (judged.basis or "").split()[0] == "git"


def test_a_conflict_is_gone_once_the_other_branch_says_the_same(started: Repo) -> None:
    left, right = conflicting(started)
    edit = replace_range("a.py", started.show(right, "a.py"), 5, 5, "    left()")
    merged(started, left, commit(started, applied(started, protocol(edit))), {})
    assert verdict(started) is Verdict.MERGE


def test_a_conflict_without_an_entry_fails_also_as_the_first_parent_has_it(started: Repo) -> None:
    left, right = conflicting(started)
    merged(started, left, right, {"a.py": files_of(started, left).get("a.py")})
    assert rejection(started) == "merge"
    assert "hkgit apply --merge" in judge(started).findings[0].fix


def test_a_conflict_may_stay_as_the_first_parent_has_it_beside_another(started: Repo) -> None:
    left, right = conflicting(started, replace_range("b.txt", CRLF, 1, 1, "l"))
    change = resolution(started, left, right)
    change.files["b.txt"] = files_of(started, left).get("b.txt")
    commit(started, change)
    assert verdict(started) is Verdict.MERGE


@cases(
    "path, data, rule",
    {
        "the conflict": ("a.py", A.replace(b"print(sys.argv)", b"evil()"), "bytes"),
        "a file that merged by itself": ("b.txt", b"evil\n", "merge"),
        "another file": ("new", b"evil\n", "merge"),
        "a file of hkgit's": (".hkgit/other", b"evil\n", "merge"),
    },
)
def test_a_resolution_covers_its_conflict_alone(
    started: Repo, path: str, data: bytes, rule: str
) -> None:
    change = resolution(started, *conflicting(started))
    change.files[path] = File(data)
    commit(started, change)
    assert rejection(started) == rule


def test_an_entry_of_a_merge_changes_no_other_file(started: Repo) -> None:
    left, right = branches(started)
    change = applied(started, protocol(replace_range("b.txt", CRLF, 1, 1, "1")), on=left)
    files = gits(started, left, right) | change.files
    commit(started, Change(files, change.entries, "Merge\n", parents=(left, right)))
    assert rejection(started) == "merge"


@pytest.mark.parametrize("path", [".hkgit/ledger/", ".hkgit/config.toml"])
def test_a_resolution_drops_nothing_that_the_other_side_has_of_hkgits(
    started: Repo, path: str
) -> None:
    left, _ = conflicting(started)
    right = started.commit({".hkgit/config.toml": "[gate]\nmode = 'report'\n"})
    change = resolution(started, left, right)
    ours, theirs = (set(files_of(started, rev).paths()) for rev in (left, right))
    change.files.update(dict.fromkeys(each for each in theirs - ours if each.startswith(path)))
    commit(started, change)
    assert rejection(started) == "merge"


def test_a_resolution_takes_no_file_away_that_a_directory_displaces(started: Repo) -> None:
    start = started.commit({"d": "a file\n"})
    edits = replace_range("a.py", A, 5, 5, "    left()"), replace_range("d", b"a file\n", 1, 1, "1")
    left = commit(started, applied(started, protocol(*edits)))
    started.git("reset", "-q", "--hard", start)
    started.commit({"d": None})
    right = started.commit({"d/inner": "1\n", "a.py": A.replace(b"print(sys.argv)", b"right()")})
    change = resolution(started, left, right)
    aside = [path for path in change.files if path.startswith("d")]
    files = {"d": None, **dict.fromkeys(aside), **change.files, f"d~{left}": None}
    commit(started, Change(files, change.entries, "Merge\n", parents=(left, right)))
    assert rejection(started) == "merge"


def test_a_resolution_is_held_to_the_floors(started: Repo) -> None:
    left, right = conflicting(started)
    change = resolution(started, left, right)
    change.edit["evidence"], change.edit["expected_hash"] = "none", None
    commit(started, change)
    assert not judge(started).passes

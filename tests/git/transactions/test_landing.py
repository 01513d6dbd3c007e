"""Landing: the branch moves if it is where it was, and the checkout loses nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import GitRefused, HkgitError
from hkgit.git.transaction.landing import expect_landable
from tests.git.transactions.landing import Files, commit_on, everything, land, land_on_main
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo


def test_the_branch_and_the_checkout_follow(based: Repo) -> None:
    new = land_on_main(based, {"a": "2\n", "b": None, "new/d": "4\n"})
    assert based.head == new
    assert based.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert based.read("a") == b"2\n"
    assert not (based.path / "b").exists()
    assert based.read("new/d") == b"4\n"
    assert based.status() == []


def test_the_reflog_reads_well(based: Repo) -> None:
    new = land_on_main(based, {"a": "2\n"})
    expected = f"{new[:7]} HEAD@{{0}}: hkgit apply: Landed"
    assert based.git("reflog", "-1") == expected
    assert based.git("reflog", "-1", "main") == expected.replace("HEAD", "main")


def test_submodules_are_left_alone(based: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit({"x": "1"})
    based.git("submodule", "--quiet", "add", str(library.path), "sub")
    based.commit()
    based.git("config", "submodule.recurse", "true")
    (based.path / "sub" / "x").write_text("mine")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == [" M sub"]


@pytest.mark.parametrize("where", [".git/info/attributes", ".gitattributes", "dir/.gitattributes"])
def test_files_are_written_as_git_writes_them(based: Repo, where: str) -> None:
    based.write(where, "* text eol=crlf\n")
    land_on_main(based, {"dir/c": "one\ntwo\n"})
    assert based.read("dir/c") == b"one\r\ntwo\r\n"
    assert " M dir/c" not in based.status()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("* -text -filter", b"2\n"),
        ("* -text\na text eol=crlf", b"2\r\n"),
        ("a -text\n[attr]dos text eol=crlf\na dos", b"2\r\n"),
        ("* text eol=crlf\na -text -eol", b"2\n"),
    ],
)
def test_attributes_that_are_taken_away_convert_nothing(
    based: Repo, said: str, written: bytes
) -> None:
    based.commit({".gitattributes": said + "\n"})
    land_on_main(based, {"a": "2\n", "dir/c": "2\n"})
    assert based.read("a") == written


def test_line_ends_of_the_configuration_are_written(based: Repo) -> None:
    based.git("config", "core.autocrlf", "true")
    land_on_main(based, {"a": "one\ntwo\n"})
    assert based.read("a") == b"one\r\ntwo\r\n"
    assert based.status() == []


def test_files_that_become_executable_are(based: Repo) -> None:
    based.git("update-index", "--chmod=+x", "a")
    tree = based.git("write-tree")
    based.git("reset", "-q", "--hard")
    new = based.git("commit-tree", tree, "-p", "HEAD", "-m", "Landed")
    land(based, new)
    assert based.path.joinpath("a").stat().st_mode & 0o100
    assert based.status() == []


# Local changes that do not overlap stay


def test_local_changes_of_other_files_stay_as_they_are(based: Repo) -> None:
    based.commit({"d": "1\n", "gone": "1\n"})
    based.write(".git/info/exclude", "ignored\n")
    based.write("d", "mine\n")
    based.git("rm", "-q", "--cached", "gone")
    based.write("later", "x")
    based.git("add", "-N", "later")
    for name in ("b", "added", "dir/ignored", "dir/untracked"):
        based.write(name, "mine\n")
    based.git("add", "b", "added")
    based.write("b", "unstaged\n")
    os.utime(based.path / "a", (1, 1))  # only touched
    land_on_main(based, {"a": "2\n", "dir/c": None})
    changed = ["A  added", "MM b", " M d", "D  gone", " A later"]
    assert based.status() == [*changed, "?? dir/", "?? gone"]
    assert based.read("a") == b"2\n"
    assert based.read("b") == b"unstaged\n"
    assert based.git("show", ":b") == "mine"
    assert based.read("dir/ignored") == based.read("dir/untracked") == b"mine\n"


def test_a_change_that_is_staged_already_lands(based: Repo) -> None:
    based.write("a", "2\n")
    based.git("add", "a")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == []


# What a checkout may be like


def test_a_sparse_checkout_stays_sparse(based: Repo) -> None:
    based.git("sparse-checkout", "set", "--no-cone", "/a")
    land_on_main(based, {"a": "2\n", "b": "2\n", "new": "2\n"})
    assert based.read("a") == b"2\n"
    assert not (based.path / "b").exists()
    assert not (based.path / "new").exists()
    assert based.status() == []


def test_a_file_becomes_a_directory_and_back(based: Repo) -> None:
    land_on_main(based, {"a": None, "a/x": "2\n"})
    assert based.read("a/x") == b"2\n"
    land_on_main(based, {"a/x": None, "a": "3\n"})
    assert based.read("a") == b"3\n"
    assert based.status() == []


def test_an_index_that_is_split_stays_split(based: Repo) -> None:
    based.git("config", "core.splitIndex", "true")
    based.git("update-index", "--split-index")
    based.write("b", "staged\n")
    based.git("add", "b")
    new = land_on_main(based, {"a": "2\n", "new": "2\n"})
    assert based.head == new
    assert based.read("a") == b"2\n"
    assert based.status() == ["M  b"]
    assert list((based.path / ".git").glob("sharedindex.*")) != []


def test_a_sparse_index_stays_sparse(based: Repo) -> None:
    based.commit({"other/deep/x": "1\n"})
    based.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
    land_on_main(based, {"dir/c": "2\n", "other/deep/x": "2\n"})
    assert based.read("dir/c") == b"2\n"
    assert based.status() == []
    assert not (based.path / "other").exists()
    assert "other/" in based.git("ls-files", "--sparse").splitlines()


# Local changes that overlap refuse, and are named


def local_edit(repo: Repo) -> None:
    repo.write("a", "mine\n")


def local_staged_edit(repo: Repo) -> None:
    repo.write("a", "mine\n")
    repo.git("add", "a")


def local_removal(repo: Repo) -> None:
    (repo.path / "a").unlink()


def staged_then_reverted(repo: Repo) -> None:
    local_staged_edit(repo)
    repo.write("a", "1\n")


def untracked_file(repo: Repo) -> None:
    repo.write("new", "mine\n")


def ignored_file(repo: Repo) -> None:
    repo.write(".git/info/exclude", "new\n")
    repo.write("new", "mine\n")


def ignored_directory(repo: Repo) -> None:
    repo.write(".git/info/exclude", "new/x\n")
    repo.write("new/x", "mine\n")


def ignored_file_above(repo: Repo) -> None:
    repo.write(".git/info/exclude", "above\n")
    repo.write("above", "mine\n")


def link_above(repo: Repo) -> None:
    repo.write(".git/info/exclude", "above\n")
    (repo.path / "above").symlink_to("dir")


def ignored_file_below(repo: Repo) -> None:
    repo.write(".git/info/exclude", "ignored\n")
    repo.write("dir/ignored", "mine\n")


@pytest.mark.sampled
@cases(
    "change, files, named",
    {
        "an edit": (local_edit, {"a": "2\n"}, "a"),
        "an edit of a removed file": (local_edit, {"a": None}, "a"),
        "a staged edit": (local_staged_edit, {"a": "2\n"}, "a"),
        "staged, then reverted": (staged_then_reverted, {"a": "2\n"}, "a"),
        "an untracked file": (untracked_file, {"new": "2\n"}, "new"),
        "an ignored file": (ignored_file, {"new": "2\n"}, "new"),
        "in place of an ignored file": (ignored_directory, {"new": "2\n"}, "new/x"),
        "below an ignored file": (ignored_file_above, {"above/x": "2\n"}, "above"),
        "below an ignored link": (link_above, {"above/x": "2\n"}, "above"),
        "a directory that becomes a file": (
            ignored_file_below,
            {"dir/c": None, "dir": "2\n"},
            "dir/ignored",
        ),
    },
)
def test_local_changes_in_the_way_are_named_and_kept(
    based: Repo, change: Callable[[Repo], None], files: Files, named: str
) -> None:
    change(based)
    before = everything(based)
    with pytest.raises(GitRefused, match=f"local changes in the way: {named}\n"):
        land_on_main(based, files)
    assert everything(based) == before


def test_a_file_assumed_unchanged_is_not_lost(based: Repo) -> None:
    based.git("update-index", "--assume-unchanged", "a")
    local_edit(based)
    before = everything(based)
    with pytest.raises(GitRefused, match="'a' not uptodate"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before


def test_every_file_in_the_way_is_named(based: Repo) -> None:
    for name in ("a", "b", "untracked", "dir/c"):
        based.write(name, "mine\n")
    with pytest.raises(GitRefused, match="in the way: a, b, untracked\n"):
        land_on_main(based, {"a": "2\n", "b": "2\n", "untracked": "2\n"})


def test_a_file_that_is_gone_is_written_again(based: Repo) -> None:
    local_removal(based)
    land_on_main(based, {"a": "2\n"})
    assert based.read("a") == b"2\n"


def test_what_would_be_refused_can_be_known_before(based: Repo) -> None:
    tree = based.tree(commit_on(based, {"a": "2\n"}))
    opened = open_repository(based)
    expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)
    local_edit(based)
    with pytest.raises(GitRefused, match="in the way: a\n"):
        expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)


def test_an_odd_name_in_the_way_is_quoted(based: Repo) -> None:
    based.write("caf\udce9", "mine")
    with pytest.raises(GitRefused, match=r'in the way: "caf\\351"'):
        land_on_main(based, {"caf\udce9": "2\n"})


# Which branch moves, and when it is refused


def test_a_branch_that_moved_is_refused(based: Repo) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    based.commit({"b": "theirs\n"})
    before = everything(based)
    with pytest.raises(GitRefused, match="the branch has moved"):
        land(based, new, old=old)
    assert everything(based) == before


def test_a_branch_is_made_where_there_is_none(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    land(based, new, branch="topic/x", old=None, checkout=False)
    assert based.resolve("topic/x") == new
    assert based.status() == []
    with pytest.raises(GitRefused, match="the branch has moved"):
        land(based, new, branch="topic/x", old=None, checkout=False)


def test_a_branch_that_is_not_checked_out_moves_alone(based: Repo) -> None:
    based.git("branch", "topic")
    new = commit_on(based, {"a": "2\n"})
    land(based, new, branch="topic", checkout=False)
    assert based.resolve("topic") == new
    assert based.read("a") == b"1\n"


def test_the_first_commit_of_all_can_land(repo: Repo) -> None:
    tree = open_repository(repo).write_tree(None, {"a": File(b"1")})
    new = repo.git("commit-tree", tree, "-m", "Root")
    repo.write("b", "mine")
    land(repo, new, old=None)
    assert repo.head == new
    assert repo.read("a") == b"1"
    assert repo.status() == ["?? b"]


@pytest.mark.parametrize("name", ["main/below", "a..b", "ends.lock", "-d", "HEAD"])
def test_a_name_that_no_branch_can_have_is_refused(based: Repo, name: str) -> None:
    before = everything(based)
    with pytest.raises(HkgitError):
        land(based, based.head, branch=name, old=None, checkout=False)
    assert everything(based) == before


def test_a_branch_that_another_worktree_is_on_is_refused(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    with pytest.raises(GitRefused, match="is checked out in"):
        land(based, commit_on(based, {"a": "2\n"}), branch="topic", checkout=False)


def test_a_checkout_that_is_on_another_branch_is_refused(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    for switch in (("checkout", "-q", "--detach"), ("checkout", "-q", "-b", "other")):
        based.git(*switch)
        with pytest.raises(GitRefused, match="is not the branch of this checkout"):
            land(based, new)


def test_a_bare_repository_lands_without_a_checkout(
    based: Repo, make_repo: Callable[..., Repo]
) -> None:
    bare = make_repo("bare.git", bare=True)
    based.git("push", "-q", str(bare.path), "main")
    new = commit_on(bare, {"a": "2\n"}, "main")
    land(bare, new, old="main", checkout=False)
    assert bare.resolve("main") == new


def test_the_linked_worktree_that_the_user_stands_in_follows(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("b", "mine\n")
    new = commit_on(linked, {"a": "2\n"})
    land(Repo(linked.path / "dir"), new, branch="topic")
    assert linked.head == new
    assert linked.read("a") == b"2\n"
    assert linked.status() == [" M b"]
    assert based.read("a") == b"1\n"
    assert based.status() == []

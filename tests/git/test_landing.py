"""Landing: the branch moves if it is where it was, and the checkout loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import GitRefused, HkgitError
from hkgit.git.landing import expect_landable
from hkgit.git.repository import Repository
from hkgit.git.transaction import transaction
from tests.repos import Repo

Files = Mapping[str, str | None]


@pytest.fixture
def based(repo: Repo) -> Repo:
    """A repository with a commit to land on."""
    repo.commit({"a": "1\n", "b": "1\n", "dir/c": "1\n"}, "Base")
    return repo


def commit_on(repo: Repo, files: Files, parent: str = "HEAD") -> str:
    """A commit that no branch has yet."""
    opened = Repository.discover(repo.path)
    changed = {path: None if text is None else File(text.encode()) for path, text in files.items()}
    tree = opened.write_tree(repo.tree(parent), changed)
    return repo.git("commit-tree", tree, "-p", parent, "-m", "Landed")


def land(
    repository: Repository, *, branch: str, old: str | None, new: str, checkout: bool, reflog: str
) -> None:
    """A transaction that lands a commit and does nothing else."""
    with transaction(repository, branch=branch, old=old, checkout=checkout) as begun:
        begun.land(new, reflog=reflog)


def land_on_main(repo: Repo, files: Files) -> str:
    """Land a commit that changes these files on the branch that is checked out."""
    old, new = repo.head, commit_on(repo, files)
    land(Repository.discover(repo.path), branch="main", old=old, new=new, checkout=True,
         reflog="hkgit apply: Landed")  # fmt: skip
    return new


def everything(repo: Repo) -> tuple[object, ...]:
    """All that a refused landing must leave as it was."""
    files = {str(path): path.read_bytes() for path in repo.path.rglob("*")
             if path.is_file() and ".git" not in path.parts}  # fmt: skip
    index = repo.git("ls-files", "--stage", "-v")
    return files, index, repo.git("for-each-ref"), repo.git("reflog"), repo.status()


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


# Local changes that do not overlap stay


def test_unstaged_changes_of_other_files_stay(based: Repo) -> None:
    based.write("b", "mine\n")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == [" M b"]
    assert based.read("b") == b"mine\n"


def test_staged_changes_of_other_files_stay_staged(based: Repo) -> None:
    based.write("b", "staged\n")
    based.write("added", "staged\n")
    based.git("add", "b", "added")
    based.write("b", "unstaged\n")
    land_on_main(based, {"a": "2\n", "dir/c": None})
    assert based.status() == ["A  added", "MM b"]
    assert based.git("show", ":b") == "staged"


def test_staged_removals_and_intents_to_add_stay(based: Repo) -> None:
    based.git("rm", "-q", "--cached", "b")
    based.write("later", "x")
    based.git("add", "-N", "later")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == ["D  b", " A later", "?? b"]


def test_untracked_and_ignored_files_stay(based: Repo) -> None:
    based.write(".git/info/exclude", "ignored\n")
    based.write("dir/ignored", "mine")
    based.write("dir/untracked", "mine")
    land_on_main(based, {"dir/c": None, "a": "2\n"})
    assert based.read("dir/ignored") == based.read("dir/untracked") == b"mine"


def test_a_file_that_was_only_touched_is_not_in_the_way(based: Repo) -> None:
    os.utime(based.path / "a", (1, 1))
    land_on_main(based, {"a": "2\n"})
    assert based.read("a") == b"2\n"


def test_a_change_that_is_staged_already_lands(based: Repo) -> None:
    based.write("a", "2\n")
    based.git("add", "a")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == []


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


def assumed_unchanged(repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", "a")
    repo.write("a", "mine\n")


@pytest.mark.parametrize(
    ("change", "files", "named"),
    [
        pytest.param(local_edit, {"a": "2\n"}, "a", id="an edit"),
        pytest.param(local_edit, {"a": None}, "a", id="an edit of a removed file"),
        pytest.param(local_staged_edit, {"a": "2\n"}, "a", id="a staged edit"),
        pytest.param(staged_then_reverted, {"a": "2\n"}, "a", id="staged, then reverted"),
        pytest.param(untracked_file, {"new": "2\n"}, "new", id="an untracked file"),
        pytest.param(ignored_file, {"new": "2\n"}, "new", id="an ignored file"),
        pytest.param(ignored_directory, {"new": "2\n"}, "new/x", id="in place of an ignored file"),
        pytest.param(ignored_file_above, {"above/x": "2\n"}, "above", id="below an ignored file"),
        pytest.param(link_above, {"above/x": "2\n"}, "above", id="below an ignored link"),
        pytest.param(
            ignored_file_below,
            {"dir/c": None, "dir": "2\n"},
            "dir/ignored",
            id="a directory that becomes a file",
        ),
    ],
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
    assumed_unchanged(based)
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


# The branch


def test_a_branch_that_moved_is_refused(based: Repo) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    based.commit({"b": "theirs\n"})
    before = everything(based)
    with pytest.raises(GitRefused, match="the branch moved"):
        land(Repository.discover(based.path), branch="main", old=old, new=new, checkout=True,
             reflog="x")  # fmt: skip
    assert everything(based) == before


def test_a_branch_is_made_where_there_is_none(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    opened = Repository.discover(based.path)
    land(opened, branch="topic/x", old=None, new=new, checkout=False, reflog="x")
    assert opened.branch_tip("topic/x") == new
    assert based.status() == []
    with pytest.raises(GitRefused, match="the branch moved"):
        land(opened, branch="topic/x", old=None, new=new, checkout=False, reflog="x")


def test_a_branch_that_is_not_checked_out_moves_alone(based: Repo) -> None:
    based.git("branch", "topic")
    new = commit_on(based, {"a": "2\n"})
    opened = Repository.discover(based.path)
    land(opened, branch="topic", old=based.head, new=new, checkout=False, reflog="x")
    assert (opened.branch_tip("topic"), based.read("a")) == (new, b"1\n")


def test_the_first_commit_of_all_can_land(repo: Repo) -> None:
    tree = Repository.discover(repo.path).write_tree(None, {"a": File(b"1")})
    new = repo.git("commit-tree", tree, "-m", "Root")
    repo.write("b", "mine")
    land(Repository.discover(repo.path), branch="main", old=None, new=new, checkout=True,
         reflog="x")  # fmt: skip
    assert (repo.head, repo.read("a"), repo.status()) == (new, b"1", ["?? b"])


@pytest.mark.parametrize("name", ["main/below", "a..b", "ends.lock", "-d", "HEAD"])
def test_a_name_that_no_branch_can_have_is_refused(based: Repo, name: str) -> None:
    before = everything(based)
    with pytest.raises(HkgitError):
        land(Repository.discover(based.path), branch=name, old=None, new=based.head,
             checkout=False, reflog="x")  # fmt: skip
    assert everything(based) == before


def test_a_branch_that_another_worktree_is_on_is_refused(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    new = commit_on(based, {"a": "2\n"})
    with pytest.raises(GitRefused, match="is checked out in"):
        land(Repository.discover(based.path), branch="topic", old=based.head, new=new,
             checkout=False, reflog="x")  # fmt: skip


def test_a_checkout_that_is_on_another_branch_is_refused(based: Repo) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    for switch in (("checkout", "-q", "--detach"), ("checkout", "-q", "-b", "other")):
        based.git(*switch)
        with pytest.raises(GitRefused, match="is not what this checkout is on"):
            land(Repository.discover(based.path), branch="main", old=old, new=new, checkout=True,
                 reflog="x")  # fmt: skip


def test_a_bare_repository_lands_without_a_checkout(
    based: Repo, make_repo: Callable[..., Repo]
) -> None:
    bare = make_repo("bare.git", bare=True)
    based.git("push", "-q", str(bare.path), "main")
    new = commit_on(bare, {"a": "2\n"}, "main")
    opened = Repository.discover(bare.path)
    land(opened, branch="main", old=based.head, new=new, checkout=False, reflog="x")
    assert opened.branch_tip("main") == new


def test_the_linked_worktree_that_the_user_stands_in_follows(
    based: Repo, tmp_path: Path
) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("b", "mine\n")
    new = commit_on(linked, {"a": "2\n"})
    land(Repository.discover(linked.path / "dir"), branch="topic", old=linked.head, new=new,
         checkout=True, reflog="x")  # fmt: skip
    assert (linked.head, linked.read("a"), linked.status()) == (new, b"2\n", [" M b"])
    assert (based.read("a"), based.status()) == (b"1\n", [])


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
    assert (based.read("a"), based.status()) == (b"3\n", [])


# In the middle of something


def in_a_merge(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")


def in_a_rebase(repo: Repo) -> None:
    repo.git("rebase", "-q", "-x", "false", "HEAD~", check=False)
    repo.git("checkout", "-q", "main")


def in_a_cherry_pick(repo: Repo) -> None:
    repo.git("cherry-pick", "conflict", check=False)


def in_a_revert(repo: Repo) -> None:
    repo.git("revert", "HEAD~", check=False)


def in_a_bisect(repo: Repo) -> None:
    repo.git("bisect", "start")


@pytest.mark.parametrize(
    ("begin", "named"),
    [
        pytest.param(in_a_merge, "a merge", id="merge"),
        pytest.param(in_a_rebase, "a rebase", id="rebase"),
        pytest.param(in_a_cherry_pick, "a cherry-pick", id="cherry-pick"),
        pytest.param(in_a_revert, "a revert", id="revert"),
        pytest.param(in_a_bisect, "a bisect", id="bisect"),
    ],
)
def test_nothing_lands_in_the_middle_of_something(
    based: Repo, begin: Callable[[Repo], None], named: str
) -> None:
    based.git("branch", "side")
    based.git("checkout", "-q", "-b", "conflict")
    based.commit({"a": "conflict\n"})
    based.git("checkout", "-q", "side")
    based.commit({"side": "1\n"})
    based.git("checkout", "-q", "main")
    based.commit({"a": "2\n"})
    based.commit({"a": "3\n"})
    begin(based)
    before = everything(based)
    with pytest.raises(GitRefused, match=f"{named} is under way here"):
        land_on_main(based, {"dir/c": "2\n"})
    assert everything(based) == before


def test_a_locked_index_is_refused(based: Repo) -> None:
    (based.path / ".git" / "index.lock").touch()
    before = based.head, based.read("a")
    with pytest.raises(GitRefused, match="Another git process is at work"):
        land_on_main(based, {"a": "2\n"})
    assert (based.head, based.read("a")) == before


def test_a_locked_branch_is_refused(based: Repo) -> None:
    (based.path / ".git" / "refs" / "heads" / "main.lock").touch()
    before = everything(based)
    with pytest.raises(GitRefused, match="Another git process is at work"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before


def test_a_hook_on_references_is_heard(based: Repo) -> None:
    based.write_hook("reference-transaction", "echo 'not on my watch' >&2; exit 1")
    before = everything(based)
    with pytest.raises(GitRefused, match="not on my watch"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before


def expect_unlocked(repo: Repo) -> None:
    assert list((repo.path / ".git").rglob("*.lock")) == []
    assert list((repo.path / ".git").rglob("*hkgit*")) == []


@pytest.mark.parametrize(
    ("smudge", "said"),
    [
        pytest.param("false", "smudge filter broken failed", id="git gives up"),
        pytest.param("kill -9 $PPID; exit 1", "git read-tree: ended with code -9", id="git dies"),
    ],
)
def test_a_checkout_that_cannot_follow_is_undone(based: Repo, smudge: str, said: str) -> None:
    based.git("config", "filter.broken.smudge", smudge)
    based.git("config", "filter.broken.required", "true")
    based.write(".git/info/attributes", "z filter=broken\n")
    before = everything(based)[:3]
    with pytest.raises(GitRefused, match=said):
        land_on_main(based, {"a": "2\n", "b": None, "new/x": "2\n", "z": "2\n"})
    assert everything(based)[:3] == before
    assert based.status() == []
    expect_unlocked(based)


ON_MAIN = "grep -q refs/heads/main && [ $1 = {} ] && kill -9 $PPID; exit 0"
"""A hook that kills the git which moves the branch."""


def test_a_git_that_dies_before_it_moves_the_branch_leaves_no_lock(based: Repo) -> None:
    based.write_hook("reference-transaction", ON_MAIN.format("prepared"))
    before = everything(based)
    with pytest.raises(GitRefused, match="git update-ref: ended with code -9"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before
    expect_unlocked(based)


def test_a_git_that_dies_when_it_has_moved_the_branch_has_landed(based: Repo) -> None:
    based.write_hook("reference-transaction", ON_MAIN.format("committed"))
    new = land_on_main(based, {"a": "2\n"})
    assert (based.head, based.read("a"), based.status()) == (new, b"2\n", [])
    expect_unlocked(based)


def test_an_index_that_is_split_stays_split(based: Repo) -> None:
    based.git("config", "core.splitIndex", "true")
    based.git("update-index", "--split-index")
    based.write("b", "staged\n")
    based.git("add", "b")
    new = land_on_main(based, {"a": "2\n", "new": "2\n"})
    assert (based.head, based.read("a"), based.status()) == (new, b"2\n", ["M  b"])
    assert list((based.path / ".git").glob("sharedindex.*")) != []


def test_a_sparse_index_stays_sparse(based: Repo) -> None:
    based.commit({"other/deep/x": "1\n"})
    based.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
    land_on_main(based, {"dir/c": "2\n", "other/deep/x": "2\n"})
    assert (based.read("dir/c"), based.status()) == (b"2\n", [])
    assert not (based.path / "other").exists()
    assert "other/" in based.git("ls-files", "--sparse").splitlines()


LAND = """
import pathlib, sys
from hkgit.git.repository import Repository
from hkgit.git.transaction import transaction
opened = Repository.discover(pathlib.Path.cwd())
old, new = sys.argv[1:]
with transaction(opened, branch="main", old=old, checkout=True) as begun:
    begun.land(new, reflog="x")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_until_the_checkout_has_followed(
    based: Repo, tmp_path: Path, number: signal.Signals
) -> None:
    waiting, sent = tmp_path / "waiting", tmp_path / "sent"
    until = f"until [ -e '{sent}' ]; do sleep 0.02; done"
    based.write_hook("reference-transaction", f"touch '{waiting}'; {until}")
    new = commit_on(based, {"a": "2\n"})
    command = [sys.executable, "-c", LAND, based.head, new]
    with subprocess.Popen(command, cwd=based.path, stderr=subprocess.PIPE) as process:
        while not waiting.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        sent.touch()
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert (based.head, based.read("a"), based.status()) == (new, b"2\n", [])


def test_what_would_be_refused_can_be_known_before(based: Repo) -> None:
    tree = based.tree(commit_on(based, {"a": "2\n"}))
    opened = Repository.discover(based.path)
    expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)
    local_edit(based)
    with pytest.raises(GitRefused, match="in the way: a\n"):
        expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)


def test_an_odd_name_in_the_way_is_quoted(based: Repo) -> None:
    based.write("caf\udce9", "mine")
    with pytest.raises(GitRefused, match=r'in the way: "caf\\351"'):
        land_on_main(based, {"caf\udce9": "2\n"})

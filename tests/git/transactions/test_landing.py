"""Landing: the branch moves if it is where it was, and the checkout loses nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hkgit.errors import GitRefused, HkgitError
from hkgit.git.transaction.landing import expect_landable
from tests.git.transactions.landing import (
    Files,
    commit_on,
    everything,
    expect_checkout,
    expect_no_trace,
    land,
    land_on_main,
    root_commit,
)
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

pytestmark = pytest.mark.usefixtures("temporary_directory")


def test_the_branch_and_the_checkout_follow(based: Repo) -> None:
    files: Files = {"a": "2\n", "b": None, "new/d": "4\n"}
    new = land_on_main(based, files)
    expect_checkout(based, new, files)
    assert based.git("symbolic-ref", "HEAD") == "refs/heads/main"


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
    based.write("sub/x", "mine")
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
    new = land_on_main(based, {"a": "one\ntwo\n"})
    expect_checkout(based, new, {"a": "one\r\ntwo\r\n"})


def test_files_that_become_executable_are(based: Repo) -> None:
    based.git("update-index", "--chmod=+x", "a")
    tree = based.git("write-tree")
    based.git("reset", "-q", "--hard")
    land(based, based.git("commit-tree", tree, "-p", "HEAD", "-m", "Landed"))
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
    new = land_on_main(based, {"a": "2\n", "dir/c": None})
    mine = dict.fromkeys(("dir/ignored", "dir/untracked"), "mine\n")
    status = ["A  added", "MM b", " M d", "D  gone", " A later", "?? dir/", "?? gone"]
    expect_checkout(based, new, {"a": "2\n", "b": "unstaged\n", **mine}, status)
    assert based.git("show", ":b") == "mine"


def test_a_change_that_is_staged_already_lands(based: Repo) -> None:
    based.write("a", "2\n")
    based.git("add", "a")
    land_on_main(based, {"a": "2\n"})
    assert based.status() == []


# What a checkout may be like


def test_a_sparse_checkout_stays_sparse(based: Repo) -> None:
    based.git("sparse-checkout", "set", "--no-cone", "/a")
    based.git("config", "--worktree", "core.sparseCheckout", "True")  # as people write it
    new = land_on_main(based, {"a": "2\n", "b": "2\n", "new": "2\n"})
    expect_checkout(based, new, {"a": "2\n", "b": None, "new": None})


def test_a_file_becomes_a_directory_and_back(based: Repo) -> None:
    expect_checkout(based, land_on_main(based, {"a": None, "a/x": "2\n"}), {"a/x": "2\n"})
    expect_checkout(based, land_on_main(based, {"a/x": None, "a": "3\n"}), {"a": "3\n"})


def test_an_index_that_is_split_stays_split(based: Repo) -> None:
    based.git("config", "core.splitIndex", "true")
    based.git("update-index", "--split-index")
    based.write("b", "staged\n")
    based.git("add", "b")
    new = land_on_main(based, {"a": "2\n", "new": "2\n"})
    expect_checkout(based, new, {"a": "2\n"}, ["M  b"])
    assert list((based.path / ".git").glob("sharedindex.*")) != []


def test_a_sparse_index_stays_sparse(based: Repo) -> None:
    based.commit({"other/deep/x": "1\n"})
    based.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
    new = land_on_main(based, {"dir/c": "2\n", "other/deep/x": "2\n"})
    expect_checkout(based, new, {"dir/c": "2\n", "other": None})
    assert "other/" in based.git("ls-files", "--sparse").splitlines()


# Local changes that overlap refuse, and are named

IGNORE = ">.git/info/exclude echo"


@pytest.mark.sampled
@cases(
    "change, files, named",
    {
        "an edit": ("echo mine >a", {"a": "2\n"}, "a"),
        "an edit of a removed file": ("echo mine >a", {"a": None}, "a"),
        "a staged edit": ("echo mine >a; git add a", {"a": "2\n"}, "a"),
        "staged, then reverted": ("echo mine >a; git add a; echo 1 >a", {"a": "2\n"}, "a"),
        "an untracked file": ("echo mine >new", {"new": "2\n"}, "new"),
        "an odd name": ("echo mine >$(printf 'caf\\351')", {"caf\udce9": "2\n"}, r'"caf\\351"'),
        "an ignored file": (f"{IGNORE} new; echo mine >new", {"new": "2\n"}, "new"),
        "in place of an ignored file": (
            f"{IGNORE} new/x; mkdir new; echo mine >new/x",
            {"new": "2\n"},
            "new/x",
        ),
        "below an ignored file": (f"{IGNORE} above; echo 1 >above", {"above/x": "2\n"}, "above"),
        "below an ignored link": (f"{IGNORE} above; ln -s dir above", {"above/x": "2\n"}, "above"),
        "a directory that becomes a file": (
            f"{IGNORE} ignored; echo mine >dir/ignored",
            {"dir/c": None, "dir": "2\n"},
            "dir/ignored",
        ),
        "several files": (
            "for each in a b untracked dir/c; do echo mine >$each; done",
            {"a": "2\n", "b": "2\n", "untracked": "2\n"},
            "a, b, untracked",
        ),
    },
)
def test_local_changes_in_the_way_are_named_and_kept(
    based: Repo, change: str, files: Files, named: str
) -> None:
    based.shell(change)
    before = everything(based)
    with pytest.raises(GitRefused, match=f"local changes in the way: {named}\n"):
        land_on_main(based, files)
    assert everything(based) == before


def test_a_file_assumed_unchanged_is_not_lost(based: Repo) -> None:
    based.git("update-index", "--assume-unchanged", "a")
    based.write("a", "mine\n")
    before = everything(based)
    with pytest.raises(GitRefused, match="'a' not uptodate"):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before


def test_a_file_that_is_gone_is_written_again(based: Repo) -> None:
    (based.path / "a").unlink()
    land_on_main(based, {"a": "2\n"})
    assert based.read("a") == b"2\n"


def test_what_would_be_refused_can_be_known_before(based: Repo) -> None:
    tree = based.tree(commit_on(based, {"a": "2\n"}))
    opened = open_repository(based)
    expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)
    based.write("a", "mine\n")
    with pytest.raises(GitRefused, match="in the way: a\n"):
        expect_landable(opened, branch="main", old=based.head, new=tree, checkout=True)


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


def test_the_first_commit_of_all_can_land(repo: Repo) -> None:
    new = root_commit(repo)
    repo.write("b", "mine")
    land(repo, new, old=None)
    expect_checkout(repo, new, {"a": "1\n", "b": "mine"}, ["?? b"])


@pytest.mark.parametrize("name", ["main/below", "a..b", "ends.lock", "-d", "HEAD"])
def test_a_name_that_no_branch_can_have_is_refused(based: Repo, name: str) -> None:
    before = everything(based)
    with pytest.raises(HkgitError):
        land(based, based.head, branch=name, old=None, checkout=False)
    assert everything(based) == before


def test_a_branch_that_another_worktree_is_on_is_refused(based: Repo, tmp_path: Path) -> None:
    based.linked(tmp_path / "linked", "-b", "topic")
    with pytest.raises(GitRefused, match="is checked out in"):
        land(based, commit_on(based, {"a": "2\n"}), branch="topic", checkout=False)


def test_a_checkout_that_is_on_another_branch_is_refused(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    for switch in (("checkout", "-q", "--detach"), ("checkout", "-q", "-b", "other")):
        based.git(*switch)
        with pytest.raises(GitRefused, match="is not the branch of this checkout"):
            land(based, new)


def test_the_linked_worktree_that_the_user_stands_in_follows(based: Repo, tmp_path: Path) -> None:
    head, linked = based.head, based.linked(tmp_path / "linked", "-b", "topic")
    linked.write("b", "mine\n")
    new = commit_on(linked, {"a": "2\n"})
    land(Repo(linked.path / "dir"), new, branch="topic")
    expect_checkout(linked, new, {"a": "2\n"}, [" M b"])
    expect_checkout(based, head, {"a": "1\n"})


@cases(
    "begin, named",
    {
        "merge": ("git merge -q --no-commit --no-ff side", "a merge"),
        "rebase": ("git rebase -q -x false HEAD~ || git checkout -q main", "a rebase"),
        "cherry-pick": ("! git cherry-pick conflict", "a cherry-pick"),
        "revert": ("! git revert HEAD~", "a revert"),
        "bisect": ("git bisect start", "a bisect"),
    },
)
def test_nothing_lands_in_the_middle_of_something(based: Repo, begin: str, named: str) -> None:
    based.git("branch", "side")
    based.git("checkout", "-q", "-b", "conflict")
    based.commit({"a": "conflict\n"})
    based.git("checkout", "-q", "side")
    based.commit({"side": "1\n"})
    based.git("checkout", "-q", "main")
    based.commit({"a": "2\n"})
    based.commit({"a": "3\n"})
    based.shell(begin)
    before = everything(based)
    with pytest.raises(GitRefused, match=f"{named} is under way here"):
        land_on_main(based, {"dir/c": "2\n"})
    assert everything(based) == before


# Where git or a signal cuts it short


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_what_another_git_has_locked_is_refused(based: Repo, lock: str) -> None:
    before = everything(based)
    (based.path / ".git" / lock).touch()
    with pytest.raises(GitRefused, match="Another git process is running"):
        land_on_main(based, {"a": "2\n"})
    (based.path / ".git" / lock).unlink()
    assert everything(based) == before


def die_at(state: str) -> str:
    """A hook that kills the git which moves the branch."""
    return f"grep -q refs/heads/main && [ $1 = {state} ] && kill -9 $PPID; exit 0"


@cases(
    "hook, said",
    {
        "the hook says no": ("echo 'not on my watch' >&2; exit 1", "not on my watch"),
        "git dies": (die_at("prepared"), "git update-ref: was ended by SIGKILL"),
    },
)
def test_a_branch_that_git_does_not_move_leaves_all_as_it_was(
    based: Repo, hook: str, said: str
) -> None:
    based.write_hook("reference-transaction", hook)
    before = everything(based)
    with pytest.raises(GitRefused, match=said):
        land_on_main(based, {"a": "2\n"})
    assert everything(based) == before
    expect_no_trace(based)


def test_a_git_that_dies_when_it_has_moved_the_branch_has_landed(based: Repo) -> None:
    based.write_hook("reference-transaction", die_at("committed"))
    expect_checkout(based, land_on_main(based, {"a": "2\n"}), {"a": "2\n"})
    expect_no_trace(based)


@cases(
    "smudge, said",
    {
        "git gives up": ("false", "smudge filter broken failed"),
        "git dies": ("kill -9 $PPID; exit 1", "ended by SIGKILL"),
    },
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
    expect_no_trace(based)


LAND = """
import pathlib, sys
from hkgit.git.repository import Repository
from hkgit.git.transaction.transaction import transaction
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
    expect_checkout(based, new, {"a": "2\n"})

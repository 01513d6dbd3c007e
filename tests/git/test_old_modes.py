"""Trees of old repositories, whose files have modes that git writes no more, such as 100664."""

from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from tests.support.commits import AGENT, applied, commit, commit_tree, judge, verdict
from tests.support.objects import open_repository
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.running import run

A = b"one\ntwo\nthree\n"


def with_modes(repo: Repo, tree: str, mode: bytes) -> str:
    """The tree with another mode of every regular file, as only an old git wrote it."""
    written = b""
    for line in repo.git_bytes("ls-tree", "-z", tree).split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        old, kind, object_id = about.split()
        if kind == b"tree":
            old, object_id = b"40000", with_modes(repo, object_id.decode(), mode).encode()
        new = mode if old == b"100644" else old
        written += b"%s %s\0%s" % (new, name, bytes.fromhex(object_id.decode()))
    return repo.store(written, "tree")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("modes") / "repo")
    repo.commit({"a": A, "b": A, "d/a": A, "d/b": A, "e/a": A}, "Begin")
    tree = with_modes(repo, repo.tree(), b"100664")
    repo.git("reset", "-q", "--hard", commit_tree(repo, tree, [], b"Begin\n", AGENT))
    return repo


@pytest.fixture
def old(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


@pytest.mark.parametrize("path", ["a", "d/a"])
def test_a_file_of_an_old_mode_is_edited(old: Repo, path: str) -> None:
    read = run("read", f"{path}:2-2", "--json", cwd=old.path).json()
    edit = ("--file", path, "--old", "two\n", "--new", "zwei\n")
    made = run("apply", *edit, "--expect", f"{path}:2-2={read['range_hash']}", cwd=old.path)
    assert made.code == 0, made.err
    assert verdict(old) == Verdict.STRICT
    assert old.status() == []
    assert b"100664" not in old.git_bytes("cat-file", "tree", "HEAD^{tree}")
    assert b"100664" in old.git_bytes("cat-file", "tree", "HEAD:e")


def test_what_git_writes_beside_an_edit_is_no_change_of_its_own(old: Repo) -> None:
    """`git commit` writes the other files of the directory with the mode of today."""
    commit(old, applied(old, protocol(replace_range("d/a", A, 2, 2, "zwei"))))
    assert b"100664" not in old.git_bytes("cat-file", "tree", "HEAD:d")
    assert verdict(old) == Verdict.STRICT


@pytest.mark.parametrize("mode", [b"100664", b"100666", b"100600"])
def test_an_old_mode_that_comes_anew_is_a_change(repo: Repo, mode: bytes) -> None:
    repo.commit({"a": A}, "Begin")
    tree = with_modes(repo, repo.tree(), mode)
    ruling = judge(repo, commit_tree(repo, tree, ["HEAD"], b"Say\n", AGENT))
    assert ruling.passes is False
    assert ruling.rule == "blind"


def test_a_file_that_becomes_executable_is_a_change(old: Repo) -> None:
    tree = with_modes(old, old.tree(), b"100644")
    listed = open_repository(old)
    assert listed.changes(old.tree(), tree) == ()
    made = listed.write_tree(tree, {"a": File(A, 0o100755)})
    assert [each.path for each in listed.changes(old.tree(), made)] == ["a"]

"""A repository: where it is found, its refs and configuration, and what it holds, as values."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.objects import Head, parse_commit
from hkgit.git.repository import Repository, find_comment_mark
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import IDENTITY, Repo


@pytest.fixture
def opened(repo: Repo) -> Repository:
    return open_repository(repo)


def test_a_repository_is_found_from_a_directory_inside_it(repo: Repo) -> None:
    (repo.path / "deep" / "down").mkdir(parents=True)
    assert Repository.discover(repo.path / "deep" / "down").work_tree == repo.path


def test_a_bare_repository_has_no_work_tree(make_repo: Callable[..., Repo]) -> None:
    bare = Repository.discover(make_repo("bare.git", bare=True).path)
    assert bare.is_bare is True
    assert bare.work_tree is None


def test_a_linked_worktree_shares_the_common_directory(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    linked = Repository.discover(repo.linked(tmp_path / "linked").path)
    assert linked.work_tree == tmp_path / "linked"
    assert linked.git_dir == repo.path / ".git" / "worktrees" / "linked"
    assert linked.common_dir == repo.path / ".git"


# Refs and configuration


@pytest.mark.usefixtures("each_backend")
def test_head_on_a_branch_detached_and_unborn(repo: Repo) -> None:
    opened = open_repository(repo)
    assert opened.head() == Head("main", None)
    first = repo.commit()
    assert opened.head() == Head("main", first)
    repo.git("checkout", "-q", "--detach")
    assert opened.head() == Head(None, first)


@pytest.mark.usefixtures("each_backend")
def test_a_branch_has_a_tip_or_is_not_there(repo: Repo) -> None:
    head, opened = repo.commit(), open_repository(repo)
    repo.git("branch", "topic/one")
    for _ in range(2):
        assert [opened.branch_tip("topic/one"), opened.branch_tip("nope")] == [head, None]
        repo.git("pack-refs", "--all")


@pytest.mark.parametrize("name", ["a b", "a..b", "-d", "x.lock", "HEAD", ""])
def test_a_branch_name_that_git_forbids_is_invalid(opened: Repository, name: str) -> None:
    with pytest.raises(InvalidInput):
        opened.branch_tip(name)


def test_branches_are_checked_out_somewhere(repo: Repo, opened: Repository, tmp_path: Path) -> None:
    repo.commit()
    side = repo.linked(tmp_path / "side tree", "-b", "side")
    repo.linked(tmp_path / "detached", "--detach")
    expected = {"main": repo.path, "side": side.path}
    assert opened.list_checked_out_branches() == expected


def test_configuration_is_read_as_git_reads_it(repo: Repo, opened: Repository) -> None:
    repo.write("more", "[hkgit]\n\tvalue = included\n")
    repo.git("config", "include.path", str(repo.path / "more"))
    assert opened.config("hkgit.value") == "included"
    assert opened.config("hkgit.absent") is None


@cases(
    "settings",
    {
        "none": {},
        "a character": {"core.commentChar": ";"},
        "of any case": {"core.commentChar": "Auto"},
        "several, since git 2.45": {"core.commentString": ">>"},
        "the last of both": {"core.commentString": ">>", "core.commentChar": ";"},
    },
)
def test_the_mark_of_comments_is_that_of_git_itself(repo: Repo, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        repo.git("config", name, value)
    repo.shell("GIT_EDITOR='f() { cp \"$1\" shown; }; f' git commit -q --allow-empty || true")
    begun = find_comment_mark(open_repository(repo), b"") + b" Please enter"
    assert repo.read("shown").splitlines()[1].startswith(begun)


# Revisions and commits


@pytest.mark.usefixtures("each_backend")
def test_a_revision_names_its_commit(repo: Repo) -> None:
    head, opened = repo.commit(), open_repository(repo)
    repo.git("tag", "-a", "-m", "tag", "v1")
    repo.git("tag", "light")
    revisions = ("HEAD", "main", "v1", "light", "@", "main~0", "refs/heads/main")
    assert [opened.resolve(rev) for rev in revisions] == [head] * len(revisions)


@pytest.mark.usefixtures("each_backend")
def test_what_names_no_commit_is_invalid(repo: Repo) -> None:
    repo.commit({"a": "1"})
    opened = open_repository(repo)
    names = ("", "nope", "main..main", "--all", "-1", "a\nb", "a\0b", ":/nothing", "^HEAD")
    ids = ("f" * 40, "f" * 64)
    for rev in (*names, *ids, "HEAD:a", "HEAD^{tree}", "HEAD~9", "HEAD@{9}"):
        with pytest.raises(InvalidInput, match="is not a commit here"):
            opened.resolve(rev)


@pytest.mark.usefixtures("each_backend")
def test_a_commit_is_read_as_it_is_stored(repo: Repo) -> None:
    first = repo.commit({"a": "1"})
    second = repo.commit({"a": "2"}, "Subject\n\nBody\n\n  # verbatim \n", "--cleanup=verbatim")
    repo.git("replace", second, first)
    commit = open_repository(repo).commit(second)
    assert commit.tree == repo.git("--no-replace-objects", "rev-parse", f"{second}^{{tree}}")
    assert commit.parents == (first,)
    assert commit.author == IDENTITY
    assert commit.committer == IDENTITY
    assert commit.time == 1714979289
    assert commit.message == b"Subject\n\nBody\n\n  # verbatim \n"
    assert commit.raw == repo.git_bytes("--no-replace-objects", "cat-file", "commit", second)


TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def written(person: str, more: str = "") -> bytes:
    raw = f"tree {TREE}\n{more}author {person}\ncommitter {person}\n\nx"
    return raw.encode("utf-8", "surrogateescape")


@cases(
    "author",
    {
        "UTF-8": "Jos\udcc3\udca9 <j@example.org> 1 +0000",
        "not UTF-8": "Jos\udce9 <j@example.org> 1 +0000",
        "nobody": "<> 1 +0000",
        "before 1970": "A <a@b> -5 +0000",
        "without a time": "A <a@b>",
        "with a blank for a time": "A <a@b> ",
    },
)
def test_odd_authors_are_read(author: str) -> None:
    person = author.split(">")[0] + ">"
    read = person.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    assert parse_commit("0" * 40, written(author)).author == read


@cases(
    "raw",
    {
        "a time without end": written("A <a@b> " + "1" * 5_000 + " +0000"),
        "one without a zone": written("A <a@b> " + "1" * 1_000_000),
        "no time": written("A <a@b> soon"),
        "an address without end": written("A <a@b 1 +0000"),
        "no address": written("A 1 +0000"),
        "two trees": written("A <a> 1 +0000", f"tree {TREE}\n"),
    },
)
def test_a_header_that_readers_take_for_another_is_unverifiable(raw: bytes) -> None:
    """A pattern that tried every beginning of a time would keep the judge busy for an hour."""
    with pytest.raises(Unverifiable, match="malformed"):
        parse_commit("0" * 40, raw)


@pytest.mark.usefixtures("each_backend")
def test_an_object_that_is_missing_or_corrupt_is_unverifiable(repo: Repo) -> None:
    opened = open_repository(repo)
    with pytest.raises(Unverifiable, match="not in this repository"):
        opened.blob(repo.git("hash-object", "--stdin", stdin=b"missing"))
    blob = repo.store(b"content")
    assert opened.blob_size(blob) == len(b"content")
    repo.loose(blob).write_bytes(b"garbage")
    with pytest.raises(Unverifiable):
        opened.blob(blob)


def test_commits_come_parents_first_and_only_new_ones(repo: Repo, opened: Repository) -> None:
    old = repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"side": "1"})
    repo.git("checkout", "-q", "main")
    straight = repo.commit({"main": "1"})
    repo.git("merge", "-q", "--no-edit", "side")
    listed = opened.commits_between(old, repo.head)
    assert set(listed) == {side, straight, repo.head}
    assert listed[-1] == repo.head
    assert opened.commits_between(None, old) == (old,)
    assert opened.commits_between(repo.head, old) == ()


@pytest.mark.usefixtures("each_backend")
def test_histories_meet_at_their_merge_base(repo: Repo) -> None:
    base = repo.commit()
    tree = repo.tree()
    side, tip = (repo.git("commit-tree", tree, "-p", base, "-m", name) for name in "ab")
    alone = repo.git("commit-tree", tree, "-m", "alone")
    opened = open_repository(repo)
    assert opened.merge_base(side, tip) == base
    assert opened.merge_base(alone, tip) is None
    assert [opened.is_ancestor(base, tip), opened.is_ancestor(tip, tip)] == [True, True]
    assert [opened.is_ancestor(tip, base), opened.is_ancestor(side, tip)] == [False, False]


# Snapshots


@pytest.fixture
def mixed(repo: Repo) -> Repo:
    """A commit with a file of every kind."""
    repo.commit({"first": "x"})
    repo.write("dir/run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.path / "link").symlink_to("dir")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},sub")
    repo.git("add", "dir", "link")
    repo.git("commit", "-q", "-m", "all kinds")
    return repo


FILES = {
    "first": File(b"x", REGULAR),
    "dir/run.sh": File(b"#!/bin/sh\n", EXECUTABLE),
    "link": File(b"dir", SYMLINK),
    "sub": File(b"", SUBMODULE),
}
ABSENT = {
    "of nothing": "nope",
    "in a directory": "dir/nope",
    "under a file": "first/x",
    "through a link": "link/run.sh",
    "inside a submodule": "sub/x",
}


@pytest.mark.usefixtures("each_backend")
def test_a_snapshot_answers_for_every_kind_of_path(mixed: Repo) -> None:
    snapshot = open_repository(mixed).snapshot("HEAD")
    assert {path: snapshot.get(path) for path in snapshot.paths()} == FILES
    assert snapshot.get("dir") == File(b"", DIRECTORY)
    assert {why for why, path in ABSENT.items() if snapshot.get(path) is not None} == set()


def test_a_snapshot_reads_the_one_blob_it_is_asked_for(mixed: Repo) -> None:
    mixed.loose("HEAD:first").unlink()
    snapshot = open_repository(mixed).snapshot("HEAD")
    assert snapshot.get("dir/run.sh") is not None
    assert snapshot.entry("first") is not None
    with pytest.raises(Unverifiable):
        snapshot.get("first")

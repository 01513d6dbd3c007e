"""What a repository holds: revisions, commits and snapshots, as values."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from tests.support.cases import cases
from tests.support.repos import IDENTITY, Repo

pytestmark = pytest.mark.usefixtures("each_backend")


@pytest.fixture
def missing(repo: Repo) -> str:
    """An id that no object has."""
    return repo.git("hash-object", "--stdin", stdin=b"missing")


@pytest.fixture
def opened(repo: Repo) -> Repository:
    return Repository.discover(repo.path)


# Revisions and commits


@pytest.mark.parametrize("rev", ["HEAD", "main", "v1", "light", "@", "main~0", "refs/heads/main"])
def test_a_revision_names_its_commit(repo: Repo, opened: Repository, rev: str) -> None:
    head = repo.commit()
    repo.git("tag", "-a", "-m", "tag", "v1")
    repo.git("tag", "light")
    assert opened.resolve(rev) == head


@pytest.mark.parametrize(
    "rev",
    [
        "",
        "nope",
        "main..main",
        "--all",
        "-1",
        "HEAD:a",
        "HEAD^{tree}",
        "f" * 40,
        "f" * 64,
        "HEAD~9",
        "a\nb",
        "a\0b",
        ":/nothing",
        "HEAD@{9}",
        "^HEAD",
    ],
)
def test_what_names_no_commit_is_invalid(repo: Repo, opened: Repository, rev: str) -> None:
    repo.commit({"a": "1"})
    with pytest.raises(InvalidInput, match="is not a commit here"):
        opened.resolve(rev)


def test_a_shallow_clone_tells_how_to_find_an_older_commit(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit()
    repo.commit()
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    with pytest.raises(InvalidInput, match="fetch-depth"):
        Repository.discover(tmp_path / "shallow").resolve(first)


def test_a_commit_is_read_as_it_is_stored(repo: Repo, opened: Repository) -> None:
    first = repo.commit({"a": "1"})
    second = repo.commit({"a": "2"}, "Subject\n\nBody\n\n  # verbatim \n", "--cleanup=verbatim")
    commit = opened.commit(second)
    assert commit.tree == repo.tree()
    assert commit.parents == (first,)
    assert commit.author == IDENTITY
    assert commit.committer == IDENTITY
    assert commit.time == 1714979289
    assert commit.message == b"Subject\n\nBody\n\n  # verbatim \n"
    assert commit.raw == repo.git_bytes("cat-file", "commit", second)


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
def test_odd_authors_are_read(repo: Repo, opened: Repository, author: str) -> None:
    repo.commit()
    written = f"tree {repo.tree()}\nauthor {author}\ncommitter {author}\n\nx".encode(
        "utf-8", "surrogateescape"
    )
    made = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=written)
    person = (
        author.split(">")[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    )
    assert opened.commit(made).author == person + ">"


@cases(
    "who",
    {
        "a time without end": "A <a@b> " + "1" * 5_000 + " +0000",
        "one without a zone": "A <a@b> " + "1" * 1_000_000,
        "no time": "A <a@b> soon",
        "an address without end": "A <a@b 1 +0000",
        "no address": "A 1 +0000",
    },
)
def test_a_person_that_readers_take_for_another_is_unverifiable(
    repo: Repo, opened: Repository, who: str
) -> None:
    """A pattern that tried every beginning of a time would keep the judge busy for an hour."""
    repo.commit()
    raw = f"tree {repo.tree()}\nauthor {who}\ncommitter {who}\n\nx".encode()
    made = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
    with pytest.raises(Unverifiable, match="malformed"):
        opened.commit(made)


def test_a_header_that_git_would_not_write_is_unverifiable(repo: Repo, opened: Repository) -> None:
    repo.commit()
    twice = f"tree {repo.tree()}\ntree {repo.tree()}\nauthor A <a> 1 +0000\n\nx".encode()
    made = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=twice)
    with pytest.raises(Unverifiable, match="malformed"):
        opened.commit(made)


def test_a_replacement_changes_nothing(repo: Repo, opened: Repository) -> None:
    first = repo.commit({"a": "1"}, "true")
    second = repo.commit({"a": "2"}, "forged")
    repo.git("replace", first, second)
    assert opened.commit(first).message == b"true\n"


def test_the_boundary_of_a_shallow_clone_is_no_root(repo: Repo, tmp_path: Path) -> None:
    first, second = repo.commit(), repo.commit({"a": "2"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    commit = Repository.discover(tmp_path / "shallow").commit(second)
    assert commit.is_boundary is True
    assert commit.parents == (first,)


def test_a_missing_object_is_unverifiable(opened: Repository, missing: str) -> None:
    with pytest.raises(Unverifiable, match="not in this repository"):
        opened.blob(missing)


def test_a_corrupt_object_is_unverifiable(repo: Repo, opened: Repository) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"content")
    loose = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"garbage")
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


def test_histories_meet_at_their_merge_base(repo: Repo, opened: Repository) -> None:
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"side": "1"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit({"main": "1"})
    repo.git("checkout", "-q", "--orphan", "alone")
    alone = repo.commit()
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


@cases(
    "path, file",
    {
        "a file": ("first", File(b"x", REGULAR)),
        "an executable file": ("dir/run.sh", File(b"#!/bin/sh\n", EXECUTABLE)),
        "a link": ("link", File(b"dir", SYMLINK)),
        "a submodule": ("sub", File(b"", SUBMODULE)),
        "a directory": ("dir", File(b"", DIRECTORY)),
        "absent": ("nope", None),
        "absent in a directory": ("dir/nope", None),
        "under a file": ("first/x", None),
        "through a link": ("link/run.sh", None),
        "inside a submodule": ("sub/x", None),
    },
)
def test_a_snapshot_answers_for_every_kind_of_path(
    mixed: Repo, path: str, file: File | None
) -> None:
    assert Repository.discover(mixed.path).snapshot("HEAD").get(path) == file


def test_a_snapshot_lists_every_file(mixed: Repo) -> None:
    snapshot = Repository.discover(mixed.path).snapshot(mixed.tree())
    assert sorted(snapshot.paths()) == ["dir/run.sh", "first", "link", "sub"]


def test_a_snapshot_reads_the_one_blob_it_is_asked_for(mixed: Repo) -> None:
    blob = mixed.resolve("HEAD:first")
    (mixed.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    snapshot = Repository.discover(mixed.path).snapshot("HEAD")
    assert snapshot.get("dir/run.sh") is not None
    assert snapshot.entry("first") is not None
    with pytest.raises(Unverifiable):
        snapshot.get("first")


def test_the_size_of_a_blob_is_known_unread(repo: Repo, opened: Repository) -> None:
    assert opened.blob_size(repo.git("hash-object", "-w", "--stdin", stdin=b"12345")) == 5

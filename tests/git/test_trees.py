"""Trees beside git itself: what differs between two, and what one becomes."""

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File, decode_text
from hkgit.errors import GitRefused, InvalidInput, Unverifiable
from hkgit.git import objects
from hkgit.git.objects import EMPTY_TREE, Side, TreeChange, TreeEntry, Trees, format_tree
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.properties import examples
from tests.support.repos import Repo

PATHS = st.lists(st.sampled_from(["a", "b", "a.c", "a0", "é", "\udcff"]), min_size=1, max_size=3)
CONTENTS = st.sampled_from([b"", b"1", b"2"])
MODES = st.sampled_from([REGULAR, EXECUTABLE, SYMLINK])
FILES = st.dictionaries(PATHS.map("/".join), st.builds(File, CONTENTS, MODES), max_size=6)


def without_clashes(files: Mapping[str, File]) -> dict[str, File]:
    """The same files without those under another's name."""
    return {
        path: file
        for path, file in files.items()
        if not any(path.startswith(other + "/") for other in files)
    }


def written_by_git(repo: Repo, *trees: Mapping[str, File]) -> list[str]:
    """The trees of these files, made by git itself."""
    stream = b""
    for files in trees:
        stream += b"commit refs/heads/made\ncommitter A <a@b> 1 +0000\ndata 0\ndeleteall\n"
        for path, file in files.items():
            about = b"%o inline %s\ndata %d\n" % (file.mode, os.fsencode(path), len(file.data))
            stream += b"M " + about + file.data + b"\n"
    repo.git("fast-import", "--quiet", "--force", stdin=stream)
    found = repo.git("log", "--reverse", "--format=%T", "refs/heads/made").split()
    repo.git("update-ref", "-d", "refs/heads/made")
    return found


def shown_by_git(repo: Repo, old: str, new: str) -> list[TreeChange]:
    """What `git diff-tree` says, as values."""
    raw = repo.git_bytes("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
    words = os.fsdecode(raw).split("\0")
    found = []
    for said, path in zip(words[:-1:2], words[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = said.lstrip(":").split()
        found.append(TreeChange(path, entry(old_mode, old_id), entry(new_mode, new_id)))
    return found


def entry(mode: str, object_id: str) -> TreeEntry | None:
    return TreeEntry(int(mode, 8), object_id) if int(mode, 8) else None


@pytest.mark.usefixtures("each_backend")
@examples(25)
@given(old=FILES.map(without_clashes), new=FILES.map(without_clashes))
def test_trees_are_written_and_compared_as_git_does_it(
    old: dict[str, File], new: dict[str, File], tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("trees") / "repo")
    opened = open_repository(repo)
    old_tree, new_tree = written_by_git(repo, old, new)
    assert opened.write_tree(None, old) == old_tree
    changes = opened.changes(old_tree, new_tree)
    assert list(changes) == shown_by_git(repo, old_tree, new_tree)
    wanted: dict[str, File | None] = {change.path: new.get(change.path) for change in changes}
    assert opened.write_tree(old_tree, wanted) == new_tree


@pytest.mark.usefixtures("each_backend")
def test_links_submodules_and_modes_are_changes_too(repo: Repo) -> None:
    first = repo.commit({"file": "x", "becomes-link": "y"})
    repo.git("update-index", "--chmod=+x", "file")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},sub")
    blob = repo.store(b"file")
    repo.git("update-index", "--cacheinfo", f"120000,{blob},becomes-link")
    repo.git("config", "diff.ignoreSubmodules", "all")
    changes = open_repository(repo).changes(repo.tree(), repo.git("write-tree"))
    shown = {change.path: change.new.mode for change in changes if change.new is not None}
    assert shown == {"file": EXECUTABLE, "becomes-link": SYMLINK, "sub": SUBMODULE}


def test_equal_subtrees_are_never_read(repo: Repo) -> None:
    first = repo.commit({"same/a": "1", "other/b": "1"})
    second = repo.commit({"other/b": "2"})
    repo.loose("HEAD:same").unlink()
    changes = open_repository(repo).changes(repo.tree(first), repo.tree(second))
    assert [change.path for change in changes] == ["other/b"]


def test_a_tree_made_to_exhaust_its_reader_is_unverifiable(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "LARGEST_TREE", 1000)
    [tree] = written_by_git(repo, {"x": File(b"")})
    for _ in range(10):
        listed = b"".join(b"40000 %d\0" % name + bytes.fromhex(tree) for name in range(10))
        tree = repo.store(listed, "tree")
    with pytest.raises(Unverifiable, match="differs in more than 1000 names"):
        open_repository(repo).changes(None, tree)


def test_a_tree_nested_without_end_is_unverifiable(repo: Repo) -> None:
    opened = open_repository(repo)
    tree = opened.write_tree(None, {"x": File(b"")})
    for _ in range(20):
        tree = repo.store(b"40000 " + b"d" * 250 + b"\0" + bytes.fromhex(tree), "tree")
    with pytest.raises(Unverifiable, match="nested too deep"):
        opened.changes(None, tree)


ONE, TWO, THREE, RUN = File(b"1"), File(b"2"), File(b"3"), File(b"1", EXECUTABLE)
BASE = {"a": ONE, "d/x": TWO, "d/e/y": THREE}


def test_what_is_absent_may_go(repo: Repo) -> None:
    opened = open_repository(repo)
    base = opened.write_tree(None, BASE)
    assert opened.write_tree(base, {"absent": None, "d/absent": None}) == base


@cases(
    "path, file",
    {
        "a file in place of a directory": ("d", File(b"")),
        "a directory removed like a file": ("d", None),
        "below a file": ("a/b", File(b"")),
        "outside": ("../out", File(b"")),
        "into .git": ("d/.git/x", File(b"")),
        "a submodule": ("s", File(b"", SUBMODULE)),
    },
)
def test_what_cannot_stand_in_the_tree_is_invalid(repo: Repo, path: str, file: File | None) -> None:
    opened = open_repository(repo)
    base = opened.write_tree(None, BASE)
    with pytest.raises(InvalidInput):
        opened.write_tree(base, {path: file})


def test_nothing_is_written_through_a_link(repo: Repo) -> None:
    opened = open_repository(repo)
    base = opened.write_tree(None, {"link": File(b"/etc", SYMLINK)})
    with pytest.raises(InvalidInput, match="is not a directory"):
        opened.write_tree(base, {"link/passwd": File(b"")})


def test_only_the_directories_on_the_way_are_read(repo: Repo) -> None:
    repo.commit({"same/a": "1", "other/b": "1"})
    repo.loose("HEAD:same").unlink()
    opened = open_repository(repo)
    made = opened.write_tree(repo.tree(), {"other/b": File(b"2")})
    assert repo.git("cat-file", "-p", f"{made}:other/b") == "2"


def test_the_empty_tree_is_gits(repo: Repo) -> None:
    opened = open_repository(repo)
    assert list(opened.snapshot(EMPTY_TREE).paths()) == []
    assert opened.write_tree(None, {}) == repo.git("mktree", stdin=b"") == opened.empty_tree


def test_an_object_store_that_cannot_be_written_is_refused(repo: Repo, tmp_path: Path) -> None:
    opened = open_repository(repo)
    store = repo.path / ".git" / "objects"
    store.rename(tmp_path / "objects")
    store.write_text("a file where the directory was")
    with pytest.raises(GitRefused, match="object store"):
        opened.write_blobs(b"x")


@pytest.mark.parametrize("shared", ["group", "all", "umask"])
def test_what_is_written_is_shared_as_git_shares_it(
    repo: Repo, shared: str, tmp_path: Path
) -> None:
    shared_repo = Repo(tmp_path / "shared")
    former = os.umask(0o077)
    try:
        repo.git("init", "-q", f"--shared={shared}", str(shared_repo.path))
        theirs = shared_repo.store(b"git")
        [ours] = open_repository(shared_repo).write_blobs(b"hkgit")
    finally:
        os.umask(former)

    def modes(object_id: str) -> tuple[int, int]:
        loose = shared_repo.path / ".git" / "objects" / object_id[:2] / object_id[2:]
        return loose.parent.stat().st_mode, loose.stat().st_mode

    assert modes(ours) == modes(theirs)


# Compared by their bytes: the same answers as from reading both, and no less strict


IDS = st.sampled_from(["0" * 40, "20" * 20, "00" * 20, "61" * 20, "2061" + "00" * 18])
ENTRY_NAMES = st.sampled_from(["a", "a.b", "a0", "b", "aa", "é", "z"])
ENTRIES = st.builds(TreeEntry, st.sampled_from([REGULAR, EXECUTABLE, DIRECTORY]), IDS)
TREES = st.dictionaries(ENTRY_NAMES, ENTRIES, max_size=7)


def differ(*trees: bytes) -> Trees:
    """Knows each tree under the number of its place, 40 digits long."""
    return Trees(lambda tree_id: trees[int(tree_id)])


def told(
    differ: Trees, old: int | None, new: int | None
) -> dict[str, tuple[TreeEntry | None, TreeEntry | None]]:
    ids = (None if number is None else f"{number:040d}" for number in (old, new))
    found = differ.find_differing(*ids)
    return {decode_text(name): (side(was), side(now)) for name, was, now in found}


def side(found: Side | None) -> TreeEntry | None:
    return None if found is None else TreeEntry(int(found[0], 8), found[1].hex())


@examples(200)
@given(st.lists(TREES, min_size=2, max_size=4), st.booleans())
def test_what_differs_is_what_is_not_the_same_in_both(
    trees: list[dict[str, TreeEntry]], is_back_in_time: bool
) -> None:
    known = differ(*map(format_tree, trees))
    steps = [*enumerate(pairwise(trees))]
    for number, (old, new) in reversed(steps) if is_back_in_time else steps:
        expected = {
            name: (old.get(name), new.get(name))
            for name in old.keys() | new.keys()
            if old.get(name) != new.get(name)
        }
        assert told(known, number, number + 1) == expected


@pytest.mark.parametrize(("old", "new"), [(None, 0), (0, None)], ids=["made", "gone"])
def test_a_tree_that_is_absent_has_no_names(old: int | None, new: int | None) -> None:
    tree = {"a": TreeEntry(REGULAR, "0" * 40), "b": TreeEntry(DIRECTORY, "1" * 40)}
    assert told(differ(format_tree(tree)), old, new).keys() == {"a", "b"}


def raw(*entries: tuple[bytes, bytes]) -> bytes:
    return b"".join(b"%s %s\0" % entry + bytes(20) for entry in entries)


GOOD = raw((b"100644", b"a"), (b"100644", b"b"), (b"40000", b"c"))
MALFORMED = {
    "out of order": raw((b"100644", b"b"), (b"100644", b"a")),
    "a name twice": raw((b"100644", b"a"), (b"100644", b"a")),
    "a name twice, once of a directory": raw(
        (b"100644", b"a"), (b"100644", b"a.b"), (b"40000", b"a")
    ),
    "a mode with a zero before it": raw((b"0100644", b"a")),
    "a slash in a name": raw((b"100644", b"a/b")),
    "no name": raw((b"100644", b"")),
    "something behind it": GOOD + b"x",
    "something missing": GOOD[:-1],
    "something before it": b"x" + GOOD,
}


@cases("data", MALFORMED)
@pytest.mark.parametrize("old", [b"", GOOD], ids=["by itself", "after a good one"])
def test_what_git_would_not_write_is_refused(old: bytes, data: bytes) -> None:
    with pytest.raises(Unverifiable, match="malformed"):
        told(differ(old, data), 0, 1)
    with pytest.raises(Unverifiable, match="malformed"):
        differ(data).find("0" * 40, "a")


@cases("data", MALFORMED)
def test_it_is_refused_before_a_good_one_that_is_known_too(data: bytes) -> None:
    known = differ(data, GOOD, GOOD)
    assert told(known, 1, 2) == {}
    with pytest.raises(Unverifiable, match="malformed"):
        told(known, 0, 1)


@cases(
    "added",
    {"behind a greater name": (b"100644", b"a"), "a directory by a file's name": (b"40000", b"b")},
)
def test_what_is_added_to_a_good_tree_is_held_against_all_of_it(added: tuple[bytes, bytes]) -> None:
    data = GOOD + raw(added)
    with pytest.raises(Unverifiable, match="malformed"):
        told(differ(GOOD, data), 0, 1)


def test_the_empty_tree_of_any_repository_is_compared_in_both_directions() -> None:
    added = {"a": TreeEntry(REGULAR, "61" * 32)}
    trees = Trees(lambda tree_id: format_tree(added))
    for _ in range(2):  # also with what is known
        assert [*trees.walk("1" * 64)] == [("a", added["a"])]
        [removed], [made] = trees.compare("1" * 64, EMPTY_TREE), trees.compare(EMPTY_TREE, "1" * 64)
        assert (removed.old, removed.new) == (added["a"], None)
        assert (made.old, made.new) == (None, added["a"])

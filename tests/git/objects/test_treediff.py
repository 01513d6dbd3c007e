"""Trees compared by their bytes: the same answers as from reading both, and no less strict."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, decode_text
from hkgit.errors import Unverifiable
from hkgit.git.objects import EMPTY_TREE, Side, TreeEntry, Trees, format_tree
from tests.support.cases import cases
from tests.support.properties import examples

IDS = st.sampled_from(["0" * 40, "20" * 20, "00" * 20, "61" * 20, "2061" + "00" * 18])
NAMES = st.sampled_from(["a", "a.b", "a0", "b", "aa", "é", "z"])
ENTRIES = st.builds(TreeEntry, st.sampled_from([REGULAR, EXECUTABLE, DIRECTORY]), IDS)
TREES = st.dictionaries(NAMES, ENTRIES, max_size=7)


def differ(*trees: bytes) -> Trees:
    """Knows each tree under the number of its place, 40 digits long."""
    return Trees(lambda tree_id: trees[int(tree_id)])


def told(
    differ: Trees, old: int | None, new: int | None
) -> dict[str, tuple[TreeEntry | None, TreeEntry | None]]:
    ids = (None if number is None else f"{number:040d}" for number in (old, new))
    found = differ.find_differing(*ids)
    return {decode_text(name): (entry(was), entry(now)) for name, was, now in found}


def entry(side: Side | None) -> TreeEntry | None:
    return None if side is None else TreeEntry(int(side[0], 8), side[1].hex())


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

"""The frozen function: the only place where a recorded hunk stands in a file that has moved on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.hunk import Hunk, apply_hunks
from hkgit.evidence.anchors import HunkNotPlaced, anchor_hunks, reanchor_file
from hkgit.evidence.claims import record_hunk
from hkgit.evidence.entry import RecordedHunk
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from tests.support.properties import examples


def hunks_between(old: bytes, new: bytes) -> tuple[RecordedHunk, ...]:
    """What a ledger would record of a change, each line with its end."""
    before, after = Document(old), Document(new)
    return tuple(
        record_hunk(
            before,
            Hunk(
                c.old_start + 1, c.old_end, b"".join(after.raw_lines[c.new_start : c.new_end]), (1,)
            ),
        )
        for c in find_changes(before.lines, after.lines)
    )


def text(lines: str) -> bytes:
    """One line for each word."""
    return "".join(f"{word}\n" for word in lines.split()).encode()


OLD = "a b c X d e f"
NEW = "a b c Y d e f"


@pytest.mark.parametrize(
    ("base", "result"),
    [
        pytest.param("a b c X d e f", "a b c Y d e f", id="the same file"),
        pytest.param("n n a b c X d e f", "n n a b c Y d e f", id="lines above"),
        pytest.param("a b c X d e f n n", "a b c Y d e f n n", id="lines below"),
        pytest.param("a b c X n e f", "a b c Y n e f", id="another line below it"),
        pytest.param("n b c X d e f", "n b c Y d e f", id="another line above it"),
        pytest.param("X a b c X d e f", "X a b c Y d e f", id="its text elsewhere too"),
    ],
)
def test_a_hunk_is_put_in_at_its_only_place(base: str, result: str) -> None:
    hunks = hunks_between(text(OLD), text(NEW))
    assert reanchor_file(text(base), hunks, final_newline=True) == text(result)


@pytest.mark.parametrize(
    ("base", "places"),
    [
        pytest.param("a b c Z d e f", 0, id="another text"),
        pytest.param("a b n X n e f", 0, id="no full side"),
        pytest.param("b c X d e", 0, id="two lines on each side are no full side"),
        pytest.param("", 0, id="an empty file"),
        pytest.param("a b c X d e f a b c X d e f", 2, id="twice"),
        pytest.param("a b c X n a n X d e f", 2, id="one side here, the other there"),
    ],
)
def test_a_hunk_without_just_one_place_is_adrift(base: str, places: int) -> None:
    with pytest.raises(HunkNotPlaced) as caught:
        anchor_hunks(text(base), hunks_between(text(OLD), text(NEW)))
    assert len(caught.value.places) == places


@pytest.mark.parametrize(
    ("old", "new", "base", "result"),
    [
        pytest.param("X b c d", "Y b c d", "X b c d n", "Y b c d n", id="the first line"),
        pytest.param("a b c X", "a b c Y", "n a b c X", "n a b c Y", id="the last line"),
        pytest.param("a X", "a Y", "a X n", "a Y n", id="a short side at the same border"),
        pytest.param("a b c", "a b c Y", "a b c n", "a b c Y n", id="an insertion at the end"),
        pytest.param("a b c", "Y a b c", "n a b c", "n Y a b c", id="one at the top"),
        pytest.param("X", "Y", "X", "Y", id="the whole file"),
        pytest.param("", "Y", "", "Y", id="a file of nothing"),
        pytest.param(
            "a b c X d e f", "a b c d e f", "n a b c X d e f", "n a b c d e f", id="a deletion"
        ),
    ],
)
def test_the_borders_of_a_file_are_context(old: str, new: str, base: str, result: str) -> None:
    hunks = hunks_between(text(old), text(new))
    assert reanchor_file(text(base), hunks, final_newline=True) == text(result)


@pytest.mark.parametrize(
    ("old", "new", "base"),
    [
        pytest.param("a X", "a Y", "n a X n", id="a short side away from its border"),
        pytest.param("X", "Y", "X n", id="a whole file that has grown"),
        pytest.param("", "Y", "n", id="an empty file that has grown"),
    ],
)
def test_a_short_side_stands_at_the_border_alone(old: str, new: str, base: str) -> None:
    with pytest.raises(HunkNotPlaced):
        anchor_hunks(text(base), hunks_between(text(old), text(new)))


def test_hunks_keep_their_order() -> None:
    old = text("a b c X d e f g h i j Z k l m")
    hunks = hunks_between(old, old.replace(b"X", b"Y").replace(b"Z", b"W"))
    with pytest.raises(HunkNotPlaced):
        anchor_hunks(text("h i j Z k l m n a b c X d e f"), hunks)


def test_hunks_that_have_come_to_touch_are_adrift() -> None:
    hunks = hunks_between(text("a b c X n Z k l m"), text("a b c Y n W k l m"))
    with pytest.raises(HunkNotPlaced):
        anchor_hunks(text("a b c X Z k l m"), hunks)


@pytest.mark.parametrize(
    ("base", "final_newline", "result"),
    [
        pytest.param(b"a\nb\nc\nX", False, b"a\nb\nc\nY", id="as recorded"),
        pytest.param(b"n\na\nb\nc\nX\n", False, b"n\na\nb\nc\nY", id="at the end of the file"),
        pytest.param(b"a\nb\nc\nX\nn", True, b"a\nb\nc\nY\nn", id="away from the end"),
    ],
)
def test_a_hunk_at_the_end_says_whether_the_last_line_has_one(
    base: bytes, final_newline: bool, result: bytes
) -> None:
    hunks = hunks_between(text("a b c X"), text("a b c Y"))
    assert reanchor_file(base, hunks, final_newline=final_newline) == result


LINES = st.lists(st.sampled_from("abcde"), max_size=12).map(lambda words: text(" ".join(words)))


@examples(150)
@given(old=LINES, new=LINES, above=LINES)
def test_where_all_hunks_have_a_place_they_make_the_tree_again(
    old: bytes, new: bytes, above: bytes
) -> None:
    """On the recorded base the places are the recorded ones; with lines above it, shifted ones."""
    hunks = hunks_between(old, new)
    shift = Document(above).line_count
    for base, by in ((old, 0), (above + old, shift)):
        try:
            moved = anchor_hunks(base, hunks)
        except HunkNotPlaced:
            continue
        if any(
            hunk.start_line != recorded.start_line + by
            for hunk, recorded in zip(moved, hunks, strict=True)
        ):
            assert by, "on its own base a hunk stands at its own place"
            continue
        made = apply_hunks(Document(base), moved, is_terminated=True)
        assert made == base[: len(base) - len(old)] + new


@examples(300)
@given(old=LINES, new=LINES, around=st.tuples(LINES, LINES), others=LINES, is_above=st.booleans())
def test_a_copy_of_the_target_only_turns_success_into_refusal(
    old: bytes, new: bytes, around: tuple[bytes, bytes], others: bytes, is_above: bool
) -> None:
    base = around[0] + old + around[1]
    for hunk in hunks_between(old, new):
        try:
            [alone] = anchor_hunks(base, [hunk])
        except HunkNotPlaced:
            continue
        lines = Document(base).raw_lines
        window = lines[max(alone.start_line - 4, 0) : alone.end_line + 3]
        copy = b"".join(window)
        more = copy + others + base if is_above else base + others + copy
        shift = Document(copy + others).line_count if is_above else 0
        try:
            [still] = anchor_hunks(more, [hunk])
        except HunkNotPlaced:
            continue
        assert still.start_line == alone.start_line + shift

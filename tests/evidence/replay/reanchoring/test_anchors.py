"""The frozen function: the only place where a recorded hunk stands in a file that has moved on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.hunk import Hunk, apply_hunks
from hkgit.evidence.anchors import HunkNotPlaced, anchor_hunks, reanchor_file
from hkgit.evidence.claims import record_hunk
from hkgit.evidence.entry import RecordedHunk
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from tests.support.cases import cases
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
SWAPPED = "d e f Z k l m n a b c X d e f"
NEW = "a b c Y d e f"


MOVED = {
    "the same file": ("a b c X d e f", "a b c Y d e f"),
    "lines above": ("n n a b c X d e f", "n n a b c Y d e f"),
    "lines below": ("a b c X d e f n n", "a b c Y d e f n n"),
    "another line below it": ("a b c X n e f", "a b c Y n e f"),
    "another line above it": ("n b c X d e f", "n b c Y d e f"),
    "its text elsewhere too": ("X a b c X d e f", "X a b c Y d e f"),
}
BORDERS = {
    "the first line": ("X b c d", "Y b c d", "X b c d n", "Y b c d n"),
    "the last line": ("a b c X", "a b c Y", "n a b c X", "n a b c Y"),
    "a short side at the same border": ("a X", "a Y", "a X n", "a Y n"),
    "an insertion at the end": ("a b c", "a b c Y", "a b c n", "a b c Y n"),
    "one at the top": ("a b c", "Y a b c", "n a b c", "n Y a b c"),
    "the whole file": ("X", "Y", "X", "Y"),
    "a file of nothing": ("", "Y", "", "Y"),
    "a deletion": ("a b c X d e f", "a b c d e f", "n a b c X d e f", "n a b c d e f"),
}


@cases("old, new, base, result", {**{n: (OLD, NEW, *row) for n, row in MOVED.items()}, **BORDERS})
def test_a_hunk_is_put_in_at_its_only_place(old: str, new: str, base: str, result: str) -> None:
    """The borders of a file are context, too."""
    hunks = hunks_between(text(old), text(new))
    assert reanchor_file(text(base), hunks, final_newline=True) == text(result)


@cases(
    "base, places",
    {
        "another text": ("a b c Z d e f", 0),
        "no full side": ("a b n X n e f", 0),
        "two lines on each side are no full side": ("b c X d e", 0),
        "an empty file": ("", 0),
        "twice": ("a b c X d e f a b c X d e f", 2),
        "one side here, the other there": ("a b c X n a n X d e f", 2),
    },
)
def test_a_hunk_without_just_one_place_is_adrift(base: str, places: int) -> None:
    with pytest.raises(HunkNotPlaced) as caught:
        anchor_hunks(text(base), hunks_between(text(OLD), text(NEW)))
    assert len(caught.value.places) == places


@cases(
    "old, new, base",
    {
        "a short side away from its border": ("a X", "a Y", "n a X n"),
        "a whole file that has grown": ("X", "Y", "X n"),
        "an empty file that has grown": ("", "Y", "n"),
        "two in another order": ("a b c X d e f Z k l m", "a b c Y d e f W k l m", SWAPPED),
        "two that touch now": (
            "a b c X n Z k l m",
            "a b c Y n W k l m",
            "a b c X Z k l m",
        ),
    },
)
def test_hunks_that_have_lost_their_borders_or_their_order_are_adrift(
    old: str, new: str, base: str
) -> None:
    with pytest.raises(HunkNotPlaced):
        anchor_hunks(text(base), hunks_between(text(old), text(new)))


@cases(
    "base, final_newline, result",
    {
        "as recorded": (b"a\nb\nc\nX", False, b"a\nb\nc\nY"),
        "at the end of the file": (b"n\na\nb\nc\nX\n", False, b"n\na\nb\nc\nY"),
        "away from the end": (b"a\nb\nc\nX\nn", True, b"a\nb\nc\nY\nn"),
    },
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

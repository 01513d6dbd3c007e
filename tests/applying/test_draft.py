"""Drafts compose splices; net hunks say in lines of the base what they come to."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.applying.draft import Draft
from hkgit.applying.hunk import Hunk, apply_hunks, net_hunks
from hkgit.text.document import BOM, Document
from tests.support.cases import cases
from tests.support.properties import examples

BASE = b"a\nb\nc\nd\ne\n"

TEXTS = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\r", b"\xff"])).map(b"".join)
FILES = st.builds(bytes.__add__, st.sampled_from([b"", BOM]), TEXTS)


@dataclass(frozen=True)
class Step:
    """A splice somewhere in what is there: `at` and `size` are taken modulo its length."""

    at: int
    size: int
    new: bytes


STEPS = st.lists(
    st.builds(Step, st.integers(0, 50), st.integers(0, 8), TEXTS), min_size=1, max_size=6
)


def after(data: bytes, steps: list[Step]) -> tuple[Draft, bytes]:
    """The draft after some splices, and the same text made by slicing."""
    draft = Draft.of(data)
    text = draft.document.data
    for number, step in enumerate(steps, 1):
        # A byte order mark is no part of the text, so no edit can reach it.
        first = len(draft.base.bom)
        start = first + step.at % (len(text) - first + 1)
        end = min(start + step.size, len(text))
        draft = draft.replace(start, end, step.new, number)
        text = text[:start] + step.new + text[end:]
    return draft, text


@examples(150)
@given(FILES, STEPS, st.booleans())
def test_splices_compose_as_slicing_does_and_so_do_their_hunks(
    data: bytes, steps: list[Step], is_terminated: bool
) -> None:
    draft, text = after(data, steps)
    assert draft.document.data == text
    hunks = net_hunks(draft)
    made = apply_hunks(Document(data), hunks, is_terminated=is_terminated)
    assert made == draft.result(is_terminated=is_terminated)
    assert [hunk for hunk in hunks if _has_equal_border(draft.base, hunk)] == []
    assert all(below.start_line - above.end_line > 1 for above, below in pairwise(hunks))
    known = set(range(1, len(steps) + 1))
    assert all(hunk.edits and set(hunk.edits) <= known for hunk in hunks)


def _has_equal_border(base: Document, hunk: Hunk) -> bool:
    """Whether a hunk is not trimmed."""
    old = base.raw_lines[hunk.start_line - 1 : hunk.end_line]
    new = Document(hunk.new).raw_lines
    return bool(old and new) and (old[0] == new[0] or old[-1] == new[-1])


@examples(150)
@given(FILES, STEPS, st.data())
def test_a_stretch_touches_the_base_lines_of_its_kept_bytes(
    data: bytes, steps: list[Step], drawn: st.DataObject
) -> None:
    draft, text = after(data, steps)
    start = drawn.draw(st.integers(0, len(text)))
    end = drawn.draw(st.integers(start, len(text)))
    kept = [origin for origin in _origins(draft)[start:end] if origin is not None]
    assume(kept)
    assert draft.base_lines(start, end) == draft.base.lines_of(kept[0], kept[-1] + 1)


def _origins(draft: Draft) -> list[int | None]:
    """Of every present byte its offset in the base; None for those that edits wrote."""
    found: list[int | None] = []
    at = 0
    for piece in draft.pieces:
        found += [*range(at, piece.start), *[None] * len(piece.new)]
        at = piece.end
    return [*found, *range(at, len(draft.base.data))]


@cases(
    {
        "a line": ([(2, 4, b"x\n")], [Hunk(2, 2, b"x\n", (1,))]),
        "a part of a line": ([(2, 3, b"x")], [Hunk(2, 2, b"x\n", (1,))]),
        "equal outer lines": ([(0, 6, b"a\nx\nc\n")], [Hunk(2, 2, b"x\n", (1,))]),
        "nothing but equal lines": ([(0, 6, b"a\nb\nc\n")], []),
        "touching ones": ([(2, 4, b"x\n"), (4, 6, b"y\n")], [Hunk(2, 3, b"x\ny\n", (1, 2))]),
        "parts of touching lines": ([(2, 3, b"x"), (4, 5, b"y")], [Hunk(2, 3, b"x\ny\n", (1, 2))]),
        "ones apart": (
            [(2, 4, b"x\n"), (6, 8, b"y\n")],
            [Hunk(2, 2, b"x\n", (1,)), Hunk(4, 4, b"y\n", (2,))],
        ),
        "an insertion": ([(2, 2, b"x\n")], [Hunk(2, 1, b"x\n", (1,))]),
        "one at the end": ([(10, 10, b"x\n")], [Hunk(6, 5, b"x\n", (1,))]),
        "two lines joined": ([(3, 4, b"")], [Hunk(2, 3, b"bc\n", (1,))]),
        "there and back again": ([(2, 4, b"x\n"), (2, 4, b"b\n")], []),
        "one edit over another": ([(2, 4, b"x\n"), (2, 3, b"y")], [Hunk(2, 2, b"y\n", (1, 2))]),
        "everything": ([(0, 10, b"")], [Hunk(1, 5, b"", (1,))]),
        "one where a line was": ([(2, 4, b""), (2, 2, b"x\n")], [Hunk(2, 2, b"x\n", (1, 2))]),
    },
)
def test_hunks_in_lines_of_the_base(
    splices: list[tuple[int, int, bytes]], hunks: list[Hunk]
) -> None:
    draft = Draft.of(BASE)
    for number, (start, end, new) in enumerate(splices, 1):
        draft = draft.replace(start, end, new, number)
    assert list(net_hunks(draft)) == hunks


@cases(
    {
        "past the end": [Hunk(6, 6, b"x\n", ())],
        "before the beginning": [Hunk(0, 1, b"x\n", ())],
        "backwards": [Hunk(4, 2, b"x\n", ())],
        "out of order": [Hunk(3, 3, b"", ()), Hunk(2, 2, b"", ())],
        "one over another": [Hunk(2, 3, b"", ()), Hunk(3, 4, b"", ())],
    },
)
def test_hunks_that_fit_no_file_are_refused(hunks: list[Hunk]) -> None:
    with pytest.raises(IndexError):
        apply_hunks(Document(BASE), hunks, is_terminated=True)


def test_writes_of_the_base_that_overlap_are_refused() -> None:
    draft = Draft.of(BASE).write(2, 6, b"x\n", 1)
    assert draft is not None
    assert draft.write(4, 8, b"y\n", 2) is None

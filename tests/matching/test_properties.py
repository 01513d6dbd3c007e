"""What holds for every file and every edit."""

from collections.abc import Callable, Iterable
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.edits import Edit
from hkgit.errors import HkgitError
from hkgit.matching.ladder import locate
from hkgit.matching.place import THRESHOLD
from hkgit.matching.transfer import transfer
from hkgit.text.diff import find_changes, find_common
from tests.matching.editing import document_of, edit_of, edited
from tests.support.cases import cases
from tests.support.properties import examples

WORDS = (
    "alpha",
    "beta",
    "gamma(x)",
    "delta = 1",
    "}",
    "",
    "    beta",
    "\teta",
    "return zeta",
    "...",
)
few = st.lists(st.sampled_from(WORDS), max_size=12)
NAMES = [f"{''.join(letters)}_{n}(x, {n})" for n, letters in enumerate(permutations("abcd", 3))]
MARGINS = st.sampled_from(["", "    ", "        "])
bounded = examples(100)


def joined(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)


@st.composite
def changed(draw: st.DrawFn) -> tuple[list[str], Edit, list[str]]:
    """A file, an edit of some of its lines with context, and the file as it should be after it."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(6, 14))]
    lines = [draw(MARGINS) + name for name in names]
    start = draw(st.integers(1, len(lines) - 2))
    end = draw(st.integers(start, len(lines) - 2))
    new = [draw(MARGINS) + f"new_{n}()" for n in range(draw(st.integers(start == end, 3)))]
    first, after = start - 1, end + 1
    old = lines[first:after]
    edit = edit_of(joined(old), joined([*lines[first:start], *new, *lines[end:after]]))
    return lines, edit, [*lines[:start], *new, *lines[end:]]


@bounded
@given(few, few)
def test_what_two_texts_have_in_common_is_equal_and_in_order(a: list[str], b: list[str]) -> None:
    pairs = find_common(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@bounded
@given(few, few)
def test_changes_lead_from_one_text_to_the_other(a: list[str], b: list[str]) -> None:
    made: list[str] = []
    position = 0
    for change in find_changes(a, b):
        made += a[position : change.old_start] + b[change.new_start : change.new_end]
        position = change.old_end
    assert made + a[position:] == b


@bounded
@given(st.binary(max_size=60), st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_any_edit_of_any_bytes_is_made_or_refused(data: bytes, old: str, new: str) -> None:
    fix = "made"
    try:
        edited(data, edit_of(old, new))
    except HkgitError as error:
        fix = error.fix
    assert fix


@bounded
@given(few, few, st.data())
def test_lines_that_stand_once_become_the_new_ones_or_are_refused(
    lines: list[str], new: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    assume(end > start)
    try:
        after = edited(joined(lines), edit_of(joined(lines[start:end]), joined(new)))
    except HkgitError:
        return
    assert after == joined([*lines[:start], *new, *lines[end:]]).encode()


@bounded
@given(changed())
def test_an_edit_made_from_a_real_change_makes_exactly_that_change(
    case: tuple[list[str], Edit, list[str]],
) -> None:
    lines, edit, after = case
    assert edited(joined(lines), edit) == joined(after).encode()


Variation = Callable[[str], str]


@cases(
    {
        "CRLF": lambda text: text.replace("\n", "\r\n"),
        "a byte order mark": lambda text: "\ufeff" + text,
        "depth": lambda text: joined("    " + line for line in text.splitlines()),
    },
)
@bounded
@given(changed())
def test_a_file_that_varies_throughout_varies_so_afterwards(
    of_file: Variation, case: tuple[list[str], Edit, list[str]]
) -> None:
    lines, edit, after = case
    try:
        made = edited(of_file(joined(lines)), edit)
    except HkgitError:
        return
    assert made == of_file(joined(after)).encode()


@bounded
@given(changed(), st.data())
def test_blanks_at_the_end_of_context_lines_stay(
    case: tuple[list[str], Edit, list[str]], data: st.DataObject
) -> None:
    lines, edit, after = case
    kept = [line for line in lines if line in after]
    blank = {line: line + data.draw(st.sampled_from(["", " ", "\t"])) for line in kept}
    before = joined([blank.get(line, line) for line in lines])
    assert edited(before, edit) == joined([blank.get(line, line) for line in after]).encode()


@bounded
@given(changed(), st.booleans())
def test_a_copy_of_the_place_can_only_turn_success_into_refusal(
    case: tuple[list[str], Edit, list[str]], is_above: bool
) -> None:
    lines, edit, _ = case
    with pytest.raises(HkgitError):
        edited(with_copy(lines, edit, is_above), edit)


@bounded
@given(changed(), st.booleans(), st.data())
def test_a_copy_of_a_place_that_is_found_loosely_only_refuses_too(
    case: tuple[list[str], Edit, list[str]], is_above: bool, data: st.DataObject
) -> None:
    lines, edit, _ = case
    right = data.draw(st.sampled_from(edit.old_text.splitlines()))
    old, new = (text.replace(right, f"{right}z") for text in (edit.old_text, edit.new_text))
    with pytest.raises(HkgitError):
        edited(with_copy(lines, edit, is_above), edit_of(old, new))


def with_copy(lines: list[str], edit: Edit, is_above: bool) -> str:
    """A file in which the lines of an edit stand a second time."""
    copy = edit.old_text.splitlines()
    return joined([*copy, *lines] if is_above else [*lines, *copy])


@bounded
@given(changed())
def test_lines_that_the_author_did_not_change_are_not_touched(
    case: tuple[list[str], Edit, list[str]],
) -> None:
    lines, edit, after = case
    document = document_of(joined(lines))
    splices = transfer(locate(document, edit, THRESHOLD))
    touched = {n for s in splices for n in range(*_lines_of(document.lines_of(s.start, s.end)))}
    gone = {n for n, line in enumerate(lines, 1) if line not in after}
    assert touched <= gone


def _lines_of(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], span[1] + 1

"""Which line of `=` divides a block whose text has such lines too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.properties import examples

UNDER = "======="


def parse(old: list[str], new: list[str]) -> object:
    halves = ("".join(f"{line}\n" for line in half) for half in (old, new))
    return dialects.parse(
        "a.md\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n".format(*halves)
    ).edits


def edit_of(old: list[str], new: list[str]) -> tuple[Edit]:
    old_text, new_text = ("".join(f"{line}\n" for line in half) for half in (old, new))
    return (Edit("a.md", old_text, new_text),)


@cases(
    "old, new",
    {
        "one title in both": (["Intro", UNDER, "", "a"], ["Intro", UNDER, "", "b"]),
        "a title of its length in the new": (["a"], ["Modules", UNDER, "", "b"]),
        "nothing but the title": (["Modules", UNDER], ["Modules", UNDER, "", "b"]),
        "a shorter line at the end": (["a", ""], ["b", "", "====="]),
    },
)
def test_titles_tell_the_divider(old: list[str], new: list[str]) -> None:
    assert parse(old, new) == edit_of(old, new)


@cases(
    "old, new",
    {
        "other titles": (["Intro", UNDER, "a"], ["Other", UNDER, "b"]),
        "below a paragraph": (["a", "Heading", UNDER], ["b"]),
        "below a rule": (["-------", UNDER], ["b"]),
        "at the end of the new text": (["a"], ["a", "Heading", UNDER]),
    },
)
def test_what_titles_do_not_tell_is_refused(old: list[str], new: list[str]) -> None:
    with pytest.raises(InvalidInput, match="the divider could be any of"):
        parse(old, new)


sections = st.lists(
    st.tuples(
        st.sampled_from(["Modules", "Install", "License"]),
        st.lists(st.sampled_from(["some text", "more of it", "    code()", "x"]), min_size=1),
    ).map(lambda each: [each[0], UNDER, "", *each[1]]),
    max_size=3,
)


def join(parts: list[list[str]]) -> list[str]:
    """Sections with a blank line between two."""
    return [line for i, part in enumerate(parts) for line in ([""] if i else []) + part]


@examples(100)
@given(sections, sections)
def test_titles_as_long_as_the_divider_are_always_text(
    old: list[list[str]], new: list[list[str]]
) -> None:
    assert parse(join(old), join(new)) == edit_of(join(old), join(new))

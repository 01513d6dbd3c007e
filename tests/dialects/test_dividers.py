"""Which line of `=` divides a block whose text has such lines too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.edits import Edit
from hkgit.errors import InvalidInput
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["Intro", UNDER, "", "a"], ["Intro", UNDER, "", "b"], id="one title in both"),
        pytest.param(["a"], ["Modules", UNDER, "", "b"], id="a title of its length in the new"),
        pytest.param(["Modules", UNDER], ["Modules", UNDER, "", "b"], id="nothing but the title"),
        pytest.param(["a", ""], ["b", "", "====="], id="a shorter line at the end"),
    ],
)
def test_titles_tell_the_divider(old: list[str], new: list[str]) -> None:
    assert parse(old, new) == edit_of(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["Intro", UNDER, "a"], ["Other", UNDER, "b"], id="other titles"),
        pytest.param(["a", "Heading", UNDER], ["b"], id="below a paragraph"),
        pytest.param(["-------", UNDER], ["b"], id="below a rule"),
        pytest.param(["a"], ["a", "Heading", UNDER], id="at the end of the new text"),
    ],
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

"""However strange the file or the edit, the answer is clear and comes in good time."""

from __future__ import annotations

from time import process_time

import pytest

from hkgit.edits import Edit
from hkgit.errors import Ambiguous, HkgitError, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.properties import is_thorough

COUNT = 20_000 if is_thorough() else 5_000
NUMBERED = [f"line {number} = {number * number}" for number in range(COUNT)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "old", "error"),
    [
        pytest.param("x = 1\n" * 200_000, "x = 1\n", Ambiguous, id="very many equal lines"),
        pytest.param("x = 1\n" * 200_000, "x = 1\n" * 500, Ambiguous, id="and a long old text"),
        pytest.param("x = 1\n" * 200_000, "x  = 1\n", Ambiguous, id="and other blanks"),
        pytest.param("x\n" * 200_000, "x\ny\nx\n", NoMatch, id="and a line that is not there"),
        pytest.param("\n" * 200_000, "\n\n", Ambiguous, id="nothing but blank lines"),
        pytest.param("ab " * 2_000_000, "needle z\n", NoMatch, id="one very long line"),
        pytest.param("ab " * 2_000_000, "ab " * 1_999_999 + "c", NoMatch, id="two very long lines"),
        pytest.param(
            "\n".join(NUMBERED),
            "\n".join(reversed(NUMBERED)),
            HkgitError,
            id="all reversed",
        ),
        pytest.param("", "a\n", NoMatch, id="an empty file"),
        pytest.param("a\0b\n", "\0\0\0\n", NoMatch, id="NUL bytes"),
    ],
)
def test_it_is_refused_in_time(text: str, old: str, error: type[HkgitError]) -> None:
    began = process_time()
    with pytest.raises(error):
        placed(text, edit_of(old, "y\n"))
    assert process_time() - began < 5


MUCH = "".join(
    f"    value_{n} = compute({n})\n" for n in range(300_000 if is_thorough() else 30_000)
)
BODY = "def a():\n    alpha(1)\n    beta(2)\n    gamma(3)\n    return 1\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("old", "after"),
    [
        pytest.param("    beta(2)\n", BODY.replace("    beta(2)\n", MUCH), id="byte for byte"),
        pytest.param(
            "    alpha(1)\n    beta( 2)\n    gamma(3)\n    retrn 1\n",
            BODY.replace("    beta(2)\n", MUCH),
            id="with a slip and other blanks",
        ),
        pytest.param("    delta(9)\n", None, id="nowhere"),
    ],
)
def test_very_much_new_text_is_written_or_refused(old: str, after: str | None) -> None:
    new = MUCH if old.count("\n") == 1 else old.replace("    beta( 2)\n", MUCH)
    if after is not None:
        assert edited(BODY, edit_of(old, new)) == after.encode()
        return
    with pytest.raises(NoMatch):
        edited(BODY, edit_of(old, new))


TWICE = "".join(f"{line}\n" * 2 for line in BODY.splitlines())


@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        pytest.param(TWICE, "    beta(2)\n", "2 places, at lines 5, 6", id="one line of a pair"),
        pytest.param(BODY * 2, BODY, "2 places, at lines 1, 6", id="all of a text that is doubled"),
        pytest.param(BODY * 2, BODY.replace("beta(2)", "beat(2)"), "the edit .beat", id="a slip"),
        pytest.param(TWICE, BODY, "which the edit does not have", id="half of every pair"),
        pytest.param("a {\n}\nb {\n}\n", "}\n", "2 places, at lines 2, 4", id="a brace of two"),
        pytest.param("a {\n}\nb {\n}\n", "}", "2 places, at lines 2, 4", id="without its end"),
        pytest.param("a {\n  b\n", "}\n", "No similar line was found", id="a brace of none"),
        pytest.param("a {\n  }\n  }\n", "}\n", "2 places, at lines 2, 3", id="indented ones"),
    ],
)
def test_what_could_be_any_of_several_is_refused(text: str, old: str, said: str) -> None:
    with pytest.raises(HkgitError, match=said):
        edited(text, edit_of(old, "x\n"))


@pytest.mark.parametrize(
    ("text", "old", "after"),
    [
        pytest.param(
            TWICE,
            "    alpha(1)\n    beta(2)\n",
            TWICE.replace("    alpha(1)\n    beta(2)\n", "x\n"),
            id="the border of two pairs",
        ),
        pytest.param("a {\n}\n", "}\n", "a {\nx\n", id="the only brace"),
        pytest.param("a {}\n", "{}", "a x\n", id="braces within a line"),
    ],
)
def test_what_can_be_but_one_place_lands(text: str, old: str, after: str) -> None:
    new = "x\n" if old.endswith("\n") else "x"
    assert edited(text, edit_of(old, new)) == after.encode()


def test_an_old_text_may_be_the_whole_of_a_large_file() -> None:
    middle = COUNT // 2
    old = [*NUMBERED[:middle], "not there", *NUMBERED[middle + 1 :]]
    new = [*old[:100], "changed", *old[101:]]
    after = [*NUMBERED[:100], "changed", *NUMBERED[101:]]
    edit = edit_of("\n".join(old), "\n".join(new))
    assert edited("\n".join(NUMBERED), edit) == "\n".join(after).encode()


def test_a_loose_edit_of_a_very_large_file_takes_a_moment() -> None:
    lines = [f"    value_{n % 977} = compute_{n}(item, {n % 9})" for n in range(100_000)]
    old = [*lines[500:503], "    # not there", *lines[503:506]]
    edit = edit_of("\n".join(old), "\n".join([*old[:-1], "    changed()"]))
    began = process_time()
    assert placed("\n".join(lines), edit).tier == "line-block"
    assert process_time() - began < 1


LARGE = "".join(f"value_{number} = {number}\n" for number in range(100_000))


@pytest.mark.parametrize(
    ("text", "edit", "after"),
    [
        pytest.param(
            "keep()\n" + LARGE,
            edit_of(LARGE, LARGE.replace("= 7\n", "= 8\n")),
            "keep()\n" + LARGE.replace("= 7\n", "= 8\n"),
            id="two megabytes",
        ),
        pytest.param(
            "x = abc + 1\n" * 10_000,
            Edit("f.py", "abc", "d", replace_all=True),
            "x = d + 1\n" * 10_000,
            id="ten thousand places",
        ),
        pytest.param(
            "ab " * 1_700_000 + "needle " + "cd " * 10,
            edit_of("needle cd", "pin cd"),
            "ab " * 1_700_000 + "pin " + "cd " * 10,
            id="one line of five megabytes",
        ),
    ],
)
def test_large_edits_are_made_in_time(text: str, edit: Edit, after: str) -> None:
    began = process_time()
    assert edited(text, edit) == after.encode()
    assert process_time() - began < 5


@pytest.mark.slow
def test_ten_megabytes_are_edited_as_two_are() -> None:
    text = LARGE * 5
    after = text.replace("= 7\n", "= 8\n")
    assert edited("keep()\n" + text, edit_of(text, after)) == b"keep()\n" + after.encode()

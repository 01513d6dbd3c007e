"""However strange the file or the edit, the answer is clear and comes in good time."""

from time import process_time

import pytest

from hkgit.edits import Edit
from hkgit.errors import Ambiguous, HkgitError, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases
from tests.support.properties import is_thorough

COUNT = 20_000 if is_thorough() else 5_000
MANY = 10 * COUNT
NUMBERED = [f"line {number} = {number * number}" for number in range(COUNT)]


@pytest.mark.sampled
@cases(
    {
        "very many equal lines": ("x = 1\n" * MANY, "x = 1\n", Ambiguous),
        "and a long old text": ("x = 1\n" * MANY, "x = 1\n" * 500, Ambiguous),
        "and other blanks": ("x = 1\n" * MANY, "x  = 1\n", Ambiguous),
        "and a line that is not there": ("x\n" * MANY, "x\ny\nx\n", NoMatch),
        "nothing but blank lines": ("\n" * MANY, "\n\n", Ambiguous),
        "one very long line": ("ab " * 10 * MANY, "needle z\n", NoMatch),
        "two very long lines": ("ab " * 10 * MANY, "ab " * (10 * MANY - 1) + "c", NoMatch),
        "all reversed": ("\n".join(NUMBERED), "\n".join(reversed(NUMBERED)), HkgitError),
        "an empty file": ("", "a\n", NoMatch),
        "NUL bytes": ("a\0b\n", "\0\0\0\n", NoMatch),
    },
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
@cases(
    {
        "byte for byte": ("    beta(2)\n", BODY.replace("    beta(2)\n", MUCH)),
        "with a slip and other blanks": (
            "    alpha(1)\n    beta( 2)\n    gamma(3)\n    retrn 1\n",
            BODY.replace("    beta(2)\n", MUCH),
        ),
        "nowhere": ("    delta(9)\n", None),
    },
)
def test_very_much_new_text_is_written_or_refused(old: str, after: str | None) -> None:
    new = MUCH if old.count("\n") == 1 else old.replace("    beta( 2)\n", MUCH)
    if after is not None:
        assert edited(BODY, edit_of(old, new)) == after.encode()
        return
    with pytest.raises(NoMatch):
        edited(BODY, edit_of(old, new))


TWICE = "".join(f"{line}\n" * 2 for line in BODY.splitlines())


@cases(
    {
        "one line of a pair": (TWICE, "    beta(2)\n", "2 places, at lines 5, 6"),
        "all of a text that is doubled": (BODY * 2, BODY, "2 places, at lines 1, 6"),
        "a slip": (BODY * 2, BODY.replace("beta(2)", "beat(2)"), "the edit .beat"),
        "half of every pair": (TWICE, BODY, "which the edit does not have"),
        "a brace of two": ("a {\n}\nb {\n}\n", "}\n", "2 places, at lines 2, 4"),
        "without its end": ("a {\n}\nb {\n}\n", "}", "2 places, at lines 2, 4"),
        "a brace of none": ("a {\n  b\n", "}\n", "No similar line was found"),
        "indented ones": ("a {\n  }\n  }\n", "}\n", "2 places, at lines 2, 3"),
    },
)
def test_what_could_be_any_of_several_is_refused(text: str, old: str, said: str) -> None:
    with pytest.raises(HkgitError, match=said):
        edited(text, edit_of(old, "x\n"))


@cases(
    {
        "the border of two pairs": (
            TWICE,
            "    alpha(1)\n    beta(2)\n",
            TWICE.replace("    alpha(1)\n    beta(2)\n", "x\n"),
        ),
        "the only brace": ("a {\n}\n", "}\n", "a {\nx\n"),
        "braces within a line": ("a {}\n", "{}", "a x\n"),
    },
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
    lines = [f"    value_{n % 977} = compute_{n}(item, {n % 9})" for n in range(MANY)]
    old = [*lines[500:503], "    # not there", *lines[503:506]]
    edit = edit_of("\n".join(old), "\n".join([*old[:-1], "    changed()"]))
    began = process_time()
    assert placed("\n".join(lines), edit).tier == "line-block"
    assert process_time() - began < 1


LARGE = "".join(f"value_{number} = {number}\n" for number in range(10 * COUNT))


@cases(
    {
        "a megabyte": (
            "keep()\n" + LARGE,
            edit_of(LARGE, LARGE.replace("= 7\n", "= 8\n")),
            "keep()\n" + LARGE.replace("= 7\n", "= 8\n"),
        ),
        "ten thousand places": (
            "x = abc + 1\n" * 10_000,
            Edit("f.py", "abc", "d", replace_all=True),
            "x = d + 1\n" * 10_000,
        ),
        "one line of five megabytes": (
            "ab " * 1_700_000 + "needle " + "cd " * 10,
            edit_of("needle cd", "pin cd"),
            "ab " * 1_700_000 + "pin " + "cd " * 10,
        ),
    },
)
def test_large_edits_are_made_in_time(text: str, edit: Edit, after: str) -> None:
    began = process_time()
    assert edited(text, edit) == after.encode()
    assert process_time() - began < 5

"""A change that has been made already is an answer of its own."""

import pytest

from hkgit.errors import AlreadyApplied
from tests.matching.editing import edit_of, edited
from tests.support.cases import cases


@cases(
    {
        "another line stands there": ("a = 2\nb\n", "a = 1\n", "a = 2\n"),
        "lines below": ("a\nnew\nb\n", "a\n", "a\nnew\n"),
        "lines above": ("new\na\nb\n", "a\n", "new\na\n"),
        "lines in between": ("a\nnew line\nb\n", "a\nb\n", "a\nnew line\nb\n"),
        "words inside a line": ("f(a, b)\n", "f(a", "f(a, b"),
        "at another indentation": ("  a\n  new\nb\n", "a\n", "a\nnew\n"),
        "a blank line": ("a\n\nb\nc\n", "a\nb\n", "a\n\nb\n"),
        "an indentation": ("a:\n    b\nc\n", "a:\nb\n", "a:\n    b\n"),
        "a piece, where lines are left out": (
            "open_it(function () {\n  watch(errors)\n\n  go()\n})\n",
            "open_it(function () {\n  // ...\n",
            "open_it(function () {\n  watch(errors)\n\n  // ...\n",
        ),
        "with other context": (
            "start(1)\nvalue = 2\nstop()\n",
            "start(0)\nvalue = 1\nstop()\n",
            "start(0)\nvalue = 2\nstop()\n",
        ),
    },
)
def test_it_is_not_made_twice(text: str, old: str, new: str) -> None:
    with pytest.raises(AlreadyApplied):
        edited(text, edit_of(old, new))


def test_new_text_that_stands_elsewhere_is_no_obstacle() -> None:
    text = "a = 1\nb = 1\na = 2\n"
    assert edited(text, edit_of("a = 1\n", "a = 2\n")) == b"a = 2\nb = 1\na = 2\n"


def test_a_line_of_many_that_stands_in_between_is_another_one_s() -> None:
    text = "start(a)\nlog(a)\ncheck(a)\nvalue = 1\nstop(a)\nreturn value\n"
    old = text.replace("log(a)\n", "")
    more = "".join(f"value += step({n})\n" for n in range(3))
    new = old.replace("stop(a)\n", f"log(a)\n{more}stop(a)\n")
    after = text.replace("stop(a)\n", f"log(a)\n{more}stop(a)\n")
    assert edited(text, edit_of(old, new)) == after.encode()
    with pytest.raises(AlreadyApplied):
        edited(text, edit_of(old, old.replace("stop(a)\n", "log(a)\nstop(a)\n")))

"""Anchors name the lines below which a place is, each in the block that the one before opens."""

import re
from dataclasses import replace

import pytest

from hkgit import apply_edits
from hkgit.edits import END_OF_FILE, AnyEdit, Edit
from tests.support.cases import cases
from tests.support.planning import file_of, in_sequence, refusal, result

METHOD = "    def method():\n        x = 1\n        return x\n"
CLASSES = f"class Other:\n{METHOD}\n\nclass BaseClass(Other):\n{METHOD}\n\nclass Last:\n{METHOD}"


def patched(*hunk: str) -> object:
    text = "\n".join(["*** Begin Patch", "*** Update File: a.py", *hunk, "*** End Patch"])
    result = apply_edits(text, {"a.py": CLASSES})
    return result.files.get("a.py") if result.ok else result.outcomes[0].status


@cases(
    {
        "the documented example": ["@@ class BaseClass", "@@ \t def method():"],
        "whole lines": ["@@ class BaseClass(Other):", "@@ def method():"],
        "on one line": ["@@ class BaseClass @@ def method():"],
        "one anchor": ["@@ class BaseClass"],
    },
)
def test_an_anchor_narrows_to_its_block(anchors: list[str]) -> None:
    head, tail = CLASSES.split("class BaseClass(Other):\n")
    changed = f"{head}class BaseClass(Other):\n{tail.replace('x = 1', 'x = 2', 1)}"
    assert patched(*anchors, "-        x = 1", "+        x = 2") == changed


def test_lines_alone_go_to_the_end_where_that_is_said() -> None:
    assert patched("@@", "+z = 1", "*** End of File") == f"{CLASSES}z = 1\n"


ABCB = file_of("abcb")
INDENTED = b"a\n  b\nc\n  b\n"
B_TO_X = Edit("f", "  b\n", "  x\n")


@cases(
    {
        "below one": (Edit("f", "", "x\n", anchors=("a",)), b"a\nx\n  b\nc\n  b\n"),
        "without its blanks": (Edit("f", "", "x", anchors=("  c ",)), b"a\n  b\nc\nx\n  b\n"),
        "one below the other": (Edit("f", "", "x\n", anchors=("c", "b")), INDENTED + b"x\n"),
        "text below an anchor": (replace(B_TO_X, anchors=("c",)), b"a\n  b\nc\n  x\n"),
        "the first such text below it": (replace(B_TO_X, anchors=("a",)), b"a\n  x\nc\n  b\n"),
        "the last one, if that is said": (
            replace(B_TO_X, anchors=("a",), line_hint=END_OF_FILE),
            b"a\n  b\nc\n  x\n",
        ),
    },
)
def test_an_anchor_says_below_which_line(edit: Edit, expected: bytes) -> None:
    assert result(in_sequence({"f": INDENTED}, edit)) == {"f": expected}


@cases(
    {
        "nowhere": (
            Edit("f", "", "x\n", anchors=("z",)),
            "no_match: f: the anchor 'z' is nowhere in the file",
        ),
        "not below the other": (
            Edit("f", "", "x\n", anchors=("c", "a")),
            "no_match: f: the anchor 'a' is nowhere below line 3",
        ),
        "of two lines": (
            Edit("f", "", "x\n", anchors=("b",)),
            "ambiguous: f: the anchor 'b' names",
        ),
        "text above it": (Edit("f", "a\n", "x\n", anchors=("c",)), "no_match: f: the old text"),
        "text that is twice in its block": (
            Edit("g", " b\n", " x\n", anchors=("a (1)",)),
            "ambiguous: g: the old text",
        ),
        "new lines below the beginning of a line": (
            Edit("g", "", "x\n", anchors=("a",)),
            "ambiguous: g: the anchor 'a' names",
        ),
        "text that is twice below the beginning of a line": (
            Edit("g", " b\n", " x\n", anchors=("a",)),
            "ambiguous: g: the old text",
        ),
        "a beginning that is no word": (
            Edit("g", " e\n", " x\n", anchors=("d (",)),
            "no_match: g: the anchor 'd (",
        ),
    },
)
def test_an_anchor_that_does_not_lead_there_is_refused(edit: AnyEdit, said: str) -> None:
    files = {"f": ABCB, "g": b"a (1)\n b\n c\n b\nd (1)\n e\nd (2)\n"}
    assert refusal(in_sequence(files, edit)).startswith(said)


SIBLINGS = """\
import os
class A:
    def stop(self):
        pass
class B:
    def run(self):
        go(1)
def main():
    B()
"""


@cases(
    "anchors, old, is_found",
    {
        "a block that lacks it": (["class A:"], "        go(1)\n", False),
        "an inner block that lacks it": (["class A:", "def stop(self):"], "        go(1)\n", False),
        "a method of another class": (["class A:", "def run(self):"], "        go(1)\n", False),
        "its own block": (["class B:"], "        go(1)\n", True),
        "a line that opens none": (["import os"], "        go(1)\n", True),
        "the block above it": (["class A:"], "class B:\n    def run(self):\n        go(1)\n", True),
        "the method above it": (["def run(self):"], "def main():\n", True),
        "one block below another": (["class A:", "class B:"], "        go(1)\n", True),
    },
)
def test_what_is_indented_more_than_an_anchor_is_in_its_block(
    anchors: list[str], old: str, is_found: bool
) -> None:
    edit = Edit("f", old, f"{old}    # new\n", anchors=tuple(anchors))
    made = in_sequence({"f": SIBLINGS.encode()}, edit)
    if is_found:
        assert result(made) == {"f": SIBLINGS.replace(old, edit.new_text).encode()}
    else:
        assert refusal(made).startswith("no_match: f: the ")


@pytest.mark.parametrize("anchors", [("class C",), ("class C", "def f")])
def test_an_anchor_may_be_the_beginning_of_a_line(anchors: tuple[str, ...]) -> None:
    block = b"    def f(self):\n        x = 1\n"
    data = b"class A(B):\n" + block + b"class C(B):\n" + block
    edit = Edit("f", "        x = 1\n", "        x = 2\n", anchors=anchors)
    assert result(in_sequence({"f": data}, edit)) == {"f": data[:-2] + b"2\n"}


TWO = b"""\
def a():
    total = width * height
    return total
def b():
    total = width * height
    done()
    log(total)
    done()
"""


@cases(
    {
        "nowhere": (
            "    total = width + height\n",
            "    total = 0\n",
            r"Nearest: line 5, .* Line 5 says 'total = width \*",
            [5],
        ),
        "at two places": ("    done()\n", "    stop()\n", "at lines 6, 8\n", [5, 7]),
        "made already": ("    note()\n", "    log(total)\n", "^f:7: .* is already at line 7", []),
        "with a line between": (
            "    done()\n    done()\n",
            "    done()\n    go()\n    done()\n",
            "^f:6: the file has lines here",
            [6],
        ),
    },
)
def test_a_refusal_below_an_anchor_counts_lines_from_the_top(
    old: str, new: str, words: str, lines: list[int]
) -> None:
    edit = Edit("f", old, new, anchors=("def b():",))
    [outcome] = in_sequence({"f": TWO}, edit).outcomes
    assert re.search(words, str(outcome.error), re.DOTALL), str(outcome.error)
    assert [each.start_line for each in outcome.candidates] == lines

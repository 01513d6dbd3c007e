"""The fourth tier: `...` for lines that are kept."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import Conflict, HkgitError, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases

TEXT = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"


@cases(
    {
        "a piece on either side": (
            "def f():\n...\n    return a\n",
            "def g():\n...\n    return b\n",
            "def g():\n    a = 1\n    b = 2\n    c = 3\n    return b\n",
        ),
        "indented, and at the end": (
            "def f():\n    ...\n    c = 3\n    ...\n",
            "def f():\n    ...\n    c = 4\n    ...\n",
            TEXT.replace("c = 3", "c = 4"),
        ),
    },
)
def test_the_lines_between_are_kept(old: str, new: str, after: str) -> None:
    assert edited(TEXT, edit_of(old, new)) == after.encode()


def test_the_place_covers_what_is_left_out() -> None:
    place = placed(TEXT, edit_of("def f():\n...\n    return a\n", "x\n...\ny\n")).places[0]
    assert place.start == 0
    assert place.end == len(TEXT)


@cases(
    {
        "dots in one text only": ("    a = 1\n...\n", "    a = 2\n"),
        "out of order": ("    c = 3\n...\n    a = 1\n", "    c\n...\n    a\n"),
        "a piece that is not there": ("def f():\n...\n    x\n", "def g():\n...\n    x\n"),
        "new lines behind the dots": ("def f():\n...\n", "def f():\n...\n    new\n"),
    },
)
def test_what_is_not_paired_and_there_once_is_refused(old: str, new: str) -> None:
    with pytest.raises((NoMatch, Conflict)):
        edited(TEXT, edit_of(old, new))


@cases(
    {
        "another block": ("    a = 1\n\ndef g():\n    b = 2\n", True),
        "its own closing bracket": ("    a = (\n    1\n)\n", False),
        "nothing": ("", False),
    },
)
def test_what_is_left_out_ends_within_the_block(inner: str, ends: bool) -> None:
    text = f"def f():\n{inner}    return a\n"
    edit = edit_of("def f():\n    ...\n    return a\n", "def f():\n    ...\n    return b\n")
    if ends:
        with pytest.raises(NoMatch):
            edited(text, edit)
    else:
        assert edited(text, edit) == text.replace("return a", "return b").encode()


@cases(
    {
        "within a section": ("a.ini", "[a]\nx = 1\n", "y = 2\n", True),
        "in the next section": ("a.ini", "[a]\nx = 1\n", "\n[b]\n", False),
        "in the section after one that has a piece": ("a.ini", "[a]\n...\nx = 1\n", "[b]\n", False),
        "from a section that is left out": ("a.ini", "x = 1\n", "[b]\n", True),
        "below the next heading": ("a.md", "## A\n\n- x\n", "\n## B\n\n", False),
        "below a deeper heading": ("a.md", "## A\n\n- x\n", "\n### B\n\n", True),
        "below another remark": ("a.py", "# A\nx = 1\n", "# B\n", True),
    },
)
def test_what_is_left_out_ends_within_the_section(
    path: str, above: str, between: str, is_found: bool
) -> None:
    text = f"{above.replace('...', 'w = 0')}{between}size = 2\n"
    edit = Edit(path, f"{above}...\nsize = 2\n", f"{above}...\nsize = 3\n")
    if is_found:
        assert edited(text, edit) == text.replace("size = 2", "size = 3").encode()
    else:
        with pytest.raises((NoMatch, Conflict)):
            edited(text, edit)


def test_a_piece_may_be_a_section_further_down() -> None:
    text = "[a]\nx = 1\n\n[b]\n\n[c]\ny = 1\n"
    edit = edit_of("[a]\nx = 1\n...\n[c]\ny = 1\n", "[a]\nx = 1\n...\n[c]\ny = 2\n")
    assert edited(text, edit) == text.replace("y = 1", "y = 2").encode()


def test_items_of_a_list_are_within_the_key_above_them() -> None:
    text = "jobs:\n  steps:\n  - uses: one\n    with: x\n    last: 1\n"
    old = "  steps:\n  # ...\n    last: 1\n"
    assert edited(text, edit_of(old, old.replace("1", "2"))) == text.replace("1", "2").encode()


def test_stretches_that_are_left_out_are_not_swapped() -> None:
    text = "def f():\n    a()\n    b()\n    c()\n    d()\n"
    old = "def f():\n    # ... a ...\n    b()\n    # ... the rest ...\n    d()\n"
    new = "def f():\n    # ... the rest ...\n    b()\n    # ... a ...\n    e()\n"
    with pytest.raises(HkgitError):
        edited(text, edit_of(old, new))


def test_dots_that_stand_in_the_file_are_text() -> None:
    assert placed("class A:\n    ...\n", edit_of("    ...\n", "    pass\n")).tier == "exact"


def test_a_piece_that_stays_as_it_is_may_end_with_a_bracket_indented_otherwise() -> None:
    text = "go(1);\nif a {\n  if b {\n    call(x);\n  }\n}\nend();\n"
    edit = edit_of("go(1);\n...\n    call(x);\n}\n", "go(2);\n...\n    call(x);\n}\n")
    assert edited(text, edit) == text.replace("go(1)", "go(2)").encode()


METHODS = "class A:\n    def a(self):\n        x = 1\n        y = 2\n        return x\n"
REMARKS = [
    "...",
    "# ...",
    "// ...",
    "/* … */",
    "<!-- ... -->",
    "# ... existing code ...",
    "        // ... rest of a ...",
    "... lines omitted ...",
]


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_in_both_texts_stands_for_the_lines_between(remark: str) -> None:
    old = f"    def a(self):\n{remark}\n        return x\n"
    after = METHODS.replace("(self)", "(self, k)").replace("return x", "return k")
    new = old.replace("(self)", "(self, k)").replace("return x", "return k")
    assert edited(METHODS, edit_of(old, new)) == after.encode()


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_in_one_text_alone_is_refused(remark: str) -> None:
    short, full = f"    def a(self):\n{remark}\n        return x\n", METHODS.split("A:\n")[1]
    for old, new in ((full, short), (short, full.replace("y = 2", "y = 3"))):
        with pytest.raises(HkgitError):
            edited(METHODS, edit_of(old, new))

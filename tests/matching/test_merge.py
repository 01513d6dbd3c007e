"""What is written where the file is indented, spelt or named otherwise than the edit."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import Conflict, HkgitError
from hkgit.matching.merge import merge_line
from tests.matching.editing import edit_of, edit_within, edited
from tests.support.cases import cases

BEFORE = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
LOOP = "def f():\n    if a:\n        b()\n    else:\n        c()\n    return 1\n"


def edit_of_hunk(lines: str) -> Edit:
    """The edit of a hunk, given by its lines."""
    old, new = (
        "".join(line[1:] for line in lines.splitlines(keepends=True) if line[0] in marks)
        for marks in (" -", " +")
    )
    return Edit("f.py", old, new, whole_lines=True)


BRANCH = "def f():\n    if a:\n        x = 1\n\n    return 2\n"
FLAT_BRANCH = " def f():\n     if a:\n     x = 1\n"


@cases(
    {
        "dedented old text, new text as the file": (
            BEFORE,
            "-def f(self):\n-    return 1\n+    def f(self):\n+        return 10\n",
            BEFORE.replace("1", "10"),
        ),
        "a method more, as the file has its methods": (
            BEFORE,
            "-def f(self):\n-    return 1\n+    def f(self):\n+        return 1\n+\n"
            "+    def h(self):\n+        return 3\n",
            BEFORE.replace("1\n", "1\n\n    def h(self):\n        return 3\n"),
        ),
        "old text too deep, new text as the file": (
            BEFORE,
            "-        def f(self):\n-            return 1\n+    def f(self):\n+        return 10\n",
            BEFORE.replace("1", "10"),
        ),
        "old text without indentation, new text as the file": (
            BEFORE,
            "-def f(self):\n-return 1\n+    def f(self):\n+        x = 1\n+        return x\n",
            BEFORE.replace("return 1", "x = 1\n        return x"),
        ),
        "both without indentation, other words": (
            LOOP,
            "-if a:\n-b()\n-else:\n-c()\n+while q:\n+zap(9)\n+elif z:\n+stop()\n",
            "def f():\n    while q:\n        zap(9)\n    elif z:\n        stop()\n    return 1\n",
        ),
        "both at one depth": (
            LOOP,
            "-    if a:\n-    b()\n-    else:\n-    c()\n"
            "+    if a2:\n+    b2()\n+    else:\n+    c2()\n",
            LOOP.replace("if a", "if a2").replace("b()", "b2()").replace("c()", "c2()"),
        ),
        "old text without indentation, new text with its own": (
            LOOP,
            "-if a:\n-b()\n-else:\n-c()\n+if x:\n+    y()\n+else:\n+    z()\n",
            "def f():\n    if x:\n        y()\n    else:\n        z()\n    return 1\n",
        ),
        "context and new line dedented": (
            BEFORE,
            " def f(self):\n-    return 1\n+    return 10\n",
            BEFORE.replace("1", "10"),
        ),
        "nothing indented": (
            BEFORE,
            " def f(self):\n-return 1\n+return 10\n \n def g(self):\n",
            BEFORE.replace("1", "10"),
        ),
        "the author's own depth goes on": (
            BEFORE,
            " def f(self):\n-    return 1\n+    if x:\n+        return 1\n",
            BEFORE.replace("return 1", "if x:\n            return 1"),
        ),
        "at less depth too": (
            "a text:\n\n    import this\n\nmore\n",
            "     a text:\n \n-        import this\n+    .. code\n \n     more\n",
            "a text:\n\n.. code\n\nmore\n",
        ),
        "quoted at one depth, below the deeper line": (
            BRANCH,
            f"{FLAT_BRANCH}+    y = 3\n \n     return 2\n",
            BRANCH.replace("x = 1\n", "x = 1\n        y = 3\n"),
        ),
        "quoted at one depth, above the other one": (
            BRANCH,
            f"{FLAT_BRANCH} \n+    y = 3\n     return 2\n",
            BRANCH.replace("    return", "    y = 3\n    return"),
        ),
    },
)
def test_indentation_follows_the_lines(text: str, hunk: str, after: str) -> None:
    assert edited(text, edit_of_hunk(hunk)) == after.encode()


@cases(
    {
        "nothing indented, a line more": (
            BEFORE,
            "-def f(self):\n-return 1\n+def f(self):\n+x = 1\n+return x\n",
        ),
        "a method that may be meant inside another": (
            BEFORE,
            " def f(self):\n     return 1\n \n+    def h(self):\n+        h()\n+\n def g(self):\n",
        ),
        "context dedented, more new lines as the file": (
            BEFORE,
            " def f(self):\n-    return 1\n+        x = 1\n+        return x\n",
        ),
        "context dedented, a new line as the file": (
            BEFORE,
            " def f(self):\n-    return 1\n+        return 10\n",
        ),
        "between lines of two depths that are quoted at one": (
            BRANCH.replace("\n\n", "\n"),
            f"{FLAT_BRANCH}+    y = 3\n     return 2\n",
        ),
    },
)
def test_where_nothing_decides_the_edit_is_refused(text: str, hunk: str) -> None:
    with pytest.raises(Conflict, match="it cannot be told how its new lines are to be indented"):
        edited(text, edit_of_hunk(hunk))


def test_no_tab_is_put_behind_the_spaces_of_the_file() -> None:
    text = "\tone()\n" * 9 + "      if (a) run(1)\n      stop(22)\n" + "\ttwo()\n" * 9
    old = "\t\t\tif (a) run(1)\n\t\t\tstop(22)\n"
    new = "\t\t\tif (a) {\n\t\t\t\trun(1)\n\t\t\t}\n\t\t\tstop(22)\n"
    with pytest.raises(Conflict, match="indented differently"):
        edited(text, Edit("f.js", old, new))


TEXT = """def area(width, height):
    check_all(height)
    size = width * height
    log_size(size)
    return size
"""


def test_a_name_that_the_file_has_not_is_not_written() -> None:
    quoted = TEXT.replace("width * height", "breadth * height")
    with pytest.raises(Conflict, match="the new lines use 'breadth'"):
        edited(TEXT, edit_within(quoted, "    return", "    check(breadth)\n    return"))
    other = edit_within(quoted, "    return", "    check(height)\n    return")
    assert b"    size = width * height\n    log_size(size)\n    check(height)\n" in edited(
        TEXT, other
    )


@cases(
    {
        "self.db": ("self.db.query(x)", "db.query(x)", "db.commit(x)"),
        "css": (".user-profile-card {", ".profile-card {", ".profile-card:hover {"),
    },
)
def test_a_part_of_a_longer_name_is_never_carried_into_new_lines(
    here: str, quoted: str, new: str
) -> None:
    text = f"first_line(1)\n{here}\nsecond_line(2)\nfourth_line(4)\nthird_line(3)\n"
    edit = edit_within(text.replace(here, quoted), "third", f"{new}\nthird")
    with pytest.raises(Conflict, match="a name that this line does not have"):
        edited(text, edit)


@cases(
    {
        "blanks of the file before another word": ("a=b", "a = b", "a=c", "a = c"),
        "an argument more": ("f(a,b)", "f(a, b)", "f(a,b,c)", "f(a, b,c)"),
        "the author spaces the new line as the file does": (
            "i=( i + 1)",
            "i = (i + 1)",
            "j = (i + 1)",
            "j = (i + 1)",
        ),
        "words in place of a blank": ("f( ) {", "f() {", "f(x, y) {", "f(x, y) {"),
        "aligned columns": ("A=B=1", "A  = B  = 1", "C  = B  = 1", "C  = B  = 1"),
        "typography of the file": (
            "'a' - b",
            "\u2018a\u2019 \u2014 b",
            "'a' - c",
            "\u2018a\u2019 \u2014 c",
        ),
        "three words that are one": ("a ...", "a \u2026", "b ...", "b \u2026"),
        "words that both changed": ("a -- b", "a \u2014 b", "a + b", "a + b"),
        "no width": ("foo bar", "\u200bfoo bar", "foo baz", "\u200bfoo baz"),
        "none here": ("foo\u200b bar", "foo bar", "foo\u200b baz", "foo baz"),
        "a space that does not break, at the end": ("a", "a\u00a0", "b", "b\u00a0"),
        "one that both texts have": ("a\u00a0", "a\u00a0", "b\u00a0", "b\u00a0"),
    },
)
def test_a_line_keeps_the_spelling_of_the_file(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert merge_line(base.encode(), ours.encode(), theirs.encode()).decode() == merged


PYTHON = "class A:\n    def f(self):\n        foo()\n        baz()\n"
GO = "func f() {\n\tfoo()\n\tbaz()\n}\n"
TAILS = {"no end": "", "end": "\n"}


@cases("tail", TAILS)
@pytest.mark.parametrize("is_left_out", [False, True], ids=["its line alone", "all lines"])
@cases(
    "text, lines",
    {
        "an if": (PYTHON, ["if x:", "    foo()"]),
        "two": (PYTHON, ["if x:", "    if y:", "        foo()"]),
        "a try": (PYTHON, ["try:", "    foo()", "except E:", "    pass"]),
        "arguments": (PYTHON, ["foo(", "    x,", ")"]),
        "braces": (GO, ["if x {", "\tfoo()", "}"]),
        "a case at the edge": (GO, ["switch x {", "case 1:", "\tfoo()", "}"]),
    },
)
def test_new_lines_are_indented_once(
    text: str, lines: list[str], is_left_out: bool, tail: str
) -> None:
    margin = "        " if text == PYTHON else "\t"
    wanted = [margin + line for line in lines]
    new = "\n".join(lines if is_left_out else [lines[0], *wanted[1:]])
    after = text.replace(f"{margin}foo()", "\n".join(wanted)).encode()
    assert edited(text, edit_of(f"foo(){tail}", new + tail)) == after


@cases(
    {
        "a head without brace": ("go(a, b)", "if (a)\n\tgo(b)", "\tif (a)\n\t\tgo(b)"),
        "names of a let": ("go(a, b)", "let x = 1,\n\ty = 2", "\tlet x = 1,\n\t\ty = 2"),
        "two calls": ("go(a, b)", "go(a)\n\tgo(b)", "\tgo(a)\n\tgo(b)"),
    },
)
def test_what_opens_a_block_has_a_deeper_line_below(old: str, new: str, after: str) -> None:
    text = "f() {\n\tgo(a, b)\n\tend()\n}\n"
    assert edited(text, edit_of(old, new)) == text.replace("\tgo(a, b)", after).encode()


@cases(
    {
        "an else of no if": "foo()\nelse:\n    bar()",
        "a brace of no block": "foo()\n}",
        "one at the file's depth, one at the margin": "foo()\n        a()\nb()",
        "less deep than the lines on both sides": "foo() and\n    more()",
    },
)
def test_what_can_be_read_in_two_ways_is_refused(new: str) -> None:
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of("foo()", new))


@cases("tail", TAILS)
@pytest.mark.parametrize("blanks", ["", " "], ids=["as it stands", "with other blanks"])
def test_a_line_that_stays_is_not_moved_to_the_margin(blanks: str, tail: str) -> None:
    """Its new neighbour is as deep as the file; the line itself is quoted without that depth."""
    old = f"foo({blanks}){tail}"
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of(old, f"        bar()\n{old}"))


def test_a_block_may_end_behind_new_lines_as_deep_as_the_file() -> None:
    after = PYTHON.replace("        baz()\n", "        bar()\n\nclass B:\n    pass\n").encode()
    assert edited(PYTHON, edit_of("baz( )\n", "        bar()\n\nclass B:\n    pass\n")) == after

"""The second and third tier: the same text, however it is spaced, and however it is typeset."""

from itertools import product

import pytest

from hkgit.errors import Ambiguous, Conflict, InvalidInput, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases

INDENTED = "class A:\n    def f(self):\n        if a:\n            b()\n        c()\n"


@cases(
    {
        "file has trailing blanks": ("a  \nb\n", "a\nb\n", "a\nc\n", b"a  \nc\n"),
        "edit has trailing blanks": ("a\nb\n", "a  \nb\n", "a  \nc\n", b"a\nc\n"),
        "file is CRLF": ("a\r\nb\r\n", "a\nb\n", "a\nc\nd\n", b"a\r\nc\r\nd\r\n"),
        "edit is CRLF": ("a\nb\n", "a\r\nb\r\n", "a\r\nc\r\n", b"a\nc\n"),
        "each line keeps its end": ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nc\n", b"a\r\nx\nc\r\n"),
        "edit drops a blank line": ("a\n\nb\n", "a\nb\n", "a\nc\n", b"a\n\nc\n"),
        "edit adds a blank line": ("a\nb\n", "a\n\nb\n", "a\n\nc\n", b"a\nc\n"),
        "inner blanks": ("f(a,b)\nx\n", "f(a, b)\nx\n", "f(a, b)\ny\n", b"f(a,b)\ny\n"),
        "in the same line": ("x  = f(a)\n", "x = f(a)\n", "x = f(b)\n", b"x  = f(b)\n"),
        "inside a line": ("f( a )  + 1\n", "f( a ) + 1", "g( a ) + 1", b"g( a )  + 1\n"),
    },
)
def test_other_blanks_are_found_and_the_file_s_are_kept(
    text: str, old: str, new: str, after: bytes
) -> None:
    assert edited(text, edit_of(old, new)) == after


BLOCK = "if a:\n    b()\n    if d:\n        e()\n"


def indent(block: str, margin: str, unit: str) -> str:
    """Indent a block by a margin, with its own unit for four spaces."""
    lines = block.replace("    ", unit).splitlines(keepends=True)
    return "".join(margin + line for line in lines)


@cases(
    {
        "dedented": ("", "    "),
        "indented by a unit": (" " * 12, "    "),
        "tabs for spaces": ("\t\t", "\t"),
        "two spaces for four": ("    ", "  "),
    },
)
def test_new_lines_are_indented_in_the_file_s_unit(margin: str, unit: str) -> None:
    edit = edit_of(indent(BLOCK[:14], margin, unit), indent(BLOCK, margin, unit))
    here, after = (indent(block, " " * 8, "    ") for block in (BLOCK[:14], BLOCK))
    assert edited(INDENTED, edit) == INDENTED.replace(here, after).encode()


ALIGNED = (
    "<p>\n  <b>\n    x\n  </b>\n</p>\n" * 3
    + "<s>\n"
    + "     y\n" * 20
    + "</s>\n"
    + "<ul>\n  <li>\n      <a>\n"
)
DEEP = "f {\n    a {\n        b;\n    }\n}\n"


@cases(
    {
        "the first line alone has lost its indentation": (
            INDENTED,
            "if a:\n            b()",
            "if a:\n            d()",
            INDENTED.replace("b()", "d()"),
        ),
        "a file of tabs": (
            "f:\n\tif a:\n\t\tb()\n",
            "    if a:\n        b()\n",
            "    if a:\n        b()\n        c()\n            d()\n",
            "f:\n\tif a:\n\t\tb()\n\t\tc()\n\t\t\td()\n",
        ),
        "the step that prevails, though lines are aligned": (
            ALIGNED,
            "            <a>\n",
            "            <a>\n                <i>\n",
            f"{ALIGNED}        <i>\n",
        ),
        "a tab that is half a level": (
            DEEP,
            DEEP.replace("    ", "\t\t"),
            DEEP.replace("    ", "\t\t").replace("\t\t\t\tb", "\t\t\tc"),
            DEEP.replace("        b", "      c"),
        ),
        "half a level of the author's": (
            DEEP,
            DEEP.replace("    ", " " * 8),
            DEEP.replace("    ", " " * 8).replace(" " * 16, " " * 12),
            DEEP.replace(" " * 8, " " * 6),
        ),
        "no indentation of a blank line": (
            "def f():\n    a()\n    return b\n",
            "return b",
            "\nreturn b",
            "def f():\n    a()\n\n    return b\n",
        ),
        "blanks that are changed alone": ("a:\nb\n", "a:\nb\n", "a:\n    b\n", "a:\n    b\n"),
    },
)
def test_the_unit_of_either_side_is_learnt(text: str, old: str, new: str, after: str) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


def test_an_indentation_that_cannot_be_told_is_refused() -> None:
    text = "a:\n    b:\n        c\nd\n"
    edit = edit_of("    d\n", "    d\n    e:\n      f\n      g:\n        h\n")
    with pytest.raises(Conflict, match="indented"):
        edited(text, edit)


@cases(
    {
        "at two depths": ("  a\nx\n    a\n", "a \n"),
        "with blanks elsewhere": ("f(a,b)\nf(a , b)\n", "f(a, b)\n"),
        "with other blank lines": ("a\n\nb\nx\na\n\n\nb\n", "a\nb\n"),
    },
)
def test_two_places_that_differ_in_blanks_are_ambiguous(text: str, old: str) -> None:
    with pytest.raises(Ambiguous):
        placed(text, edit_of(old, "new\n"))


def test_a_name_is_not_found_by_leaving_out_blanks_inside_a_line() -> None:
    with pytest.raises(NoMatch):
        placed("x = async def f(a)\n", edit_of("    def  f(a)", "    def g(a)"))


NESTED = "if a {\n    if b {\n        call(x);\n    }\n}\nend();\n"


@cases(
    {
        "a line below": "        call(x);\n}\nlog();\n",
        "a line above that is less indented": "        call(x);\n    log();\n}\n",
    },
)
def test_of_two_brackets_the_inner_one_may_have_been_left_out(new: str) -> None:
    with pytest.raises(Ambiguous):
        edited(NESTED, edit_of("        call(x);\n}\n", new))


@cases(
    {
        "a line above it is rewritten": ("call(y);\n", "        call(y);\n    }"),
        "one is added to that": ("call(x);\n        go();\n", "go();\n    }"),
    },
)
def test_a_bracket_that_is_indented_otherwise_is_context(new: str, there: str) -> None:
    edit = edit_of("        call(x);\n}\n", f"        {new}}}\n")
    assert there.encode() in edited(NESTED, edit)


@pytest.mark.parametrize("blanks", ["\n\t", "\n  ", "\n\n "])
def test_a_line_that_the_old_text_ends_is_not_found_within_a_longer_one(blanks: str) -> None:
    assert edited("x\n  f( 1)  \n", edit_of(f"f( 1){blanks}", f"g(1){blanks}")) == b"x\n  g(1)  \n"
    for rest, new in product((" {}\n", " z\ny\n"), ("g(1)", "g(1)\nh(2)", "g(1)\n\t", "")):
        with pytest.raises(NoMatch):
            placed(f"x\nf( 1){rest}", edit_of(f"f( 1){blanks}", new))


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quoted_line_without_its_indentation_gives_it_to_all_new_lines(end: str) -> None:
    """A line without any, further down, cannot stand where the file goes on with indented ones."""
    text = "f() {\n  if (a)\n  {\n    say (a);\n  }\n}\n"
    new = "if (!b)\n  say(a);\nreturn;"
    after = text.replace("    say (a);", "    if (!b)\n      say(a);\n    return;")
    assert edited(text, edit_of(f"say (a);{end}", f"{new}{end}")) == after.encode()


@cases(
    {
        "quotes in the file": ("“a”\nb\n", '"a"\nb\n', '"a"\nc\n', "“a”\nc\n"),
        "quotes in the edit": ('"a"\nb\n', "“a”\nb\n", "“a”\nc\n", '"a"\nc\n'),
        "an apostrophe": ("it\u2019s\nb\n", "it's\nb\n", "it's\nc\n", "it\u2019s\nc\n"),
        "a dash": ("a \u2013 b\nc\n", "a - b\nc\n", "a - b\nd\n", "a \u2013 b\nd\n"),
        "a dash typed as two": ("a—b\nc\n", "a--b\nc\n", "a--b\nd\n", "a—b\nd\n"),
        "a hard blank": ("a\u00a0b\nc\n", "a b\nc\n", "a b\nd\n", "a\u00a0b\nd\n"),
        "an ellipsis": ("a…\nc\n", "a...\nc\n", "a...\nd\n", "a…\nd\n"),
        "a composed letter": ("e\u0301\nc\n", "é\nc\n", "é\nd\n", "e\u0301\nd\n"),
        "zero width": ("a\u200bb\nc\n", "ab\nc\n", "ab\nd\n", "a\u200bb\nd\n"),
        "in the line itself": ("say “a” now\n", 'say "a" now\n', 'say "b" now\n', "say “b” now\n"),
    },
)
def test_typography_is_found_and_the_file_s_is_kept(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


def test_the_tier_is_named() -> None:
    assert placed("“a”\n", edit_of('"a"\n', "b\n")).tier == "unicode"


def test_new_text_is_written_as_the_author_has_it() -> None:
    assert edited("a\nb\n", edit_of("a\n", "a\n“c”\n")) == "a\n“c”\nb\n".encode()


@cases(
    {
        "the old text has none": ("a(b)\n", "a(b)\n"),
        "the file has that of the old text": ("a(“b”)\n", "a(“b”)\n"),
        "the file has that of the new text": ('a("b")\n# —\n', "a(“b”)\n"),
    },
)
def test_new_text_may_bring_typography_that_no_copy_put_there(text: str, old: str) -> None:
    assert "# —".encode() in edited(text, edit_of(old, "c()\n# —\n"))


def test_typography_that_a_copy_put_into_both_texts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the new text —"):
        edited('run("a -- b")\n', edit_of("run(“a -- b”)\n", "run(“c —”)\n"))


def test_a_further_line_of_the_author_s_is_not_spelt_as_one_that_stays() -> None:
    edit = edit_of("---\nold\n---\n", "---\nnew\n---\nold\n---\n")
    assert edited("\u2014-\nold\n---\n", edit) == "\u2014-\nnew\n---\nold\n---\n".encode()


def test_a_line_that_is_moved_keeps_the_file_s_spelling() -> None:
    edit = edit_of('"a"\nb\nc\n', 'b\nc\n"a"\n')
    assert edited("“a”\nb\nc\n", edit) == "b\nc\n“a”\n".encode()

"""Escapes that models write for tabs, backquotes and line ends are undone, or refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import HkgitError, InvalidInput, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases
from tests.support.properties import examples

TABBED = "func f() {\n\tfor {\n\t\tg()\n\t}\n}\n"
TEMPLATE = "const s = `a ${b}`;\nconst t = `c`;\n"


def escape_tabs(text: str) -> str:
    return re.sub(r"^\t+", lambda found: found[0].replace("\t", "\\t"), text, flags=re.MULTILINE)


@cases(
    "text, old, new, after, repair",
    {
        "tabs": (
            TABBED,
            "\\tfor {\n\\t\\tg()\n",
            "\\tfor x {\n\\t\\tg(x)\n",
            TABBED.replace("for", "for x").replace("g()", "g(x)"),
            "tabs",
        ),
        "a template": (
            TEMPLATE,
            "const s = \\`a \\${b}\\`;\nconst t = \\`c\\`;\n",
            "const s = \\`a \\${z}\\`;\nconst t = \\`d\\`;\n",
            TEMPLATE.replace("{b}", "{z}").replace("`c`", "`d`"),
            "quotes",
        ),
        "the dollar alone": (
            TEMPLATE,
            "const s = `a \\${b}`;\n",
            "const s = `a \\${z}`;\n",
            TEMPLATE.replace("{b}", "{z}"),
            "quotes",
        ),
    },
)
def test_an_escape_of_both_texts_is_undone(
    text: str, old: str, new: str, after: str, repair: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()
    assert placed(text, edit_of(old, new)).repairs == (repair,)


def test_backquotes_of_which_one_stands_as_it_is_are_text() -> None:
    with pytest.raises(HkgitError):
        edited(TEMPLATE, edit_of("const t = \\`c`;\n", "const t = \\`d`;\n"))


@cases(
    "text, old, new, message",
    {
        "tabs": (TABBED, "\t\tg()\n", "\t\tg()\n\\t\\th()\n", r"\\t instead"),
        "half of them": (TABBED, "\t\tg()\n", "\t\\th()\n", r"\\t instead"),
        "a line end": ("alpha\nbeta\ngamma\n", "alpha\nbeta\n", "alpha\\nBETA\n", r"\\n instead"),
        "a line end of Windows": (
            "alpha\nbeta\ngamma\n",
            "beta\ngamma\n",
            "BETA\\r\\ngamma\n",
            r"\\n instead",
        ),
    },
)
def test_an_escape_of_the_new_text_alone_is_refused(
    text: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as refusal:
        edited(text, edit_of(old, new))
    assert "in JSON" in refusal.value.fix
    meant = new.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t")
    assert edited(text, edit_of(old, meant)) == text.replace(old, meant).encode()


@cases(
    "text, old, new",
    {
        "TeX": ("\tx\n\\title{a}\n", "\\title{a}\n", "\\title{b}\n\\textit{c}\n"),
        "a file without tabs": ("    x\n", "    x\n", "    x\n\\t y\n"),
        "text": ('print("alpha")\nprint("beta")\n', None, 'print("alpha\\nbeta")\n'),
        "a shell's": ("echo alpha\necho beta\n", None, "echo alpha\\n\n"),
        "one line by one": ("alpha\n", None, "alpha\\nbeta\n"),
    },
)
def test_a_backslash_that_may_be_meant_is_written(text: str, old: str | None, new: str) -> None:
    old = text if old is None else old
    assert edited(text, edit_of(old, new)) == text.replace(old, new).encode()


names = st.lists(st.sampled_from(["a()", "b(1)", "if c {", "}", "d = 2"]), min_size=3, max_size=7)
depths = st.lists(st.integers(0, 3), min_size=7, max_size=7)


@examples(60)
@given(names, depths, st.data())
def test_escaped_tabs_end_as_tabs_or_are_refused(
    words: list[str], deep: list[int], data: st.DataObject
) -> None:
    # A file in which nothing is indented by a tab does not tell what was meant.
    deep[0] = max(deep[0], 1)
    lines = ["\t" * n + f"{w} // {i}" for i, (w, n) in enumerate(zip(words, deep, strict=False))]
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    text, old = ("".join(f"{line}\n" for line in part) for part in (lines, lines[first : last + 1]))
    new = old.replace(" // ", "  /// ") + "\t" * data.draw(st.integers(0, 3)) + "added()\n"
    try:
        after = edited(text, edit_of(escape_tabs(old), escape_tabs(new)))
    except (InvalidInput, NoMatch):
        assert "\t" in new
        assert "\t" not in old
        return
    assert after == text.replace(old, new, 1).encode()

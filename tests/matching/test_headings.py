"""The line behind the numbers of a hunk chooses between equal places, where the numbers agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hkgit
from hkgit.edits import Edit
from hkgit.errors import Ambiguous
from tests.matching.editing import edited, placed
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.repos import Repo

BODY = "    x = g()\n    return x\n"
NAMES = ["one", "two", "three", "four"]
TEXT = "".join(f"def {name}():\n{BODY}\n" for name in NAMES)


def edit_of(heading: str, hint: int | None = None) -> Edit:
    return Edit("f.py", "    x = g()\n", "    x = h()\n", line_hint=hint, heading=heading)


def changed(name: str) -> bytes:
    head, tail = TEXT.split(f"def {name}():\n")
    return f"{head}def {name}():\n{tail.replace('g()', 'h()', 1)}".encode()


@cases(
    "heading, hint",
    {
        "alone": ("def two():", None),
        "the beginning of it": ("def two", None),
        "and the line": ("def two():", 6),
        "and a line behind the file": ("def two():", 90),
        "of no line, and the line": ("def five():", 6),
        "half a word, and the line": ("def t", 6),
    },
)
def test_a_heading_chooses_the_place_in_its_block(heading: str, hint: int | None) -> None:
    assert edited(TEXT, edit_of(heading, hint)) == changed("two")


@cases(
    "heading, hint",
    {
        "another block than the line": ("def two():", 2),
        "of no line": ("def five():", None),
        "half a word": ("def t", None),
        "that opens no block": ("return x", None),
    },
)
def test_a_heading_that_does_not_tell_leaves_the_edit_ambiguous(
    heading: str, hint: int | None
) -> None:
    with pytest.raises(Ambiguous):
        placed(TEXT, edit_of(heading, hint))


def test_a_place_that_is_the_only_one_needs_no_heading() -> None:
    edit = Edit("f.py", "def two():\n", "def second():\n", heading="class Other:")
    assert edited(TEXT, edit) == TEXT.replace("two", "second").encode()


@cases("hint, ends", {"agrees": (6, True), "does not": (2, False)})
def test_the_numbers_of_a_patch_have_a_heading_too(hint: int, ends: bool) -> None:
    head = f"*** Begin Patch\n*** Update File: f.py\n@@ -{hint},1 +{hint},1 @@ def two():\n"
    result = hkgit.apply_edits(f"{head}-    x = g()\n+    x = h()\n*** End Patch\n", {"f.py": TEXT})
    assert result.files == ({"f.py": changed("two").decode()} if ends else {})


@examples(60)
@given(st.permutations(NAMES), st.sampled_from(NAMES), st.integers(0, 20) | st.none())
def test_a_heading_never_leads_into_another_block(
    order: list[str], name: str, hint: int | None
) -> None:
    text = "".join(f"def {each}():\n{BODY}\n" for each in order)
    try:
        after = edited(text, edit_of(f"def {name}():", hint)).decode()
    except Ambiguous:
        assert hint is not None
        return
    assert after == text.replace(f"{name}():\n    x = g()", f"{name}():\n    x = h()")


def test_a_diff_of_git_finds_its_function_in_a_file_that_has_moved(repo: Repo) -> None:
    repo.write("f.py", TEXT)
    repo.git("add", ".")
    for name in NAMES[:2]:
        repo.write("f.py", changed(name).decode())
        diff = repo.git("diff", "--unified=0", "--", "f.py")
        for above in ("", "# moved\n" * 3, "# moved\n" * 9):
            result = hkgit.apply_edits(diff, {"f.py": above + TEXT})
            if not above or result.ok:
                assert result.files == {"f.py": above + changed(name).decode()}

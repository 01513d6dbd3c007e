"""What chooses between equal places: a hash that holds, a line hint, a heading; nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hkgit
from hkgit.edits import END_OF_FILE, Edit
from hkgit.errors import Ambiguous
from hkgit.matching.ladder import locate
from hkgit.matching.place import THRESHOLD
from tests.matching.editing import document_of, edited, placed
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.repos import Repo

TEXT = "one\na\nb\ntwo\na\nb\nthree\na\nb\n"
EDIT = Edit("f.py", "a\nb\n", "c\n")


def line_of(edit: Edit, held: set[int] | None = None) -> int:
    """The line where an edit lands, if the hash holds at the lines `held`."""
    document = document_of(TEXT)
    holds = None if held is None else lambda place: document.line_at(place.start) in held
    return document.line_at(locate(document, edit, THRESHOLD, holds).places[0].start)


@cases(
    {
        "at the first": (2, 2),
        "at the second": (5, 5),
        "nearest to the third": (9, 8),
        "before the file": (0, 2),
        "at the end of the file": (END_OF_FILE, 8),
    },
)
def test_a_line_hint_chooses_the_place_that_it_is_at(hint: int, line: int) -> None:
    assert line_of(replace(EDIT, line_hint=hint)) == line


@cases(
    {
        "between two places": (TEXT, "a\nb\n", 7),
        "behind the file": (TEXT, "a\nb\n", 80),
        "at the end, where no place is": (f"{TEXT}end\n", "a\nb\n", END_OF_FILE),
        "further off than it reaches": ("a\nb\n" + "\n" * 9 + "a\nb\n", "a\nb\n", 4),
        "near a blank line": ("a\n\nb\n" + "c\n" * 9 + "\n", "\n", 3),
    },
)
def test_a_line_hint_that_does_not_tell_leaves_the_edit_ambiguous(
    text: str, old: str, hint: int
) -> None:
    with pytest.raises(Ambiguous):
        placed(text, Edit("f.py", old, "c\n", line_hint=hint))


def test_a_hash_that_holds_at_one_place_chooses_it_and_outweighs_a_hint() -> None:
    assert line_of(EDIT, {5}) == 5
    assert line_of(replace(EDIT, line_hint=2), {8}) == 8


@cases({"at two": {2, 5}, "at none": set()})
def test_a_hash_that_does_not_tell_leaves_the_edit_ambiguous(held: set[int]) -> None:
    with pytest.raises(Ambiguous):
        line_of(EDIT, held)


def test_the_refusal_shows_how_the_places_differ() -> None:
    with pytest.raises(Ambiguous, match="at lines 2, 5, 8") as refusal:
        line_of(EDIT)
    assert [near.start_line for near in refusal.value.near] == [1, 4, 7]


def test_places_that_have_no_line_in_common_are_rivals() -> None:
    """Of the old text only its last line is there, twice but for its indentation."""
    text = "g(a, b) rest\n    g(a, b) rest\n        n = 1(q)\n"
    edit = Edit("f.py", "rest\n\n    g(a, b) rest", "rest\n    g(a, b) rest\n    ADD")
    with pytest.raises(Ambiguous):
        placed(text, edit)


BODY = "    x = g()\n    return x\n"
NAMES = ["one", "two", "three", "four"]
BLOCKS = "".join(f"def {name}():\n{BODY}\n" for name in NAMES)


def edit_of(heading: str, hint: int | None = None) -> Edit:
    return Edit("f.py", "    x = g()\n", "    x = h()\n", line_hint=hint, heading=heading)


def changed(name: str) -> bytes:
    head, tail = BLOCKS.split(f"def {name}():\n")
    return f"{head}def {name}():\n{tail.replace('g()', 'h()', 1)}".encode()


@cases(
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
    assert edited(BLOCKS, edit_of(heading, hint)) == changed("two")


@cases(
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
        placed(BLOCKS, edit_of(heading, hint))


def test_a_place_that_is_the_only_one_needs_no_heading() -> None:
    edit = Edit("f.py", "def two():\n", "def second():\n", heading="class Other:")
    assert edited(BLOCKS, edit) == BLOCKS.replace("two", "second").encode()


@cases({"agrees": (6, True), "does not": (2, False)})
def test_the_numbers_of_a_patch_have_a_heading_too(hint: int, ends: bool) -> None:
    head = f"*** Begin Patch\n*** Update File: f.py\n@@ -{hint},1 +{hint},1 @@ def two():\n"
    result = hkgit.apply_edits(
        f"{head}-    x = g()\n+    x = h()\n*** End Patch\n", {"f.py": BLOCKS}
    )
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
    repo.write("f.py", BLOCKS)
    repo.git("add", ".")
    for name in NAMES[:2]:
        repo.write("f.py", changed(name).decode())
        diff = repo.git("diff", "--unified=0", "--", "f.py")
        for above in ("", "# moved\n" * 3, "# moved\n" * 9):
            result = hkgit.apply_edits(diff, {"f.py": above + BLOCKS})
            if not above or result.ok:
                assert result.files == {"f.py": above + changed(name).decode()}

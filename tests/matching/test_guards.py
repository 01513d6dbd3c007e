"""What nobody means to write into a file is refused."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases

TEXT = "def f():\n    a = 1\n    b = 2\n    c = 3\n"


@cases(
    {
        "existing code": "    # ... existing code ...",
        "the rest of the code": "    // rest of the code unchanged",
        "unchanged": "    # ... (unchanged) ...",
        "the rest of the function": "    /* ... rest of the function ... */",
        "other methods": "    # … other methods remain the same …",
        "remaining content": "    <!-- remaining content stays the same -->",
        "the rest of the methods": "    (rest of methods ...)",
        "unchanged code": "    // unchanged code ...",
        "nothing but unchanged": "    /* unchanged */",
        "same as before": "    # same as before",
        "dots": "    // ...",
    },
)
def test_a_placeholder_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput, match="instead of code"):
        edited(TEXT, edit_of("    b = 2\n", f"    b = 4\n{line}\n"))


@cases(
    {
        "an underline": "=======",
        "a remark about the rest": "# The rest of the arguments is passed on.",
        "documentation": "# ... the rest of your URLconf goes here ...",
        "existing users": "# existing users are kept",
    },
)
def test_lines_that_look_alike_are_written(line: str) -> None:
    after = edited(TEXT, edit_of("    b = 2\n", f"    b = 4\n{line}\n"))
    assert after == TEXT.replace("b = 2\n", f"b = 4\n{line}\n").encode()


@cases(
    {
        "a fence of its own": ("# A\n", "# B\n```go\n// ... existing fields\n```\n"),
        "a fence of the file": ("```\na\n# A\n```\n", "// ... existing fields\n"),
    },
)
def test_in_a_text_about_code_a_fence_may_leave_lines_out(text: str, new: str) -> None:
    edit = Edit("a.md", "# A\n", new)
    assert edited(text, edit) == text.replace("# A\n", new).encode()


FENCED = "```js\nconst a = first\nconst b = second\nconst c = third\n```\n"


@cases(
    {
        "in a fence, lines of code": (
            FENCED,
            Edit("a.md", "const b = second\nconst c = third\n", "// ... existing code ...\n"),
        ),
        "its end": (FENCED, Edit("a.md", "const c = third\n```\n", "// ... existing code ...\n")),
        "in prose": ("# A\nb\n", Edit("a.md", "b\n", "... existing content ...\n")),
        "below the underline of a title, which is no fence": (
            "Title\n~~~~~\n\nold\n\nNext\n~~~~\n",
            Edit("a.rst", "old\n\nNext\n", "// ... existing code ...\nnew\n\nNext\n"),
        ),
    },
)
def test_in_a_text_too_a_placeholder_does_not_stand_for_lines_that_go(
    text: str, edit: Edit
) -> None:
    with pytest.raises(InvalidInput, match="instead of code"):
        edited(text, edit)


@cases(
    {
        "between lines": "def f():\n    ...\n    c = 3\n",
        "at the end of a body": "def f():\n    a = 1\n    ...\n",
        "at the top": "...\n    c = 3\n",
    },
)
def test_three_dots_in_the_place_of_lines_are_refused(new: str) -> None:
    with pytest.raises(InvalidInput, match=r"'\.\.\.' where the old one has lines"):
        edited(TEXT, edit_of(TEXT, new))


@cases(
    {
        "an empty body": (TEXT, "def f():\n    ...\n"),
        "with its remark": (TEXT, 'def f():\n    """F."""\n    ...\n\n\nx = 1\n'),
        "where nothing is removed": ("    c = 3\n", "    c = 3\n...\n"),
    },
)
def test_three_dots_that_are_code_are_written(old: str, new: str) -> None:
    assert edited(TEXT, edit_of(old, new)) == TEXT.replace(old, new).encode()


def test_line_numbers_in_new_lines_alone_are_refused() -> None:
    with pytest.raises(InvalidInput, match="line number"):
        edited(TEXT, edit_of("    b = 2\n", "3|    b = 4\n4|    d = 5\n"))


@cases(
    {
        "above": ("    b = 2\n", "    a = 1\n    b = 4\n", ("the first new line repeats line 2",)),
        "below": ("    b = 2\n", "    b = 4\n    c = 3\n", ("the last new line repeats line 4",)),
        "neither": ("    b = 2\n", "    b = 4\n", ()),
    },
)
def test_a_line_that_is_doubled_at_the_border_is_reported(
    old: str, new: str, notes: tuple[str, ...]
) -> None:
    assert placed(TEXT, edit_of(old, new)).notes == notes

"""What nobody means to write into a file is refused."""

from __future__ import annotations

import pytest

from hkgit.errors import InvalidInput
from tests.matching.editing import edit_of, edited, placed

TEXT = "def f():\n    a = 1\n    b = 2\n    c = 3\n"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(">>>>>>> REPLACE", id="the tail of a block"),
        pytest.param("<<<<<<< SEARCH", id="the head of a block"),
        pytest.param("+++++++ REPLACE", id="the tail of the other kind"),
        pytest.param("*** End Patch", id="the end of a patch"),
        pytest.param("*** Update File: a.py", id="a section of a patch"),
        pytest.param("@@ -1,2 +1,2 @@", id="the head of a hunk"),
        pytest.param("    # ... existing code ...", id="existing code"),
        pytest.param("    // rest of the code unchanged", id="the rest of the code"),
        pytest.param("    # ... (unchanged) ...", id="unchanged"),
        pytest.param("    /* ... rest of the function ... */", id="the rest of the function"),
        pytest.param("    # … other methods remain the same …", id="other methods"),
        pytest.param("    <!-- remaining content stays the same -->", id="remaining content"),
    ],
)
def test_a_marker_or_a_placeholder_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput, match="the new text has"):
        edited(TEXT, edit_of("    b = 2\n", f"    b = 4\n{line}\n"))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("=======", id="an underline"),
        pytest.param("# The rest of the arguments is passed on.", id="a remark about the rest"),
        pytest.param("# ... the rest of your URLconf goes here ...", id="documentation"),
        pytest.param("# existing users are kept", id="existing users"),
    ],
)
def test_lines_that_look_alike_are_written(line: str) -> None:
    after = edited(TEXT, edit_of("    b = 2\n", f"    b = 4\n{line}\n"))
    assert after == TEXT.replace("b = 2\n", f"b = 4\n{line}\n").encode()


def test_a_marker_that_the_file_has_may_be_written_again() -> None:
    text = "Write\n>>>>>>> REPLACE\nhere.\n"
    edit = edit_of("here.\n", "here:\n>>>>>>> REPLACE\n")
    assert edited(text, edit) == b"Write\n>>>>>>> REPLACE\nhere:\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("def f():\n    ...\n    c = 3\n", id="between lines"),
        pytest.param("def f():\n    a = 1\n    ...\n", id="at the end of a body"),
        pytest.param("...\n    c = 3\n", id="at the top"),
    ],
)
def test_three_dots_in_the_place_of_lines_are_refused(new: str) -> None:
    with pytest.raises(InvalidInput, match=r"'\.\.\.' where the old one has lines"):
        edited(TEXT, edit_of(TEXT, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(TEXT, "def f():\n    ...\n", id="an empty body"),
        pytest.param(TEXT, 'def f():\n    """F."""\n    ...\n\n\nx = 1\n', id="with its remark"),
        pytest.param("    c = 3\n", "    c = 3\n...\n", id="where nothing is removed"),
    ],
)
def test_three_dots_that_are_code_are_written(old: str, new: str) -> None:
    assert edited(TEXT, edit_of(old, new)) == TEXT.replace(old, new).encode()


def test_line_numbers_in_new_lines_alone_are_refused() -> None:
    with pytest.raises(InvalidInput, match="line number"):
        edited(TEXT, edit_of("    b = 2\n", "3|    b = 4\n4|    d = 5\n"))


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        pytest.param(
            "    b = 2\n", "    a = 1\n    b = 4\n", ("the first new line repeats line 2",),
            id="above",
        ),
        pytest.param(
            "    b = 2\n", "    b = 4\n    c = 3\n", ("the last new line repeats line 4",),
            id="below",
        ),
        pytest.param("    b = 2\n", "    b = 4\n", (), id="neither"),
    ],
)
def test_a_line_that_is_doubled_at_the_border_is_reported(
    old: str, new: str, notes: tuple[str, ...]
) -> None:
    assert placed(TEXT, edit_of(old, new)).notes == notes

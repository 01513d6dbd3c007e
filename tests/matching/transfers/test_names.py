"""A name that the file has otherwise, and the author's new lines use."""

from __future__ import annotations

import pytest

from hkgit.errors import Conflict
from tests.matching.editing import edit_of, edited
from tests.support.cases import cases

TEXT = """def area(width, height):
    check_all(height)
    size = width * height
    log_size(size)
    return size
"""


def test_a_name_that_the_file_has_not_is_not_written() -> None:
    old = TEXT.replace("width * height", "breadth * height")
    new = old.replace("    return", "    check(breadth)\n    return")
    with pytest.raises(Conflict, match="the new lines use 'breadth'"):
        edited(TEXT, edit_of(old, new))


def test_new_lines_are_written_as_their_author_wrote_them() -> None:
    old = TEXT.replace("width * height", "breadth * height")
    new = old.replace("    return", "    check(height)\n    return")
    assert b"    size = width * height\n    log_size(size)\n    check(height)\n" in edited(
        TEXT, edit_of(old, new)
    )


@cases(
    "here, quoted, new",
    {
        "self.db": ("self.db.query(x)", "db.query(x)", "db.commit(x)"),
        "css": (".user-profile-card {", ".profile-card {", ".profile-card:hover {"),
    },
)
def test_a_part_of_a_longer_name_is_never_carried_into_new_lines(
    here: str, quoted: str, new: str
) -> None:
    text = f"first_line(1)\n{here}\nsecond_line(2)\nfourth_line(4)\nthird_line(3)\n"
    old = text.replace(here, quoted)
    with pytest.raises(Conflict, match="a name that this line does not have"):
        edited(text, edit_of(old, old.replace("third", f"{new}\nthird")))

"""A rename that the file carries and the author did not know."""

from __future__ import annotations

import pytest

from hkgit.errors import Conflict, NoMatch
from tests.matching.editing import edit_of, edited, placed

TEXT = "def f(user_id):\n    check(user_id)\n    log(user_id)\n    return 1\n"
OLD = "def f(uid):\n    check(uid)\n    log(uid)\n    return 1\n"


def test_it_is_carried_into_new_lines() -> None:
    new = OLD.replace("return 1", "return load(uid)")
    after = TEXT.replace("return 1", "return load(user_id)").encode()
    assert edited(TEXT, edit_of(OLD, new)) == after


def test_it_is_carried_into_lines_that_are_removed() -> None:
    new = OLD.replace("log(uid)", "log(uid, 2)")
    after = TEXT.replace("log(user_id)", "log(user_id, 2)").encode()
    assert edited(TEXT, edit_of(OLD, new)) == after


def test_it_is_named_and_lowers_the_confidence() -> None:
    located = placed(TEXT, edit_of(OLD, OLD.replace("return 1", "return load(uid)")))
    assert located.repairs == ("renamed uid to user_id",)
    assert located.confidence < placed(TEXT, edit_of(TEXT, TEXT.replace("1", "2"))).confidence


def test_the_old_text_is_as_alike_as_its_author_wrote_it() -> None:
    located = placed(TEXT, edit_of(OLD, OLD.replace("return 1", "return load(uid)")))
    assert located.tier == "fuzzy"
    assert 800 <= located.similarity < 1000


def test_it_is_not_carried_below_the_threshold() -> None:
    edit = edit_of(OLD, OLD.replace("return 1", "return load(uid)"))
    with pytest.raises(NoMatch):
        placed(TEXT, edit, 950)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        pytest.param(
            TEXT + "uid = 0\n",
            "return load(uid)",
            id="the file has the old name elsewhere",
        ),
        pytest.param(TEXT, "return load(uid, user_id)", id="the author knows the new name"),
        pytest.param(
            TEXT.replace("log(user_id)", "log(ident)"),
            "return load(uid)",
            id="it is not consistent",
        ),
    ],
)
def test_it_is_not_carried_where_it_is_not_sure(text: str, new: str) -> None:
    try:
        after = edited(text, edit_of(OLD, OLD.replace("return 1", new)))
    except (Conflict, NoMatch):
        return
    assert new.encode() in after


@pytest.mark.parametrize(
    ("old", "here"),
    [
        pytest.param("limit_1", "limit_2", id="a number in a name"),
        pytest.param("True", "False", id="a literal"),
    ],
)
def test_another_value_is_no_rename(old: str, here: str) -> None:
    text = f"begin(here)\nset_first({here})\nset_second({here})\nfinish(here)\n"
    edit = edit_of(text.replace(here, old), text.replace(here, old).replace("second", "third"))
    with pytest.raises((Conflict, NoMatch)):
        edited(text, edit)


def test_a_short_name_that_the_file_has_not_is_not_written() -> None:
    text = "def area(width, height):\n    size = width * height\n    return size\n"
    old = text.replace("width", "w")
    with pytest.raises(Conflict, match="'width' where the edit says 'w'"):
        edited(text, edit_of(old, old.replace("    return", "    check(w)\n    return")))

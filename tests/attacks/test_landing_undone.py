"""Attacks on what a ref has taken back: undone edits that merges bring again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hkgit.text.document import Document
from tests.attacks.landing import AUTH, NUMBERS, Landing
from tests.support.cases import cases
from tests.support.commands import AGENT
from tests.support.planning import Operation
from tests.support.planning import replace_range as replaced


def rename(path: str, new_path: str, text: str) -> Operation:
    return {"op": "rename_file", "path": path, "new_path": new_path} | _whole(text)


def create(path: str, text: str) -> Operation:
    return {"op": "create_file", "path": path, "new_text": text}


def delete(path: str, text: str) -> Operation:
    return {"op": "delete_file", "path": path} | _whole(text)


def _whole(text: str) -> Operation:
    return {"expected_hash": Document(text.encode()).whole_hash}


def an_undone_edit(landing: Landing, on: str) -> tuple[str, str]:
    """The commit of an edit, and main, which a later edit has put as it was."""
    bad = landing.edit("f", (5, "BAD"), on=on)
    return bad, landing.edit("f", (5, "5"), on=bad)


ATTACKS: dict[str, Callable[[Landing, str, str], tuple[str, str]]] = {
    "a copy": lambda landing, copy, main: (main, copy),
    "a copy and an edit": lambda landing, copy, main: (
        main,
        landing.edit("f", (50, "fifty"), on=copy),
    ),
    "a copy beside another bad line": lambda landing, copy, main: (
        landing.edit("f", (40, "BAD"), on=main),
        copy,
    ),
    # Git carries the change to the new name.
    "a copy of a renamed file": lambda landing, copy, main: (
        landing.apply(rename("f", "g", NUMBERS), on=main),
        copy,
    ),
}
"""Main, and a side with the undone change, made of main and a copy of it on the base."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_edit_that_a_later_one_undid_does_not_come_back_through_a_merge(
    strict: Landing, attack: str
) -> None:
    base = strict.clone.resolve("main")
    bad, main = an_undone_edit(strict, base)
    strict.take(f"{main}:main")
    copy = strict.commit(strict.clone.tree(bad), base)
    main, side = ATTACKS[attack](strict, copy, main)
    strict.land(main)
    for parents in ((main, side), (side, main)):
        merged = strict.merge(*parents)
        assert "had this entry already, and undid its change" in strict.refuse(f"{merged}:main")


@cases(
    "there, back",
    {
        "a created file": (create("new.py", "evil\n"), delete("new.py", "evil\n")),
        "a deleted file": (delete("auth.py", AUTH), create("auth.py", AUTH)),
        "deleted lines": (
            replaced("f", NUMBERS.encode(), 5, 6, ""),
            replaced("f", NUMBERS.replace("5\n6\n", "", 1).encode(), 4, 4, "4\n5\n6"),
        ),
        "a renamed file": (
            rename("README", "READ", "hello\nworld\n"),
            rename("READ", "README", "hello\nworld\n"),
        ),
    },
)
def test_what_an_undone_entry_did_to_a_file_does_not_come_back(
    strict: Landing, there: Operation, back: Operation
) -> None:
    base = strict.clone.resolve("main")
    bad = strict.apply(there, on=base)
    main = strict.apply(back, on=bad)
    strict.take(f"{main}:main")
    side = strict.commit(strict.clone.tree(bad), base)
    merged = strict.merge(main, side)
    assert strict.clone.tree(merged) != strict.clone.tree(main)
    strict.refuse(f"{merged}:main")


def test_an_undone_edit_that_is_made_again_comes_by_a_merge(strict: Landing) -> None:
    """The same line, written by an entry that main never had."""
    base = strict.clone.resolve("main")
    bad, main = an_undone_edit(strict, base)
    strict.take(f"{main}:main")
    copy = strict.commit(strict.clone.tree(bad), base)
    again = strict.edit("f", (5, "BAD"), on=strict.edit("f", (5, "so"), on=copy))
    strict.take(f"{strict.merge(main, again)}:main")


@pytest.mark.parametrize("is_renamed", [True, False], ids=["from a renamed file", "with more"])
def test_a_fix_that_both_sides_have_may_be_merged(strict: Landing, is_renamed: bool) -> None:
    base = strict.clone.resolve("main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    main = strict.clone.head if is_renamed else strict.edit("f", (20, "five"), on="work")
    strict.take(f"{main}:main")
    moved = rename("f", "g", strict.clone.show(fix, "f").decode())
    topic = strict.apply(moved, on=fix) if is_renamed else strict.edit("f", (30, "x"), on=fix)
    strict.take(f"{strict.merge(main, topic)}:main")


def test_twins_of_case_do_not_come_by_a_merge(strict: Landing) -> None:
    """Nor by a revert."""
    one = strict.create("Makefile", "a\n", on="main")
    two = strict.create("makefile", "b\n", on="main")
    assert "on some file systems" in strict.refuse(f"{strict.merge(one, two)}:main")
    removed = strict.apply(delete("Makefile", "a\n"), on=one)
    strict.create("makefile", "b\n", on=removed)
    strict.clone.git("revert", "--no-edit", removed, env=AGENT)
    assert "on some file systems" in strict.refuse("work:main")


def test_main_may_be_merged_into_a_topic_and_go_on_there(landing: Landing) -> None:
    topic = landing.edit("f", (38, "T38"), on="main")
    main = landing.edit("f", (2, "M2"), on="main")
    landing.land(main)
    landing.take(f"{landing.merge(topic, main)}:main")

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
    digest = Document(text.encode()).whole_hash
    return {"op": "rename_file", "path": path, "new_path": new_path, "expected_hash": digest}


def an_undone_edit(landing: Landing, on: str) -> tuple[str, str]:
    """The commit of an edit, and main, which a later edit has put as it was."""
    bad = landing.edit("f", (5, "BAD"), on=on)
    return bad, landing.edit("f", (5, "5"), on=bad)


def a_copy(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    return main, landing.commit(landing.clone.tree(bad), base)


def a_copy_and_an_edit(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    copy = landing.commit(landing.clone.tree(bad), base)
    return main, landing.edit("f", (50, "fifty"), on=copy)


def a_copy_beside_another_bad_line(
    landing: Landing, bad: str, base: str, main: str
) -> tuple[str, str]:
    """The line stands elsewhere too."""
    return landing.edit("f", (40, "BAD"), on=main), landing.commit(landing.clone.tree(bad), base)


def a_copy_of_a_renamed_file(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    """Git carries the change to the new name."""
    renamed = landing.apply(rename("f", "g", NUMBERS), on=main)
    return renamed, landing.commit(landing.clone.tree(bad), base)


@pytest.mark.sampled
@pytest.mark.parametrize("is_first", [True, False], ids=["main first", "main second"])
@pytest.mark.parametrize(
    "attack", [a_copy, a_copy_and_an_edit, a_copy_beside_another_bad_line, a_copy_of_a_renamed_file]
)
def test_an_edit_that_a_later_one_undid_does_not_come_back_through_a_merge(
    strict: Landing, attack: Callable[[Landing, str, str, str], tuple[str, str]], is_first: bool
) -> None:
    base = strict.clone.resolve("main")
    bad, main = an_undone_edit(strict, base)
    strict.take(f"{main}:main")
    main, side = attack(strict, bad, base, main)
    strict.land(main)
    merged = strict.merge(*((main, side) if is_first else (side, main)))
    assert "had this entry already, and undid its change" in strict.refuse(f"{merged}:main")


@cases(
    "there, back",
    {
        "a created file": (
            {"op": "create_file", "path": "new.py", "new_text": "evil\n"},
            {
                "op": "delete_file",
                "path": "new.py",
                "expected_hash": Document(b"evil\n").whole_hash,
            },
        ),
        "a deleted file": (
            {
                "op": "delete_file",
                "path": "auth.py",
                "expected_hash": Document(AUTH.encode()).whole_hash,
            },
            {"op": "create_file", "path": "auth.py", "new_text": AUTH},
        ),
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


def test_a_fix_that_both_sides_have_may_be_merged_from_a_renamed_file(strict: Landing) -> None:
    base = strict.clone.resolve("main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    main = strict.clone.head
    strict.take(f"{main}:main")
    text = strict.clone.show(fix, "f").decode()
    topic = strict.apply(rename("f", "g", text), on=fix)
    strict.take(f"{strict.merge(main, topic)}:main")


def test_a_fix_that_both_sides_have_may_be_merged_with_more(strict: Landing) -> None:
    base = strict.clone.resolve("main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    main = strict.edit("f", (20, "five"), on="work")
    strict.take(f"{main}:main")
    topic = strict.edit("f", (30, "thirty"), on=fix)
    strict.take(f"{strict.merge(main, topic)}:main")


def test_twins_of_case_do_not_come_by_a_merge(strict: Landing) -> None:
    one = strict.create("Makefile", "a\n", on="main")
    two = strict.create("makefile", "b\n", on="main")
    assert "on some file systems" in strict.refuse(f"{strict.merge(one, two)}:main")


def test_twins_of_case_do_not_come_by_a_revert(strict: Landing) -> None:
    one = strict.create("Makefile", "a\n", on="main")
    digest = Document(b"a\n").range_hash(1, 1)
    gone: Operation = {"op": "delete_file", "path": "Makefile", "expected_hash": digest}
    removed = strict.apply(gone, on=one)
    strict.create("makefile", "b\n", on=removed)
    strict.clone.git("revert", "--no-edit", removed, env=AGENT)
    assert "on some file systems" in strict.refuse("work:main")


def test_main_may_be_merged_into_a_topic_and_go_on_there(landing: Landing) -> None:
    topic = landing.edit("f", (38, "T38"), on="main")
    main = landing.edit("f", (2, "M2"), on="main")
    landing.land(main)
    landing.take(f"{landing.merge(topic, main)}:main")

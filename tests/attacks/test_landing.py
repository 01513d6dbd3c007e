"""Attacks on what a ref has, and on what it has taken back, through merges."""

from collections.abc import Callable

import pytest

from hkgit.text.document import Document
from tests.attacks.landing import AUTH, NUMBERS, Landing
from tests.support.cases import cases
from tests.support.commands import AGENT, git, hkgit
from tests.support.planning import Operation
from tests.support.planning import replace_range as replaced


def of_a_root(landing: Landing, *, main_first: bool = False) -> str:
    """A root makes the file, an edit of another file makes the merge one with an entry."""
    made = landing.create("auth.py", "def check(u): return True\n", on=landing.root())
    made = landing.create("README", "x\ny\n", on=made)
    last = landing.edit("README", (1, "hello"), on=made)
    tree = landing.overlaid("main", last)
    return landing.commit(tree, *(("main", made) if main_first else (made, "main")))


def of_a_root_with_main_first(landing: Landing) -> str:
    return of_a_root(landing, main_first=True)


def of_a_whole_file(landing: Landing) -> str:
    """The entry of the merge says every line, with the hash of what the root has made."""
    made = landing.create("auth.py", "def check(u): return False\n", on=landing.root())
    last = landing.edit("auth.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid("main", last), made, "main")


def below_another_merge(landing: Landing) -> str:
    """The side takes the older main in before the newer one, which then merges by itself."""
    side = of_a_root(landing)
    newer = landing.edit("f", (50, "fifty"), on="main")
    landing.land(newer)
    return landing.merge(newer, side)


def of_a_side_from_before_the_file(landing: Landing) -> str:
    """No new root: the side leaves main where the file was not yet, or was another."""
    old = landing.clone.resolve("main")
    newer = landing.create("new.py", AUTH, on=old)
    landing.land(newer)
    made = landing.create("new.py", "def check(u): return False\n", on=old)
    last = landing.edit("new.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid(newer, last), made, newer)


def of_what_was_a_line(landing: Landing) -> str:
    """The side knows the one line that the file had, and main has written it since."""
    old = landing.create("new.py", "pass\n", on="main")
    newer = landing.edit("new.py", (1, AUTH.rstrip("\n")), on=old)
    landing.land(newer)
    made = landing.edit("new.py", (1, "def check(u): return False"), on=old)
    last = landing.edit("new.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid(newer, last), made, newer)


def from_a_strange_base(landing: Landing) -> str:
    """What the root has as well is kept out once, and then merged from there by itself."""
    made = landing.create("f", "10\n11\n12\n13\n14\n", on=landing.root())
    made = landing.create("README", "x\ny\n", on=made)
    last = landing.edit("README", (1, "hello"), on=made)
    text = landing.overlaid("main", last)
    kept = landing.commit(landing.overlaid(text, "main"), "main", made)
    return landing.merge(kept, landing.edit("f", (3, "evil"), on=made))


def by_an_undone_merge(landing: Landing) -> str:
    """A merge with a root that holds nothing, taken back as if main had been brought by it."""
    made = landing.merge(landing.root(), "main")
    text = f"Revert\n\nThis reverts commit {made}, reversing\nchanges made to {made}^1.\n"
    named = landing.clone.resolve(f"{made}^1")
    text = text.replace(f"{made}^1", named)
    tree = landing.clone.resolve(f"{named}^{{tree}}")
    return landing.clone.git("commit-tree", tree, "-p", made, "-m", text, env=AGENT)


def of_a_file_that_was_there(landing: Landing) -> str:
    """What main has taken out comes back from a history of its own."""
    gone = landing.apply(
        {
            "op": "delete_file",
            "path": "auth.py",
            "expected_hash": Document(AUTH.encode()).range_hash(1, 2),
        },
        on="main",
    )
    landing.land(gone)
    return landing.merge(gone, landing.create("auth.py", "evil\n", on=landing.root()))


@pytest.mark.sampled
@cases(
    "attack",
    {
        "of a root": of_a_root,
        "of a root, with main first": of_a_root_with_main_first,
        "of a whole file": of_a_whole_file,
        "below another merge": below_another_merge,
        "of a side from before the file": of_a_side_from_before_the_file,
        "of what was a line": of_what_was_a_line,
        "from a strange base": from_a_strange_base,
        "by an undone merge": by_an_undone_merge,
        "of a file that was there": of_a_file_that_was_there,
    },
)
def test_a_file_is_not_overwritten_by_evidence_out_of_nothing(
    strict: Landing, attack: Callable[[Landing], str]
) -> None:
    made = attack(strict)
    assert "FAIL" in strict.refuse(f"{made}:main")


def test_the_gate_of_agents_takes_no_evidence_out_of_nothing(landing: Landing) -> None:
    landing.refuse(f"{of_a_root(landing)}:main")


@pytest.mark.parametrize("is_first", [True, False], ids=["main second", "main first"])
def test_a_history_without_the_refs_beginning_brings_not_even_new_files(
    strict: Landing, is_first: bool
) -> None:
    side = strict.create("lib/x.py", "x = 1\n", on=strict.root())
    side = strict.edit("lib/x.py", (1, "x = 2"), on=side)
    both = (side, "main") if is_first else ("main", side)
    assert "a history that began without it" in strict.refuse(f"{strict.merge(*both)}:main")


def diverged(landing: Landing) -> tuple[str, str]:
    """Main, which has changed lines 2, 20 and 38, and a topic that has changed line 38."""
    topic = landing.edit("f", (38, "T38"), on="main")
    main = landing.edit("f", (2, "M2"), (20, "M20"), (38, "M38"), on="main")
    landing.take(f"{main}:main")
    return main, topic


def test_a_merge_with_the_topic_first_drops_no_line_of_main(landing: Landing) -> None:
    main, topic = diverged(landing)
    made = landing.resolve(topic, main, (38, "R38"))
    assert f"hkgit apply --merge {topic[:12]} SPEC" in landing.refuse(f"{made}:main")
    again = landing.resolve(main, topic, (38, "R38"))  # as the advice says
    landing.take(f"{again}:main")


@pytest.mark.sampled
@cases(
    "lines, is_taken",
    {
        "all that main had": ([(2, "M2"), (20, "M20"), (38, "R38")], True),
        "as main has it": ([(2, "M2"), (20, "M20"), (38, "M38")], True),
        "the conflict as the topic has it": ([(2, "M2"), (20, "M20")], False),
        "another line 2": ([(2, "X"), (20, "M20"), (38, "R38")], False),
        "line 20 left out": ([(2, "M2"), (38, "R38")], False),
    },
)
def test_what_main_had_is_in_the_merge_or_said(
    strict: Landing, lines: list[tuple[int, str]], is_taken: bool
) -> None:
    main, topic = diverged(strict)
    done, said = strict.push(f"{strict.resolve(topic, main, *lines)}:main")
    assert done is is_taken, said


def test_a_merge_below_another_drops_no_line_of_main(strict: Landing) -> None:
    main, topic = diverged(strict)
    inner = strict.resolve(topic, main, (38, "R38"))
    newer = strict.create("new.py", "x\n", on=main)
    strict.land(newer)
    strict.refuse(f"{strict.merge(newer, inner)}:main")


def test_two_refs_of_one_push_do_not_vouch_for_each_other(strict: Landing) -> None:
    main, topic = diverged(strict)
    strict.push(f"{topic}:refs/heads/topic")
    made = strict.resolve(topic, main, (38, "R38"))
    args = (f"{made}:refs/heads/topic", f"{made}:refs/heads/main")
    done, said = git(strict.clone, "push", str(strict.server.path), *args, env=AGENT)
    assert not done, said
    assert "FAIL refs/heads/main" in said


def test_a_pruned_entry_does_not_come_back_through_a_merge(strict: Landing) -> None:
    base = strict.clone.resolve("main")
    bad = strict.edit("f", (5, "BAD"), on=base)
    good = strict.edit("f", (5, "5"), on=bad)
    strict.take(f"{good}:main")
    hkgit(strict.clone, "ledger", "prune", "-q", "--yes", env=AGENT)
    pruned = strict.clone.head
    strict.take(f"{pruned}:main")
    old = strict.commit(strict.clone.tree(bad), base)
    for parents in ((pruned, old), (old, pruned)):
        assert "had this entry already" in strict.refuse(f"{strict.merge(*parents)}:main")


def test_an_entry_that_was_reverted_does_not_come_back_through_a_merge(strict: Landing) -> None:
    base = strict.clone.resolve("main")
    bad = strict.edit("f", (5, "BAD"), on=base)
    strict.clone.git("revert", "--no-edit", "HEAD", env=AGENT)
    undone = strict.clone.head
    strict.take(f"{undone}:main")
    old = strict.commit(strict.clone.tree(bad), base)
    strict.refuse(f"{strict.merge(undone, old)}:main")
    strict.clone.git("revert", "--no-edit", undone, env=AGENT)
    again = strict.clone.head  # which is said to be what it is
    other = strict.edit("f", (50, "x"), on=undone)
    strict.take(f"{strict.merge(other, again)}:main")


def test_an_entry_that_was_carried_over_and_pruned_is_no_news(strict: Landing) -> None:
    """A fix of the topic that main has taken over before, and whose entry it has pruned since."""
    base = strict.clone.resolve("main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    strict.take("work:main")
    hkgit(strict.clone, "ledger", "prune", "-q", "--yes", env=AGENT)
    strict.take("work:main")
    pruned = strict.clone.head
    topic = strict.edit("f", (30, "thirty"), on=fix)
    strict.take(f"{strict.merge(pruned, topic)}:main")


# What a ref has taken back


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

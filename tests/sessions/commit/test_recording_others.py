"""What people, formatters, other sessions and other branches do, while a session's edits wait."""

from __future__ import annotations

import json

from tests.sessions.committing import LINES, PROVEN, Work
from tests.support.cases import cases
from tests.support.sessions import TextSession


def test_what_a_person_changed_in_between_is_theirs(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.write("a.py", b"by hand\n" + work.repo.read("a.py"))
    work.edit("line 25\n", "twenty-five\n")
    work.repo.git("add", "a.py")
    assert work.record() == ("a.py: no session's edits explain lines 1",)
    work.commit()
    assert work.verdict() == "mixed receipt"


def test_what_a_person_committed_in_between_is_carried(work: Work) -> None:
    work.edit("line 25\n", "twenty-five\n")
    work.repo.write("a.py", b"by hand\n" + work.repo.read("a.py"))
    work.pick("y", "n")
    work.repo.git("commit", "-q", "-m", "By hand")
    work.commit(add="a.py")
    assert work.verdict() == PROVEN


def test_an_edit_of_a_file_that_was_removed_is_passed_over(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("rm", "-q", "-f", "a.py")
    work.repo.write("new.py", "five\n")
    work.repo.git("add", "new.py")
    assert work.record() == ()


def test_an_edit_of_lines_that_nobody_has_committed_is_named_and_the_others_are_recorded(
    work: Work,
) -> None:
    work.repo.write("a.py", LINES + "by hand\nand this\n")
    work.desk.read("a.py")
    pairs = [("by hand\n", "by an agent\n"), ("line 5\n", "five\n"), ("and this\n", "or that\n")]
    edits = [{"file": "a.py", "old_text": old, "new_text": new} for old, new in pairs]
    assert work.desk.edit(json.dumps({"edits": edits})).ok
    work.repo.git("add", "a.py")
    first, third, rest = work.record()
    assert first.startswith("edit 1 of call 1, session task is not covered: a.py: the lines")
    assert third.startswith("edit 3 of call 1")
    assert rest == "a.py: no session's edits explain lines 31-32"
    work.commit()
    assert work.verdict() == "mixed receipt"


@cases(
    {
        "lines changed": ("x = 'five'\nprint( x )\n", 'x = "five"\nprint(x)\n', "5-6"),
        "lines joined": ("call(\n    one,\n    two,\n)\n", "call(one, two)\n", "5"),
    },
)
def test_a_formatter_changes_what_the_agent_wrote(
    written: str, formatted: str, lines: str, work: Work
) -> None:
    work.edit("line 5\n", written)
    work.repo.write("a.py", work.repo.read("a.py").decode().replace(written, formatted))
    work.repo.git("add", "a.py")
    assert work.record() == (f"a.py: no session's edits explain lines {lines}",)
    work.commit()
    assert work.verdict() == "mixed receipt"


def test_the_journal_of_another_branch_stays_out(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("stash", "-q")
    work.repo.git("switch", "-q", "-c", "other")
    work.edit("line 6\n", "six\n")
    work.repo.git("add", "a.py")
    assert work.record() == ()
    work.commit()
    first = work.verdict()
    work.repo.git("switch", "-q", "main")
    work.repo.git("stash", "pop", "-q")
    work.commit(add="a.py")
    assert [first, work.verdict()] == [PROVEN, PROVEN]


def test_two_sessions_in_one_checkout_are_both_recorded(work: Work) -> None:
    other = Work(work.repo, TextSession.open(work.repo.path, "other"))
    work.edit("line 5\n", "five\n")
    other.edit("five\n", "5\n")
    work.edit("5\n", "V\n")
    work.commit(add="a.py")
    assert work.verdict() == PROVEN


WHOLE = "hash of the whole file"


@cases(
    {
        "one place": ("line 5\n", "five\n", WHOLE, "strict hash"),
        "with --expect": ("line 5\n", "five\n", "--expect", "strict hash"),
        "a new file is expected absent": ("", "more\n", WHOLE, "strict hash"),
    },
)
def test_a_hash_of_a_whole_file_that_others_changed_is_one_of_the_lines_left(
    old: str, new: str, expected: str, verdict: str, work: Work
) -> None:
    work.repo.write("a.py", LINES + "by hand\n")
    whole = work.desk.read("a.py").range_hash
    fresh = TextSession.open(work.repo.path, "fresh")
    edit = {"file": "a.py" if old else "new.py", "old_text": old, "new_text": new}
    if expected == WHOLE and old:
        edit["expected_hash"] = str(whole)
    expects = [f"a.py={whole}"] if expected == "--expect" else []
    assert fresh.edit(json.dumps(edit), expect=expects).ok
    work.repo.write("a.py", work.repo.read("a.py").removesuffix(b"by hand\n"))
    work.commit(add="-A")
    assert work.verdict() == verdict


def test_a_file_that_a_person_moved_away_takes_its_edits_with_it(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("mv", "a.py", "new name.py")
    work.repo.git("add", "-A")
    [said] = work.record()
    assert said.endswith(
        "a.py is staged as new name.py; commit it by its old name first: git mv 'new name.py' a.py"
    )
    work.commit()
    assert work.verdict() == "without evidence"


def test_a_mode_that_a_person_set_is_theirs(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.repo.git("update-index", "--chmod=+x", "a.py")
    assert work.record() == ("a.py: no session's edits explain its mode 100755",)

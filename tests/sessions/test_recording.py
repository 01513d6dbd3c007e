"""From a session's journal to a commit that replays: for exactly what is staged."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.evidence.refusal_log import RefusalLog
from tests.sessions.committing import LINES, PROVEN, Work, replacing
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.sessions import TextSession
from tests.support.specs import protocol, replace_range


def test_what_is_staged_is_accounted_for_and_then_forgotten(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit(add="a.py")
    work.expect_clean()
    status = work.desk.status()
    assert (status.calls, status.uncommitted) == ((), 0)
    assert [each.path for each in status.receipts] == ["a.py"]
    assert work.repo.show("HEAD", ATTRIBUTES_PATH) == ATTRIBUTES


def test_each_call_has_an_entry_on_what_the_one_before_it_left(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("five\n", "five\nfive and a half\n")
    work.edit("line 6\n", "six\n")
    work.commit(add="a.py")
    assert work.verdict() == PROVEN
    assert len(work.entries) == 3


def edit_both_files(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 5\n", "five\n", "b.py")
    work.repo.git("add", "a.py")


def edit_twice(*picked: str) -> Callable[[Work], None]:
    def make(work: Work) -> None:
        work.edit("line 5\n", "five\n")
        work.edit("line 25\n", "twenty-five\n")
        work.pick(*picked)

    return make


def edit_twice_at_once(work: Work) -> None:
    work.desk.read("a.py")
    upper, lower = replacing("line 5\n", "five\n"), replacing("line 25\n", "twenty-five\n")
    assert work.desk.edit(f'{{"edits": [{upper}, {lower}]}}').ok
    work.pick("n", "y")


def set_a_mode(work: Work) -> None:
    patch = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"
    assert work.desk.edit(patch).ok
    work.edit("line 5\n", "five\n", "b.py")
    work.repo.git("update-index", "--chmod=-x", "a.py")
    work.repo.git("add", "b.py")


@cases(
    {
        "another file": (edit_both_files, PROVEN),
        "the lower part of a file": (edit_twice("y", "n"), PROVEN),
        "the upper part": (edit_twice("n", "y"), PROVEN),
        "a part of one call": (edit_twice_at_once, PROVEN),
        "a mode": (set_a_mode, "strict none"),
    },
)
def test_what_is_not_staged_waits_for_its_commit(
    make: Callable[[Work], None], then: str, work: Work
) -> None:
    make(work)
    work.commit()
    assert work.verdict() == PROVEN
    work.commit(add="-A")
    assert work.verdict() == then


def test_lines_named_by_number_are_named_anew_where_they_moved(work: Work) -> None:
    work.repo.write("a.py", "by hand\n" + LINES)
    work.desk.read("a.py")
    assert work.desk.edit(protocol(replace_range("a.py", 6, 6, None, "five\n"))).ok
    work.repo.write("a.py", work.repo.read("a.py").removeprefix(b"by hand\n"))
    work.commit(add="a.py")
    assert work.verdict() == PROVEN


def undo(work: Work) -> None:
    work.desk.undo()


def take_back(work: Work) -> None:
    """With it goes what cancels out."""
    work.edit("six\n", "line 6\n")


@pytest.mark.parametrize("leave", [undo, take_back])
def test_an_edit_that_is_taken_back_leaves_no_trace(
    work: Work, leave: Callable[[Work], None]
) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 6\n", "six\n")
    leave(work)
    work.commit(add="a.py")
    assert work.verdict() == PROVEN
    assert len(work.entries) == 1
    assert [call.undone for call in work.desk.status().calls if not call.undone] == []


def test_files_that_come_go_and_move_are_accounted_for(work: Work) -> None:
    whole = work.desk.read("b.py").range_hash
    operations: list[dict[str, object]] = [
        {"op": "create_file", "path": "c.py", "new_text": "c\n"},
        {"op": "delete_file", "path": "a.py", "expected_hash": work.desk.read("a.py").range_hash},
        {"op": "rename_file", "path": "b.py", "new_path": "d.py", "expected_hash": whole},
    ]
    answer = work.desk.edit(protocol(*operations))
    assert answer.ok, answer.for_model()
    work.commit(add="-A")
    assert work.verdict() == "strict hash"


def test_an_attempt_that_was_given_up_leaves_no_second_entry(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.record()
    work.edit("line 6\n", "six\n")
    work.commit(add="a.py")
    work.expect_clean()


def test_the_first_commit_of_a_repository_is_accounted_for(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    work = Work(repo, TextSession.open(repo.path, "task"))
    assert work.desk.edit(replacing("", "one\n")).ok
    work.commit(add="a.py")
    assert work.verdict() == "strict hash"


def test_line_ends_that_git_converts_are_no_difference(work: Work) -> None:
    work.repo.git("config", "core.autocrlf", "true")
    work.repo.write("a.py", LINES.replace("\n", "\r\n"))
    work.edit("line 5\n", "five\nfive and a half\n")
    work.commit(add="a.py")
    assert work.verdict() == PROVEN


def test_an_entry_that_is_too_large_is_named_and_left_out(work: Work) -> None:
    work.edit("line 5\n", "x" * 2**20 + "\n")
    work.repo.git("add", "a.py")
    assert "is not recorded" in work.record()[0]


def landed(work: Work) -> list[str | None]:
    return [each.landed for each in RefusalLog.of(work.repo.path / ".git").read()]


def test_a_refusal_is_claimed_by_the_commit_with_its_text(work: Work) -> None:
    assert not work.desk.edit(replacing("nowhere\n", "five\n")).ok
    work.edit("line 9\n", "nine\n")
    work.commit(add="-A")
    assert landed(work) == [None]
    work.edit("line 5\n", "five\n")
    assert landed(work) == [None]
    head = work.commit(add="-A")
    assert landed(work) == [head]


def make_and_remove(work: Work) -> None:
    assert work.desk.edit(replacing("", "one\n", "c.py")).ok
    whole = work.desk.read("c.py").range_hash
    operation = {"op": "delete_file", "path": "c.py", "expected_hash": whole}
    assert work.desk.edit(json.dumps({"version": "1", "operations": [operation]})).ok


def change_and_change_back(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("five\n", "line 5\n")


@pytest.mark.parametrize("leave", [make_and_remove, change_and_change_back])
def test_edits_of_a_file_that_is_as_it_was_wait_for_no_commit(
    work: Work, leave: Callable[[Work], None]
) -> None:
    work.edit("line 9\n", "nine\n", "b.py")
    leave(work)
    assert work.desk.status().uncommitted == 1


# What people, formatters, other sessions and other branches do, while a session's edits wait


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

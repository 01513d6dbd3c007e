"""From a session's journal to a commit that replays: for exactly what is staged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hkgit.sessions.desk import Desk
from tests.repos import Repo
from tests.sessions.committing import Work
from tests.sessions.conftest import LINES, replacing

PROVEN = "strict receipt"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One commit with two files."""
    repo = Repo.init(tmp_path_factory.mktemp("recording") / "repo")
    repo.commit({"a.py": LINES, "b.py": LINES}, "Begin")
    return repo


@pytest.fixture
def work(template: Repo, tmp_path: Path) -> Work:
    path = tmp_path / "repo"
    shutil.copytree(template.path, path, symlinks=True)
    return Work(Repo(path), Desk.open(path, "task", agent="tester/1"))


def pick(work: Work, *answers: str) -> None:
    """Stage some hunks of what has changed."""
    work.repo.git("add", "-p", stdin="".join(f"{each}\n" for each in answers).encode())


def test_what_is_staged_is_accounted_for(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert (work.verdict(), work.repo.status()) == (PROVEN, [])


def test_each_call_has_an_entry_on_what_the_one_before_it_left(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("five\n", "5\nfive and a half\n")
    work.edit("line 6\n", "six\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN
    assert len(work.repo.git("ls-files", ".hkgit/ledger").splitlines()) == 3


def test_a_file_that_is_not_staged_waits_for_its_commit(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 5\n", "five\n", "b.py")
    work.repo.git("add", "a.py")
    work.commit()
    first = work.verdict()
    work.repo.git("add", "b.py")
    work.commit()
    assert [first, work.verdict()] == [PROVEN, PROVEN]


@pytest.mark.parametrize("answers", [("y", "n"), ("n", "y")], ids=["the upper", "the lower"])
def test_a_part_of_a_file_is_staged(work: Work, answers: tuple[str, str]) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 25\n", "twenty-five\n")
    pick(work, *answers)
    work.commit()
    first = work.verdict()
    work.repo.git("add", "a.py")
    work.commit()
    assert [first, work.verdict()] == [PROVEN, PROVEN]


def test_a_part_of_one_call_is_staged(work: Work) -> None:
    work.desk.read("a.py")
    upper, lower = replacing("line 5\n", "five\n"), replacing("line 25\n", "twenty-five\n")
    assert work.desk.edit(f'{{"edits": [{upper}, {lower}]}}').ok
    pick(work, "n", "y")
    work.commit()
    first = work.verdict()
    work.repo.git("add", "a.py")
    work.commit()
    assert [first, work.verdict()] == [PROVEN, PROVEN]


def test_what_a_person_changed_in_between_is_theirs(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.write("a.py", b"by hand\n" + work.repo.read("a.py"))
    work.edit("line 25\n", "twenty-five\n")
    work.repo.git("add", "a.py")
    assert work.record() == ("a.py: no session's edits account for lines 1",)
    work.commit()
    assert work.verdict() == "mixed receipt"


def test_what_a_person_committed_in_between_is_carried(work: Work) -> None:
    work.edit("line 25\n", "twenty-five\n")
    work.repo.write("a.py", b"by hand\n" + work.repo.read("a.py"))
    pick(work, "y", "n")
    work.repo.git("commit", "-q", "-m", "By hand")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN


def test_an_edit_of_lines_that_nobody_has_committed_is_named(work: Work) -> None:
    work.repo.write("a.py", LINES + "by hand\n")
    work.edit("by hand\n", "by an agent\n")
    work.repo.git("add", "a.py")
    said = work.record()
    assert said[0].startswith("edit 1 of call 1, session task is not covered: a.py: the lines")
    assert said[1] == "a.py: no session's edits account for lines 31"


def test_lines_named_by_number_are_named_anew_where_they_moved(work: Work) -> None:
    work.repo.write("a.py", "by hand\n" + LINES)
    work.desk.read("a.py")
    operation = {"op": "replace_range", "path": "a.py", "start_line": 6, "end_line": 6}
    spec = {"version": "1", "operations": [operation | {"new_text": "five\n"}]}
    assert work.desk.edit(str(spec).replace("'", '"')).ok
    work.repo.write("a.py", work.repo.read("a.py").removeprefix(b"by hand\n"))
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN


def test_an_undone_edit_leaves_no_trace(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.desk.undo()
    work.edit("line 6\n", "six\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN
    assert len(work.repo.git("ls-files", ".hkgit/ledger").splitlines()) == 1


def test_files_that_come_go_and_move_are_accounted_for(work: Work) -> None:
    whole = work.desk.read("b.py").range_hash
    operations: list[dict[str, object]] = [
        {"op": "create_file", "path": "c.py", "new_text": "c\n"},
        {"op": "delete_file", "path": "a.py", "expected_hash": work.desk.read("a.py").range_hash},
        {"op": "rename_file", "path": "b.py", "new_path": "d.py", "expected_hash": whole},
    ]
    answer = work.desk.edit(str({"version": "1", "operations": operations}).replace("'", '"'))
    assert answer.ok, answer.for_model()
    work.repo.git("add", "-A", "--", ".")
    work.commit()
    assert work.verdict() == "strict hash"


def test_a_formatter_changes_what_the_agent_wrote(work: Work) -> None:
    work.edit("line 5\n", "x = 'five'\nprint( x )\n")
    work.repo.write("a.py", work.repo.read("a.py").replace(b"'", b'"').replace(b"( x )", b"(x)"))
    work.repo.git("add", "a.py")
    assert work.record() == ("a.py: no session's edits account for lines 5-6",)
    work.commit()
    assert work.verdict() == "mixed receipt"


def test_a_stash_keeps_the_journal_waiting(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("stash", "-q")
    work.repo.commit({"b.py": "by hand\n"}, "By hand")
    work.repo.git("stash", "pop", "-q")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN


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
    work.repo.git("add", "a.py")
    work.commit()
    assert [first, work.verdict()] == [PROVEN, PROVEN]


def test_an_attempt_that_was_given_up_leaves_no_second_entry(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.record()
    work.edit("line 6\n", "six\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert (work.verdict(), work.repo.status()) == (PROVEN, [])


def test_an_amended_commit_has_its_own_entries_and_the_new_ones(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.commit()
    work.edit("line 6\n", "six\n")
    work.repo.git("add", "a.py")
    work.commit("--amend")
    assert work.verdict() == PROVEN
    assert len(work.repo.git("ls-files", ".hkgit/ledger").splitlines()) == 2


def test_the_first_commit_of_a_repository_is_accounted_for(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    work = Work(repo, Desk.open(repo.path, "task"))
    assert work.desk.edit(replacing("", "one\n")).ok
    repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == "strict hash"


def test_line_ends_that_git_converts_are_no_difference(work: Work) -> None:
    work.repo.git("config", "core.autocrlf", "true")
    work.repo.write("a.py", LINES.replace("\n", "\r\n"))
    work.edit("line 5\n", "five\nfive and a half\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN


def test_two_sessions_in_one_checkout_are_both_recorded(work: Work) -> None:
    other = Work(work.repo, Desk.open(work.repo.path, "other"))
    work.edit("line 5\n", "five\n")
    other.edit("five\n", "5\n")
    work.edit("5\n", "V\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == PROVEN


def test_a_blind_edit_is_mended_by_reading_what_it_replaced(work: Work) -> None:
    assert work.desk.edit(replacing("line 5\n", "five\n")).blind
    blind = work.desk.status().blind
    work.desk.read("a.py", 5, 5, before="1")
    work.repo.git("add", "a.py")
    work.commit()
    assert (blind, work.verdict()) == (1, PROVEN)


def test_what_is_committed_is_forgotten(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.commit()
    assert (work.desk.status().calls, work.desk.status().uncommitted) == ((), 0)
    assert [each.path for each in work.desk.status().receipts] == ["a.py"]


WHOLE = "hash of the whole file"


@pytest.mark.parametrize(
    ("old", "new", "expected", "verdict"),
    [
        pytest.param("line 5\n", "five\n", WHOLE, "strict hash", id="one place"),
        pytest.param("line 5\n", "five\n", "--expect", PROVEN, id="with --expect"),
        pytest.param("", "more\n", WHOLE, "strict hash", id="a new file is expected absent"),
    ],
)
def test_a_hash_of_a_whole_file_that_others_changed_is_one_of_the_lines_left(
    work: Work, old: str, new: str, expected: str, verdict: str
) -> None:
    work.repo.write("a.py", LINES + "by hand\n")
    whole = work.desk.read("a.py").range_hash
    fresh = Desk.open(work.repo.path, "fresh")
    edit = {"file": "a.py" if old else "new.py", "old_text": old, "new_text": new}
    if expected == WHOLE and old:
        edit["expected_hash"] = str(whole)
    expects = [f"a.py={whole}"] if expected == "--expect" else []
    assert fresh.edit(json.dumps(edit), expect=expects).ok
    work.repo.write("a.py", work.repo.read("a.py").removesuffix(b"by hand\n"))
    work.repo.git("add", "-A")
    work.commit()
    assert work.verdict() == verdict


def test_an_entry_that_is_too_large_is_named_and_left_out(work: Work) -> None:
    work.edit("line 5\n", "x" * 2**20 + "\n")
    work.repo.git("add", "a.py")
    assert "is not recorded" in work.record()[0]


def test_a_formatter_that_joins_lines_leaves_the_edit_recorded(work: Work) -> None:
    work.edit("line 5\n", "call(\n    one,\n    two,\n)\n")
    joined = work.repo.read("a.py").replace(b"(\n    one,\n    two,\n)", b"(one, two)")
    work.repo.write("a.py", joined)
    work.repo.git("add", "a.py")
    work.commit()
    assert work.verdict() == "mixed receipt"


def test_a_file_that_a_person_moved_away_takes_its_edits_with_it(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("mv", "a.py", "moved.py")
    work.repo.git("add", "-A")
    assert work.record() == ()
    work.commit()
    assert work.verdict() == "without evidence"


def test_a_mode_that_is_not_staged_waits(work: Work) -> None:
    patch = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"
    assert work.desk.edit(patch).ok
    work.repo.git("update-index", "--chmod=-x", "a.py")
    work.edit("line 5\n", "five\n", "b.py")
    work.repo.git("add", "b.py")
    work.commit()
    assert work.verdict() == PROVEN


def test_a_mode_that_a_person_set_is_theirs(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.repo.git("update-index", "--chmod=+x", "a.py")
    assert work.record() == ("a.py: no session's edits account for its mode 100755",)

"""A stale edit leaves a record of what it expected, what is there, and who changed it."""

from __future__ import annotations

import json

import pytest

from tests.gate.conflicts.conftest import Desk


def test_a_stale_edit_leaves_a_record(desk: Desk) -> None:
    assert not desk.apply(desk.replace(10, 11, "x", "read"))
    [conflict] = desk.open
    assert conflict.path == "poem.txt"
    assert conflict.agent == "codex/1"
    assert len(conflict.tries) == 1
    assert json.loads(conflict.edit)["operations"][0]["start_line"] == 10


def test_it_says_what_was_expected_and_what_stands_there_now(desk: Desk) -> None:
    desk.apply(desk.replace(10, 11, "x", "read"))
    [conflict] = desk.open
    assert conflict.expected.lines == (10, 11)
    assert conflict.expected.text == "verse 10\nverse 11\n"
    assert conflict.found.lines == (11, 12)
    assert conflict.found.text == "verse ten\nverse 11\n"


def test_it_names_the_commit_that_changed_the_lines(desk: Desk) -> None:
    desk.apply(desk.replace(10, 11, "x", "read"))
    [cause] = desk.open[0].causes
    assert cause.subject == "Spell the tenth verse"
    assert cause.author == "Ada Tester <ada@example.org>"
    assert f"was changed by {cause.commit[:12]} Spell the tenth verse" in desk.said[0]


def test_so_it_does_for_an_edit_that_states_its_base(desk: Desk) -> None:
    desk.apply(desk.replace(10, 11, "x", "read"), base="read")
    assert [cause.subject for cause in desk.open[0].causes] == ["Spell the tenth verse"]


def test_a_hash_that_never_held_has_no_cause(desk: Desk) -> None:
    desk.apply({**desk.replace(10, 11, "x", "read"), "expected_hash": "0" * 64})
    [conflict] = desk.open
    assert conflict.causes == ()
    assert conflict.expected.text is None


def test_a_file_that_is_gone_is_a_conflict_too(desk: Desk) -> None:
    edit = desk.replace(10, 11, "x", "read")
    desk.repo.commit({"poem.txt": None}, "Burn it")
    desk.apply(edit, base="read")
    causes = [conflict.causes[-1].subject for conflict in desk.open]
    assert causes in (["Burn it"], ["Spell the tenth verse"])


@pytest.mark.parametrize(
    ("start", "conflicts", "tries"),
    [
        pytest.param(10, 1, 2, id="the same lines"),
        pytest.param(12, 2, 1, id="lines close by"),
        pytest.param(30, 2, 1, id="other lines"),
    ],
)
def test_the_next_try_at_one_place_counts_on(
    desk: Desk, start: int, conflicts: int, tries: int
) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    desk.apply({**desk.replace(start, start, "y", "read"), "expected_hash": "0" * 64})
    assert len(desk.open) == conflicts
    assert len(desk.open[0].tries) == tries


def test_another_agent_s_try_is_its_own_conflict(desk: Desk) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    other = Desk(desk.repo, "aider/2")
    other.apply(desk.replace(10, 10, "x", "read"))
    assert [len(conflict.tries) for conflict in desk.open] == [1, 1]


def test_other_refusals_leave_nothing(desk: Desk) -> None:
    desk.apply({"op": "replace_text", "path": "poem.txt", "old_text": "prose", "new_text": "x"})
    assert desk.open == []
    assert desk.said == []


def test_a_record_that_cannot_be_read_is_no_obstacle(desk: Desk) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    [record] = (desk.repo.path / ".git/hkgit/conflicts").glob("*.json")
    record.write_text('{"schema": 1, "tries": ' + "[" * 10_000)
    assert desk.apply(desk.replace(11, 11, "x"))
    assert desk.claims == []

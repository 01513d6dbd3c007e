"""The edit that lands in the end says which conflicts it met, and they are settled."""

from __future__ import annotations

import pytest

from tests.gate.conflicts.conftest import Desk


def test_an_edit_read_again_links_to_its_conflict(desk: Desk) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    [conflict] = desk.open
    assert desk.apply(desk.replace(11, 11, "x"))
    assert desk.claims == [
        {
            "id": conflict.id,
            "path": "poem.txt",
            "expected": conflict.expected.range_hash,
            "found": conflict.found.range_hash,
            "changed_by": [conflict.causes[0].commit],
            "tries": 1,
            "resolution": "reapplied",
        }
    ]


def test_then_nothing_is_left_of_it_in_the_git_directory(desk: Desk) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    desk.apply(desk.replace(11, 11, "x"))
    assert not (desk.repo.path / ".git/hkgit/conflicts").exists()


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        pytest.param("codex/1", 30, id="another place"),
        pytest.param("aider/2", 11, id="another agent"),
    ],
)
def test_an_edit_of_other_lines_or_agents_leaves_it_open(desk: Desk, agent: str, line: int) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    other = Desk(desk.repo, agent)
    assert other.apply(desk.replace(line, line, "y"))
    assert other.claims == []
    assert len(desk.open) == 1


def test_it_is_found_again_where_lines_have_moved_since(desk: Desk) -> None:
    desk.apply(desk.replace(10, 10, "x", "read"))
    desk.repo.commit({"poem.txt": b"one\n" * 50 + desk.repo.read("poem.txt")}, "Preface")
    assert desk.apply(desk.replace(61, 61, "x"))
    assert [claim["tries"] for claim in desk.claims] == [1]

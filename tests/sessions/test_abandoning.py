"""Abandoned edits: what somebody took back by other means than `undo` stands in nobody's way."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.committing import LINES, PROVEN, Work, replacing
from tests.support.properties import examples
from tests.support.repos import Repo
from tests.support.sessions import TextSession
from tests.support.specs import protocol

WAYS: dict[str, Callable[[Repo], object]] = {
    "checkout": lambda repo: repo.git("checkout", "-q", "."),
    "restore": lambda repo: repo.git("restore", "."),
    "reset": lambda repo: repo.git("reset", "-q", "--hard"),
    "stash": lambda repo: repo.git("stash", "-q"),
    "by hand": lambda repo: [repo.write(name, LINES) for name in ("a.py", "b.py")],
}
"""How people take edits back that hkgit is not told of."""

EDITS: dict[str, dict[str, object]] = {
    "a line": {"op": "replace_range", "start_line": 5, "end_line": 5, "new_text": "five"},
    "another line": {"op": "replace_range", "start_line": 6, "end_line": 7, "new_text": "67"},
    "put in": {"op": "insert_after", "after_line": 5, "new_text": "five and a half"},
    "at the top": {"op": "insert_after", "after_line": 0, "new_text": "a\nb\nc"},
    "taken out": {"op": "delete_range", "start_line": 4, "end_line": 8},
}
STEP = st.tuples(
    st.sampled_from(sorted(EDITS)),
    st.sampled_from(["task", "other"]),
    st.booleans(),
    st.sampled_from(["a.py", "a.py", "b.py"]),
    st.sampled_from([None, *sorted(WAYS)]),
)
Step = tuple[str, str, bool, str, str | None]


def make(repo: Repo, step: Step) -> None:
    """One edit of a session, read first or blind, and perhaps what somebody does then."""
    name, session, is_read, path, way = step
    desk = TextSession.open(repo.path, session, agent="tester/1")
    if is_read:
        desk.read(path)
    desk.edit(protocol({"path": path, **EDITS[name]}))
    if way is not None:
        WAYS[way](repo)


@given(st.lists(STEP, max_size=5), st.sampled_from(sorted(WAYS)), STEP)
@examples(12)
def test_any_abandoned_edits_before_a_good_one_end_in_a_commit_that_passes(
    plain: Repo, abandoned: Sequence[Step], way: str, good: Step
) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "repo"
        work = Work(plain.copy(path), TextSession.open(path, "task", agent="tester/1"))
        for step in abandoned:
            make(work.repo, step)
        WAYS[way](work.repo)
        make(work.repo, (*good[:2], True, good[3], None))
        work.repo.git("add", "-A")
        said = work.record()
        work.commit()
        assert work.verdict() == PROVEN
        assert said == ()


@pytest.mark.parametrize("way", WAYS)
def test_undo_of_what_is_taken_back_already_changes_nothing(work: Work, way: str) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("five\n", "V\n")
    assert work.desk.status().uncommitted == 2
    WAYS[way](work.repo)
    assert work.desk.status().uncommitted == 0
    assert work.desk.undo(whole_session=True).files == {}
    assert work.repo.status() == []


def test_undo_takes_back_the_last_call_that_stands(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 5\n", "five\n", "b.py")
    work.repo.git("checkout", "-q", "b.py")
    assert work.desk.undo().calls == ("1",)
    assert work.repo.status() == []


def test_what_comes_back_has_its_evidence_still(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("stash", "-q")
    work.edit("line 20\n", "twenty\n")
    work.commit(add="-A")
    work.repo.git("stash", "pop", "-q")
    work.commit(add="-A")
    assert work.verdict() == PROVEN


@pytest.mark.parametrize("whole", [False, True], ids=["the last call", "the session"])
def test_undo_gives_the_readings_back(work: Work, whole: bool) -> None:
    work.edit("line 5\n", "five\n")
    work.desk.undo(whole_session=whole)
    for line in (5, 9):
        assert not work.desk.edit(replacing(f"line {line}\n", "V\n")).blind


def test_what_was_never_read_is_not_known_after_undo(work: Work) -> None:
    work.desk.edit(replacing("line 5\n", "five\n"))
    work.desk.undo()
    assert work.desk.edit(replacing("line 5\n", "V\n")).blind

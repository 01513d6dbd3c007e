"""Reflection: refusals go back to the model until its edits land, or nothing does."""

import asyncio
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from hkgit import (
    EditResult,
    apply_edits,
    apply_with_reflection,
    apply_with_reflection_async,
    range_hash,
)
from tests.support.specs import search_replace

FILES = {"a.py": "x = 1\ny = 2\n", "b.py": "z = 3\n"}


GOOD_X = search_replace("x = 1", "x = 10", "a.py")
GOOD_Y = search_replace("y = 2", "y = 20", "a.py")
MORE_Y = search_replace("y = 20", "y = 30", "a.py")
LOST_Y = search_replace("nothing like this stands here", "y = 20", "a.py")


class Model:
    """Answers with what it was told to, and keeps what it was asked."""

    def __init__(self, answers: Iterable[str]) -> None:
        self.answers = iter(answers)
        self.asked: list[str] = []

    def __call__(self, correction: str) -> str:
        self.asked.append(correction)
        return next(self.answers)


def test_a_spec_that_applies_asks_nothing() -> None:
    model = Model([])
    result = apply_with_reflection(GOOD_X, FILES, model)
    assert result.ok is True
    assert result.files == {"a.py": "x = 10\ny = 2\n"}
    assert model.asked == []


@pytest.mark.parametrize("answer", [GOOD_Y, GOOD_X + GOOD_Y], ids=["alone", "with the applied"])
def test_only_the_refused_edit_needs_to_be_sent_again(answer: str) -> None:
    """What is sent again although it applied is not doubled."""
    model = Model([answer])
    result = apply_with_reflection(GOOD_X + LOST_Y, FILES, model)
    assert result.files == {"a.py": "x = 10\ny = 20\n"}
    assert "edit 2: a.py" in model.asked[0]
    assert "only the refused edits" in model.asked[0]
    assert [round_.text for round_ in result.rounds] == [GOOD_X + LOST_Y, answer]
    statuses = [[outcome.status for outcome in round_.outcomes] for round_ in result.rounds]
    assert statuses == [["applied", "no_match"], ["applied", "applied"]]


def test_text_that_cannot_be_read_goes_back_too() -> None:
    model = Model([GOOD_X])
    result = apply_with_reflection("I changed the file for you.", FILES, model)
    assert result.ok
    assert "unknown dialect" in model.asked[0]


def test_after_three_reflections_nothing_has_landed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FILES["a.py"])
    model = Model([LOST_Y] * 4)
    result = apply_with_reflection(GOOD_X + LOST_Y, tmp_path, model)
    assert result.ok is False
    assert len(model.asked) == 3
    assert len(result.rounds) == 4
    assert (tmp_path / "a.py").read_text() == FILES["a.py"]


def y_must_be(wanted: str) -> Callable[[EditResult], str | None]:
    def verify(result: EditResult) -> str | None:
        return None if f"y = {wanted}\n" in str(result.files["a.py"]) else f"y is not {wanted}"

    return verify


def test_what_verify_says_goes_back_and_the_follow_up_applies_on_top() -> None:
    model = Model([MORE_Y])
    result = apply_with_reflection(GOOD_X + GOOD_Y, FILES, model, verify=y_must_be("30"))
    assert result.files == {"a.py": "x = 10\ny = 30\n"}
    assert "y is not 30" in model.asked[0]


def test_a_directory_that_verify_never_accepts_is_put_back(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    seen: list[str] = []

    def verify(result: EditResult) -> str | None:
        seen.append((tmp_path / "a.py").read_text())
        return "never"

    more = search_replace("z = 3", "z = 4", "b.py")
    result = apply_with_reflection(
        GOOD_X, tmp_path, Model([more, GOOD_X]), max_reflections=1, verify=verify
    )
    assert result.ok is False
    assert result.files == {}
    assert seen[0] == "x = 10\ny = 2\n"
    assert {name: (tmp_path / name).read_text() for name in FILES} == FILES


def test_coroutines_answer_the_same_loop() -> None:
    async def ask(correction: str) -> str:
        return GOOD_Y

    async def verify(result: EditResult) -> str | None:
        return y_must_be("20")(result)

    result = asyncio.run(apply_with_reflection_async(GOOD_X + LOST_Y, FILES, ask, verify=verify))
    assert result.files == {"a.py": "x = 10\ny = 20\n"}


def test_the_guard_of_syntax_can_be_turned_off() -> None:
    """Half of a change breaks the file; an edit that was not exact is refused for it."""
    half = search_replace("x =  1", "x = (1", "a.py")
    assert not apply_with_reflection(half, FILES, Model([]), max_reflections=0).ok
    assert apply_with_reflection(half, FILES, Model([]), check_syntax=False).ok


def test_every_option_of_apply_edits_is_one_of_reflection() -> None:
    wanted = inspect.signature(apply_edits).parameters.keys() - {"edits"}
    assert wanted <= inspect.signature(apply_with_reflection).parameters.keys()
    assert wanted <= inspect.signature(apply_with_reflection_async).parameters.keys()


def test_an_empty_search_appends_where_that_is_asked_for() -> None:
    block_ = "a.py\n<<<<<<< SEARCH\n=======\nw = 0\n>>>>>>> REPLACE\n"
    result = apply_with_reflection(block_, FILES, Model([]), empty_search="append")
    assert result.files == {"a.py": "x = 1\ny = 2\nw = 0\n"}


def test_a_hash_is_held_against_the_first_batch_alone() -> None:
    other = [f"a.py={'0' * 12}"]
    result = apply_with_reflection(GOOD_X, FILES, Model([]), max_reflections=0, expect=other)
    assert [outcome.status for outcome in result.outcomes] == ["stale"]
    model = Model([MORE_Y])
    read = [f"a.py={range_hash(FILES['a.py'])}"]
    result = apply_with_reflection(GOOD_Y, FILES, model, expect=read, verify=y_must_be("30"))
    assert result.files == {"a.py": "x = 1\ny = 30\n"}


def test_a_dry_run_leaves_the_directory_and_follows_up_all_the_same(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def verify(result: EditResult) -> str | None:
        return None if b"y = 30" in (result.files["a.py"] or b"") else "y is not 30"

    result = apply_with_reflection(
        GOOD_Y,
        tmp_path,
        Model([MORE_Y]),
        verify=verify,
        dry_run=True,
    )
    assert result.files == {"a.py": b"x = 1\ny = 30\n"}
    assert {name: (tmp_path / name).read_text() for name in FILES} == FILES

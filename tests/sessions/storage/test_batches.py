"""A batch that fails in part waits; only the corrections are sent, and all lands at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.applying.planner import Options
from hkgit.errors import InvalidInput
from hkgit.sessions.answers import EditReport
from tests.sessions.conftest import LINES, replacing
from tests.support.sessions import TextSession


def edits(*pairs: tuple[str, str]) -> str:
    return json.dumps({"edits": [json.loads(replacing(*pair)) for pair in pairs]})


GOOD, WRONG, WORSE = ("line 5\n", "five\n"), ("nowhere\n", "x\n"), ("not here\n", "y\n")
RIGHT, BETTER = ("line 9\n", "nine\n"), ("line 12\n", "twelve\n")
ALL = LINES.replace(*GOOD).replace(*RIGHT).replace("line 20\n", "twenty\n").replace(*BETTER)
"""What the batch makes of the file with its corrections."""


@pytest.fixture
def failed(desk: TextSession) -> EditReport:
    """A batch of four, of which the second and the fourth were refused."""
    desk.read("a.py")
    return desk.edit(edits(GOOD, WRONG, ("line 20\n", "twenty\n"), WORSE))


def test_nothing_lands_and_the_answer_names_the_batch(failed: EditReport, root: Path) -> None:
    assert (root / "a.py").read_text() == LINES
    assert f"Send only corrections of edits 2, 4, in this order, as batch {failed.batch}" in (
        failed.for_model()
    )


def test_with_its_corrections_all_of_it_lands(
    desk: TextSession, failed: EditReport, root: Path
) -> None:
    answer = desk.edit(edits(RIGHT, BETTER), batch=failed.batch)
    assert [each.number for each in answer.outcomes] == [1, 2, 3, 4]
    assert (root / "a.py").read_text() == ALL


def test_corrections_may_come_in_another_dialect(
    desk: TextSession, failed: EditReport, root: Path
) -> None:
    block = "a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n"
    spec = block.format(*RIGHT) + block.format(*BETTER)
    assert desk.edit(spec, batch=failed.batch).ok
    assert (root / "a.py").read_text() == ALL


def test_corrections_may_name_their_edits(desk: TextSession, failed: EditReport) -> None:
    first = desk.edit(edits(BETTER), batch=f"{failed.batch}:4")
    assert [each.number for each in first.outcomes if each.error is not None] == [2]
    assert first.batch == failed.batch
    assert desk.edit(edits(RIGHT), batch=first.batch).ok is True


@pytest.mark.parametrize(
    ("batch", "what"),
    [
        pytest.param("{}", "edits 2,4 were refused, and 1 corrections were sent", id="too few"),
        pytest.param("{}:9", "has no edit 9", id="no such edit"),
        pytest.param("b00000000", "is not stored here", id="no such batch"),
        pytest.param("../journal", "is not a batch", id="no name of a batch"),
    ],
)
def test_corrections_that_fit_nothing_are_refused(
    desk: TextSession, failed: EditReport, batch: str, what: str
) -> None:
    with pytest.raises(InvalidInput, match=what):
        desk.edit(edits(RIGHT), batch=batch.format(failed.batch))


def test_a_batch_that_landed_is_forgotten(desk: TextSession, failed: EditReport) -> None:
    desk.edit(edits(RIGHT, BETTER), batch=failed.batch)
    assert desk.status().batches == ()


def test_a_batch_waits_over_a_restart(failed: EditReport, root: Path) -> None:
    assert TextSession.open(root, "task").edit(edits(RIGHT, BETTER), batch=failed.batch).ok
    assert (root / "a.py").read_text() == ALL


def test_a_batch_of_one_session_is_not_anothers(failed: EditReport, root: Path) -> None:
    with pytest.raises(InvalidInput, match="is not stored here"):
        TextSession.open(root, "other").edit(edits(RIGHT, BETTER), batch=failed.batch)


def test_an_edit_that_fails_alone_makes_no_batch(desk: TextSession) -> None:
    assert desk.edit(edits(WRONG)).batch is None


def _miscount(*pairs: tuple[str, str]) -> str:
    """Hunks of one line each, of which the last counts five."""
    *first, (old, new) = [(f"-{old}", f"+{new}") for old, new in pairs]
    hunks = [f"@@ -1 +1 @@\n{old}{new}" for old, new in first]
    hunks.append(f"@@ -1,5 +1,5 @@\n{old}{new}")
    return "```diff\n--- a/a.py\n+++ b/a.py\n" + "".join(hunks) + "```\n"


def test_what_was_miscounted_is_still_said_to_be_where_a_batch_lands(desk: TextSession) -> None:
    desk.read("a.py")
    failed = desk.edit(desk.parse(_miscount(WRONG, GOOD)))
    answer = desk.edit(edits(RIGHT), batch=failed.batch)
    assert [each.repairs for each in answer.outcomes] == [(), ("counts",)]


def test_a_correction_may_be_miscounted_itself_or_mend_what_was(desk: TextSession) -> None:
    desk.read("a.py")
    failed = desk.edit(desk.parse(_miscount(GOOD, WRONG)))
    counted = desk.parse(_miscount(RIGHT))
    tried = desk.edit_all([counted], Options(), dry_run=True, batch=failed.batch)
    assert [each.repairs for each in tried.outcomes] == [(), ("counts",)]
    landed = desk.edit(edits(RIGHT), batch=failed.batch)
    assert [each.repairs for each in landed.outcomes] == [(), ()]


def test_specs_of_one_call_are_held_to_what_all_of_them_leave(
    desk: TextSession, root: Path
) -> None:
    (root / "b.py").write_text("x = f(1)\ny = 2\n")
    opens = desk.parse(replacing("x  = f(1)\n", "x = f(\n", "b.py"))
    closes = desk.parse(replacing("y  = 2\n", "    1)\ny = 2\n", "b.py"))
    guarded = Options(syntax="guard")
    assert desk.edit_all([opens, closes], guarded, dry_run=True).ok
    refused = desk.edit_all([opens, opens], guarded, dry_run=True)
    assert [each.status for each in refused.outcomes] == ["applied", "already_applied"]
    other = desk.parse(replacing("y = 2\n", "y = 3\n", "b.py"))
    refused = desk.edit_all([opens, other], guarded, dry_run=True)
    assert [each.status for each in refused.outcomes] == ["invalid", "applied"]
    assert "line 1 is no longer Python" in refused.for_model()

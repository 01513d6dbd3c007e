"""Edits of one session while a command of another runs: the words of each say what is its own."""

from __future__ import annotations

import pytest

from tests.agents.streaming import Talk, change
from tests.agents.two_sessions import ONE, SECOND, TWO, added, tell
from tests.support.cases import cases
from tests.support.repos import Repo


def edit(repo: Repo, stage: str) -> str:
    """Tell the hook of an edit by session two."""
    given = {"file_path": str(repo.path / "x.py"), "old_string": TWO[0], "new_string": TWO[1]}
    return Talk(repo.path, "two").tell(stage, "Edit", **given)


@cases(
    "order, recorded",
    {
        "at once": ("2ab21", {}),
        "at once, the command ends first": ("2ab12", {}),
        "the command has written before": ("a2b21", SECOND),
        "the command writes when the edit is recorded": ("2b2a1", SECOND),
    },
)
def test_an_edit_while_anothers_command_runs_is_the_edits(
    order: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    """Where its words lead to what stands there; what the command did is nobody's, and told."""
    command, said = "./one x.py", {"one": "", "two": ""}
    tell(shared, "one", "before", command)
    stages = iter(("before", "after"))
    for step in order:
        if step in "ab":
            change(shared.path / "x.py", ONE if step == "a" else TWO)
        elif step == "2":
            said["two"] = edit(shared, next(stages))
        else:
            said["one"] = tell(shared, "one", "after", command)
    assert added(shared) == recorded
    assert "not recorded: x.py: changed while this command ran and one of another" in said["one"]
    assert ("not recorded: x.py: was changed by another session" in said["two"]) != bool(recorded)


@cases(
    "command, recorded",
    {
        "which does not name the file": ("pytest", {"claude-two": {"g=60"}}),
        "which names the file": ("./one x.py", {}),
    },
)
def test_an_edit_that_is_formatted_while_anothers_command_runs(
    command: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    tell(shared, "one", "before", command)
    edit(shared, "before")
    change(shared.path / "x.py", (TWO[0], "g=60"))
    said = edit(shared, "after")
    advice = "make the change again in a session that reads first, or let a person commit it."
    assert said.endswith(advice) is (recorded == {})
    tell(shared, "one", "after", command)
    assert added(shared) == recorded


@pytest.mark.parametrize("command", ["pytest", "./one x.py"])
def test_what_comes_behind_anothers_edit_is_nobodys(command: str, shared: Repo) -> None:
    """It may be the work of a formatter that follows the edit."""
    tell(shared, "one", "before", command)
    edit(shared, "before")
    change(shared.path / "x.py", TWO)
    edit(shared, "after")
    change(shared.path / "x.py", ONE)
    assert "not recorded: x.py" in tell(shared, "one", "after", command)
    assert added(shared) == SECOND

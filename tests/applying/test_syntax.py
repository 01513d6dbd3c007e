"""A Python or JSON file that parsed before and does not after it is reported, or refused."""

from __future__ import annotations

import pytest

from hkgit.applying.planner import Options, plan
from hkgit.edits import Edit, File, MappingSnapshot, Spec

FILES = {
    "a.py": File(b"def f():\n    return 1\n"),
    "broken.py": File(b"def f(:\n    return 1\n"),
    "a.json": File(b'{"a": 1}\n'),
    "a.txt": File(b"return 1\n"),
}


def notes_and_statuses(path: str, old: str, new: str, syntax: str) -> tuple[list[str], list[str]]:
    spec = Spec("edits", (Edit(path, old, new),), ("",), sequential=True)
    made = plan(spec, MappingSnapshot(FILES), Options(syntax=syntax))
    notes = [note for outcome in made.outcomes for note in outcome.notes]
    return notes, [outcome.status for outcome in made.outcomes]


@pytest.mark.parametrize(("path", "old", "new", "note"), [
    pytest.param("a.py", "return 1", "return (", "is no longer Python", id="Python"),
    pytest.param("a.json", '"a": 1', '"a" 1', "is no longer JSON", id="JSON"),
])
def test_a_file_that_breaks_is_reported(path: str, old: str, new: str, note: str) -> None:
    notes, statuses = notes_and_statuses(path, old, new, "report")
    assert ([note in each for each in notes], statuses) == ([True], ["applied"])


@pytest.mark.parametrize(("path", "new"), [
    pytest.param("a.py", "return 2", id="a file that still parses"),
    pytest.param("broken.py", "return (", id="a file that was broken before"),
    pytest.param("a.txt", "return (", id="a file of another kind"),
])
def test_nothing_is_said_of(path: str, new: str) -> None:
    assert notes_and_statuses(path, "return 1", new, "report") == ([], ["applied"])


def test_a_file_that_breaks_is_refused_on_request() -> None:
    assert notes_and_statuses("a.py", "return 1", "return (", "refuse") == ([], ["invalid"])

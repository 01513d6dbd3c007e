"""What an agent really sent lands as its own tool landed it: the same bytes, every time."""

import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.engines.__main__ import main
from benchmarks.engines.adapters.local import hkgit
from benchmarks.engines.grading import Grade
from benchmarks.engines.real import VARIABLE, NoRealEditsError, real_cases, real_file
from benchmarks.engines.report import run
from tests.support.cases import cases

EDIT = {"kind": "edit", "path": "f.txt"}
LINES = [
    {"kind": "file", "id": "a", "text": "one\ntwo\n"},
    {"kind": "file", "id": "b", "text": "one\nTWO\n"},
    {"kind": "file", "id": "c", "text": "one\n3\n"},
    EDIT | {"old": "two", "new": "TWO", "replace_all": False, "before": "a", "after": "b"},
    EDIT | {"old": "TWO", "new": "2", "replace_all": True, "before": "b", "after": "c"},
]


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    """Two edits; of the second the file is not what the tool would make of it."""
    file = tmp_path / "edits.jsonl.xz"
    file.write_bytes(lzma.compress("".join(json.dumps(line) + "\n" for line in LINES).encode()))
    return file


def test_every_real_edit_leaves_the_same_bytes() -> None:
    try:
        cases = real_cases(real_file())
    except NoRealEditsError as reason:
        pytest.skip(str(reason))
    with hkgit(Path()) as engine:
        outcomes = run(engine, cases)
    others = [each for each in outcomes if each.grade is not Grade.IDEAL]
    assert [f"{o.case.name}: {o.grade.value}: {o.answer.reason}" for o in others] == []


def test_a_real_edit_names_its_file_and_how_many_places_it_means(edits: Path) -> None:
    first, second = real_cases(edits)
    assert first.path == "f.txt"
    assert first.label == "one place"
    assert second.label == "every place"
    assert first.before == b"one\ntwo\n"
    assert first.truth.ideal == b"one\nTWO\n"


def test_the_suite_of_real_edits_is_measured(edits: Path) -> None:
    command = ["compare", "--suite", "real", "--engine", "hkgit", "--failures", "1"]
    result = CliRunner().invoke(main, command, env={VARIABLE: str(edits)})
    assert result.output.startswith("2 cases, real edits\n")
    assert "=== every place: f.txt:5 (must land; wrong; exact)" in result.output


def test_an_engine_that_cannot_say_everywhere_is_not_asked_to(edits: Path) -> None:
    command = ["compare", "--suite", "real", "--engine", "git-apply"]
    result = CliRunner().invoke(main, command, env={VARIABLE: str(edits)})
    assert "every place" not in result.output
    assert "one place" in result.output


@cases(
    {
        "not set": ("", "HKGIT_REAL_EDITS names no file of real edits"),
        "absent": ("gone.xz", "HKGIT_REAL_EDITS names gone.xz, which is no file"),
    },
)
def test_without_real_edits_the_suite_is_skipped(name: str, said: str) -> None:
    command = ["compare", "--suite", "real", "--engine", "hkgit"]
    result = CliRunner().invoke(main, command, env={VARIABLE: name})
    assert result.exit_code == 0
    assert result.output == f"skipped: {said}\n"

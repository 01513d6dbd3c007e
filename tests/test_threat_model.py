"""The tables of docs/threat-model.md: every test that they name exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TEST = r"(tests/\S+\.py)::(test_\w+)(?: \((.+)\))?"
_ROW = re.compile(rf"^\| (.+) \| (.+) \| {_TEST} \|$", re.MULTILINE)
ROWS = _ROW.findall((ROOT / "docs" / "threat-model.md").read_text("utf-8"))


def test_every_named_attack_has_its_test() -> None:
    texts = {file: (ROOT / file).read_text("utf-8") for file in {file for _, _, file, _, _ in ROWS}}
    lost = [
        (attack, file, test, row)
        for attack, _, file, test, row in ROWS
        if f"\ndef {test}(" not in texts[file] or (row and f'"{row}"' not in texts[file])
    ]
    assert lost == []


def test_no_row_names_nothing() -> None:
    text = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
    named = [line for line in text.splitlines() if line.startswith("| ") and "tests/" in line]
    assert len(named) == len(ROWS) > 40


def test_every_test_of_an_attack_stands_in_the_threat_model() -> None:
    """A file of attacks that the page does not name has no reader."""
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/attacks/test_*.py")}
    assert files <= {file for _, _, file, _, _ in ROWS}

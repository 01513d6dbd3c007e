"""The plain form, and logs that are in no form or cut short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.transcripts.reading import read_log
from hkgit.agents.transcripts.replaying import End
from tests.agents.transcripts.conftest import ReplayText
from tests.support.logs import as_text

FILE = "one\ntwo\nthree\n"
BLOCK = "a.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
EDIT = {"file": "a.txt", "old_text": "two\n", "new_text": "2\n"}
DONE = "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("record", "end"),
    [
        pytest.param({"call": BLOCK, "after": DONE}, End.SAME, id="text in a dialect"),
        pytest.param({"call": EDIT, "after": DONE}, End.SAME, id="JSON as it was"),
        pytest.param({"call": EDIT, "after": "2\n"}, End.DIFFERS, id="something else was logged"),
        pytest.param({"call": EDIT}, End.LANDED, id="nothing was logged"),
        pytest.param({"call": EDIT, "after": None}, End.WON, id="a refusal was logged"),
        pytest.param({"call": "Hello."}, End.UNJUDGED, id="no edit at all"),
        pytest.param({"call": "Hello.", "after": None}, End.REFUSED, id="refused by both"),
        pytest.param({"call": "Hello.", "after": DONE}, End.LOST, id="unreadable for hkgit"),
    ],
)
def test_the_end_of_a_call(replay: ReplayText, record: dict[str, Any], end: End) -> None:
    [one] = replay(as_text([{"file": "a.txt", "before": FILE, **record}]))
    assert one.end == end


def test_a_last_line_cut_short_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(as_text([{"file": "a.txt", "before": FILE, "call": EDIT}]) + '{"file": "a')
    log = read_log(path)
    assert len(log.events) == 1
    assert log.broken == 1


@pytest.mark.parametrize(
    "text", ["", "nonsense\n", "[1]\n", "[" * 99_999, '{"unheard": "of"}\n', "\xff\n"]
)
def test_a_log_of_no_known_form_tells_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, "latin-1")
    assert read_log(path).form is None
    assert read_log(path).events == ()

"""Of a call that came out otherwise than logged it is said which rule of hkgit's did that."""

from __future__ import annotations

from typing import Any

import pytest

from hkgit.agents.transcripts.replaying import End
from hkgit.agents.transcripts.rules import difference
from tests.agents.transcripts.conftest import ReplayText
from tests.support.logs import as_text

FILE = "def f():\n    one\n    two\n    three\n"


def edit(old: str, new: str) -> dict[str, str]:
    return {"file": "a.py", "old_text": old, "new_text": new}


@pytest.mark.parametrize(
    ("call", "after", "rule"),
    [
        pytest.param(
            edit("    two\n", "    2\n"),
            FILE.replace("two", "II"),
            "the text as it was sent, at its place; differs in its words",
            id="another text",
        ),
        pytest.param(
            edit("one\ntwo\n", "one\n2\n"),
            FILE.replace("    one\n    two", "one\n2"),
            "tier whitespace; differs in indentation",
            id="a block that was dedented",
        ),
        pytest.param(
            edit("    two\n    three\n", "    two\n\n    three\n"),
            FILE,
            "the text as it was sent, at its place; differs in blank lines",
            id="a blank line",
        ),
    ],
)
def test_the_rule_is_named(replay: ReplayText, call: dict[str, Any], after: str, rule: str) -> None:
    [one] = replay(as_text([{"file": "a.py", "before": FILE, "call": call, "after": after}]))
    assert one.end == End.DIFFERS
    assert one.detail == rule


@pytest.mark.parametrize(
    ("logged", "got", "name"),
    [
        ("a\r\n", "a\n", "line ends"),
        ("a\n", "a", "the end of the last line"),
        ("a \nb\n", "a\nb\n", "blanks at the ends of lines"),
        (" a\n", "a\n", "indentation"),
        ("a\n\nb\n", "a\nb\n", "blank lines"),
        ("a\n\n b\n", "a\nb\n", "indentation and blank lines"),
        ("\u201ca\u201d\n", '"a"\n', "blanks and typography"),
        ("a\n", "b\n", "its words"),
        ("a\n", None, "whether the file is there"),
    ],
)
def test_what_differs_is_the_least_that_does(logged: str, got: str | None, name: str) -> None:
    assert difference(logged, got) == name

"""What the search tools of agents have shown counts as read, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.agents.events import Shell, Tool
from hkgit.agents.hooks import claude, copilot, gemini, opencode, qwen
from hkgit.agents.shown.readings import find_readings

GROUPED = 'Found 1 match for pattern "x" in path "sub":\n---\nFile: a.txt\n'


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        pytest.param(
            gemini.LOOKS["grep_search"],
            {"dir_path": "sub"},
            {"llmContent": GROUPED + "L1- one\nL2:   two\nL3: other\n---"},
            id="gemini",
        ),
        pytest.param(
            qwen.LOOKS["grep_search"],
            {"path": "sub"},
            {"llmContent": GROUPED + "L1: one\nL3: other\n---\nFile: b.txt\nL2:   two"},
            id="qwen: what it trims has not been shown",
        ),
        pytest.param(
            opencode.LOOKS["grep"],
            {"path": "sub"},
            "Found 2 matches\n{root}/sub/a.txt:\n  Line 1: one\n  Line 2:   two\n  Line 3: t...",
            id="opencode",
        ),
        pytest.param(
            copilot.LOOKS["grep"],
            {"path": "sub/a.txt"},
            {"textResultForLlm": "1:one\n2:  two\n3:other"},
            id="copilot, one file",
        ),
        pytest.param(
            copilot.LOOKS["grep"],
            {},
            {"textResultForLlm": "sub/a.txt:1:one\nsub/a.txt-2-  two\nsub/b.txt:1:one"},
            id="copilot, what it finds",
        ),
        pytest.param(
            claude.LOOKS["Grep"],
            {"path": "sub"},
            {"mode": "content", "content": "sub/a.txt:1:one\nsub/a.txt-2-  two", "filenames": []},
            id="claude",
        ),
    ],
)
def test_lines_behind_their_numbers_are_readings(
    tool: Tool, arguments: dict[str, object], answer: object, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("one\n  two\n")
    (tmp_path / "sub/a.txt").write_text("one\n  two\nthree\n")
    if isinstance(answer, str):
        answer = answer.replace("{root}", str(tmp_path))
    did = tool(arguments, answer)
    assert isinstance(did, Shell)
    shown = {
        (str((tmp_path / each.path).relative_to(tmp_path)), each.start_line, each.end_line)
        for each in find_readings(did, tmp_path)
    }
    last = 1 if tool is qwen.LOOKS["grep_search"] else 2
    assert shown == {("sub/a.txt", 1, last)}


def test_files_named_alone_are_no_readings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    did = claude.LOOKS["Grep"]({}, {"mode": "files_with_matches", "filenames": ["a.txt"]})
    assert isinstance(did, Shell)
    assert [*find_readings(did, tmp_path)] == []
